//===- Graph.h - The graph that is planned, as plain structs ----*- C++ -*-===//
//
// What the planner knows of a program: vertices with an index space, a
// projection per operand and for the result, and shapes. Any compiler can fill
// it in; it needs no dialect of ours.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_MODEL_GRAPH_H
#define TAPESTRY_PLANNER_MODEL_GRAPH_H

#include "tapestry/Support/Access.h"
#include "tapestry/Support/Error.h"
#include "tapestry/Support/Projection.h"
#include "tapestry/Support/ShardingConstraint.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tapestry::model {

/// One dimension of a vertex's index space.
struct PlanLabel {
  std::string name;
  int64_t extent = 1;
  /// Whether a monoid combines the values along this label; exactly the labels
  /// that the output lacks are reduced, but for a scanned one.
  bool reduced = false;
  /// Whether one point along this label contributes, which the data name
  /// (LabelKind::Selected). A cut saves no work.
  bool selected = false;
  /// Whether regions of the output are written along it, which no cut into
  /// blocks describes; such a label has a constraint to stay whole.
  bool isRegion = false;
  /// Whether a point takes up what all before it along the label gave together.
  /// Where it is cut, devices exchange the totals of their blocks. An output
  /// that lacks it then lies on all of them.
  bool scanned = false;
};

/// A piece of a tensor that a vertex fetches. A vertex has one operand per
/// distinct pair of tensor and piece: reading X[i, j] and X[i, k] makes two
/// operands. Pieces that are fetched together have one, whose projection is
/// their hull (Support/Fetch.h).
struct PlanOperand {
  /// Index of the vertex whose result is read; smaller than the reader's own.
  unsigned producer = 0;
  /// From the reader's labels to the dimensions of the producer's result.
  Projection projection;
  /// Whether the projection may reach outside the tensor, where a constant is
  /// read instead, or another piece.
  bool padded = false;
  /// The index points that read, one range per label, within its extent and not
  /// empty; no ranges: all points.
  ZBox guard = {};
  AccessKind kind = AccessKind::Affine;
  /// How often the tensor is fetched: what a loop reads from outside comes
  /// once, what its passes make in every one.
  int64_t trips = 1;

  /// Whether index points read less than the projection names.
  bool isPartial() const {
    return !guard.empty() || kind == AccessKind::Indexed;
  }
  /// Whether both read the same elements at the same points.
  bool readsAs(const PlanOperand &o) const {
    return producer == o.producer && projection == o.projection &&
           guard == o.guard && kind == o.kind;
  }
};

/// One read of a vertex's result.
struct PlanUse {
  unsigned vertex = 0;
  unsigned operand = 0;

  bool operator==(const PlanUse &other) const {
    return vertex == other.vertex && operand == other.operand;
  }
};

/// One statement of the program, or one of its inputs. A statement with several
/// results is a vertex for the first and a companion for each other one.
struct PlanVertex {
  std::string name;
  llvm::SmallVector<PlanLabel, 4> labels;
  llvm::SmallVector<PlanOperand, 2> operands;
  /// From the labels to the dimensions of the result. Each dimension is one
  /// plain label, no label occurs twice; a dimension without terms is written
  /// whole (constant 0, stride 1, size the dimension's extent).
  Projection output;
  /// The result's shape.
  llvm::SmallVector<int64_t, 4> shape;
  /// Bytes per element of the result.
  int64_t elementBytes = 4;
  /// Of how many elements the totals are that a block gives along a scanned
  /// label for each point of the others, at most one for each of its points.
  int64_t totalCount = 1;
  /// Bytes per element of partial values and of the totals of a scan, which may
  /// be wider than the result; 0: as the result's.
  int64_t accumulatorBytes = 0;
  /// Floating-point operations of the whole vertex, for cost models in seconds.
  double flops = 0;
  /// Bytes that it moves beside operands and result; below 0: of these stay.
  double extraBytes = 0;
  /// How often it is computed: the passes of the loops around it.
  int64_t trips = 1;
  /// Whether one loop nest computes it point by point: while that runs, all
  /// that it reads is held and all that it writes.
  bool isNest = false;
  /// A tensor that the program is given: no operands and no work; its labels
  /// are its dimension numbers "0", "1", ...
  bool isInput = false;
  /// Of a companion: the number of the vertex whose further result it is, its
  /// lead. A companion has the lead's labels (the output decides which are
  /// reduced) and always its cut, no operands and no work; of it alone a home
  /// may be asked. It follows the lead or another companion of it.
  std::optional<unsigned> cutAs = std::nullopt;
  /// Whether the program hands the result out as it lies at home. What it hands
  /// out on one device is brought there (ShardingConstraints::leavesAt).
  bool isOutput = false;
  /// Of one of several results: that nobody reads it. Partial values of it stay
  /// where they are, so that no label is reduced in it.
  bool isUnread = false;
  /// What the user asks of the plan here (see Planner/Model/Constraints.h).
  ShardingConstraints constraints;
  /// The only read of an input that is stored as this read wants it, at no
  /// cost. Nothing for tensors that have a home of their own: results, inputs
  /// that several read or that are handed out again, and those that the user
  /// asks something of. Set by PlanGraph::resolveStorage().
  std::optional<PlanUse> storedFor;

  /// A graph input of this shape.
  static PlanVertex input(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                          int64_t elementBytes = 4);

  /// Bytes per element of what a device holds or sends: of partial values
  /// before they are combined, of the result after that.
  int64_t bytesPerElement(bool isPartial) const {
    return isPartial && accumulatorBytes ? accumulatorBytes : elementBytes;
  }
  llvm::SmallVector<int64_t, 4> extents() const;
  std::optional<unsigned> labelNamed(llvm::StringRef label) const;
  /// The label along which values run on, if there is one.
  std::optional<unsigned> scannedLabel() const;
  /// Elements of the result.
  int64_t elements() const;
  /// Whether the program is given it as it lies at home.
  bool isGivenAtHome() const { return isInput && !constraints.entersAt; }
  /// Whether the program hands it out, at home or elsewhere.
  bool isHandedOut() const { return isOutput || !constraints.leavesAt.empty(); }
  /// Whether it computes: neither an input nor a companion.
  bool hasWork() const { return !isInput && !cutAs; }
};

/// The vertices in an order in which producers come before their consumers.
struct PlanGraph {
  std::vector<PlanVertex> vertices;

  /// Every read of every vertex, in vertex and operand order.
  std::vector<llvm::SmallVector<PlanUse, 2>> uses() const;
  std::optional<unsigned> vertexNamed(llvm::StringRef name) const;
  /// The vertex whose cut `vertex` has: its lead or itself.
  unsigned leadOf(unsigned vertex) const {
    return vertices[vertex].cutAs.value_or(vertex);
  }
  /// The companions of a vertex; companion k is vertex number `vertex` + 1 + k.
  llvm::ArrayRef<PlanVertex> companionsOf(unsigned vertex) const;

  /// Sets every vertex' `storedFor`. To be called once the vertices are there,
  /// and again after an edit of reads, outputs or constraints.
  void resolveStorage();

  /// Checks what the planner relies on; the error names the vertex, the label
  /// or operand, and both numbers that disagree. Everything else in this
  /// library may be called only with a graph that passes.
  llvm::Error validate() const;
};

} // namespace tapestry::model

#endif // TAPESTRY_PLANNER_MODEL_GRAPH_H
