//===- Nest.h - A linalg operation as a loop nest over flat data -*- C++
//-*-===//
//
// Reads a linalg.generic on buffers into the form that planning and emission
// use: every operand is a flat buffer, an offset and one stride per loop.
// Transposed, broadcast, diagonal and window accesses are nothing special in
// that form. Loops that are contiguous in every operand are merged.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_COMMON_NEST_H
#define TAPESTRY_CODEGEN_COMMON_NEST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tapestry/Codegen/Common/IndexBuilder.h"
#include "tapestry/Codegen/Common/NestProblem.h"

namespace tapestry {

/// What the body does with one output.
struct OutputBody {
  mlir::Value yielded;
  mlir::BlockArgument accumulator;
  /// The body reads the output's previous value.
  bool accumulates = false;
  /// yielded = combine(accumulator, contribution) by this operation, a known
  /// monoid; null for anything else.
  mlir::Operation *combine = nullptr;
  mlir::Value contribution;
};

/// A nest whose points store what has been combined up to them.
struct ScanBody {
  /// Numbers of the outputs: the elements, and what is carried along.
  unsigned elements, carried;
  /// combine(carried, contribution): what the elements are made of.
  mlir::Operation *combine;
  mlir::Value contribution;
};

/// Bits of an element in a buffer, where vectors of it lie in memory as its
/// elements do one after the other: none for those that LLVM pads (i4, f80).
std::optional<unsigned> packedBits(mlir::Type element);

/// The neutral element of a known combining operation on `type`; null for
/// operations that are not known.
mlir::TypedAttr identityOf(mlir::Operation *combine, mlir::Type type);

/// Whether `op` only gives a number a wider type, which holds it exactly.
bool widens(mlir::Operation *op);

struct NestOperand {
  /// One-dimensional contiguous view of the whole buffer; null for a scalar.
  mlir::Value flat;
  mlir::Value scalar;
  mlir::OpFoldResult offset;
  /// Elements per step of each loop.
  llvm::SmallVector<mlir::OpFoldResult, 6> strides;
  mlir::Type elementType;
  /// A buffer of our own holds what this op of the body makes of an element;
  /// null where it holds elements.
  mlir::Operation *conversion = nullptr;
};

/// A load in the body: one-dimensional view and strides of its buffer.
struct NestLoad {
  mlir::Value flat;
  mlir::OpFoldResult offset;
  llvm::SmallVector<mlir::OpFoldResult, 4> strides;
};

/// Where a nest's loops stand: their indices and the operands' offsets.
struct NestPoint {
  llvm::SmallVector<mlir::OpFoldResult, 6> index;
  llvm::SmallVector<mlir::OpFoldResult, 4> offset;
};

class Nest {
public:
  /// Reads `op`; fails, without building anything, when an indexing map is not
  /// linear or the body has no vector form.
  static mlir::FailureOr<Nest> analyze(mlir::linalg::GenericOp op);

  /// Builds flat views, strides and extents. Needed before emission.
  void materialize(IndexBuilder &b);

  /// The point where all loops are at 0.
  NestPoint origin(IndexBuilder &b) const;
  /// `point` with loop `dim` moved on by `delta`.
  NestPoint advance(IndexBuilder &b, const NestPoint &point, unsigned dim,
                    mlir::OpFoldResult delta) const;

  mlir::Block &body() { return *op.getBody(); }
  unsigned numInputs() { return op.getNumDpsInputs(); }
  /// Whether an output and the next one are the two parts of one buffer, in
  /// turns.
  bool isFirstPart(unsigned output);
  /// The conversion to a wider type through which alone the body reads an
  /// operand; null where it reads the operand itself.
  mlir::Operation *conversionOf(unsigned operand);

  mlir::linalg::GenericOp op;
  NestProblem problem;
  /// Per loop of the nest, after materialize.
  llvm::SmallVector<mlir::OpFoldResult, 6> extents;
  llvm::SmallVector<NestOperand, 4> operands;
  /// As `problem.loads`, with the positions of the body's loads.
  llvm::SmallVector<NestLoad, 1> loads;
  llvm::SmallDenseMap<mlir::Operation *, unsigned, 1> loadNumbers;
  llvm::SmallVector<OutputBody, 2> outputs;
  std::optional<ScanBody> scan;
  /// The value that outputs start from, where it is not in the buffer (a fill
  /// that was folded into the nest); null otherwise.
  llvm::SmallVector<mlir::Value, 2> initial;
  /// The nest's loop for each loop of `op`; -1 where that has one point.
  llvm::SmallVector<int, 6> loopOf;

private:
  mlir::LogicalResult readMaps();
  mlir::LogicalResult readBody();
  void readExtents();
  void mergeLoops();
  bool canMerge(unsigned outer, unsigned inner);
  bool contiguous(unsigned operand, unsigned outer, unsigned inner) const;
  void describe();
  void readScan();
  void readFactors();
  void readSymmetry();
  bool exchangesInputs(unsigned loop, unsigned other) const;
  bool isScanOverOneLoop() const;
  bool isReadable(mlir::memref::LoadOp load);
  std::optional<int64_t> stepOf(mlir::Value value, unsigned loop);
  NestAccess describeLoad(mlir::memref::LoadOp load);
  void checkLanes(unsigned output, const NestAccess &access);

  /// One result of an indexing map: coefficients of op's loops, and constant.
  struct LinearExpr {
    llvm::SmallVector<int64_t, 6> coefficients;
    int64_t constant = 0;
  };
  static mlir::LogicalResult linearize(mlir::AffineExpr expr, int64_t factor,
                                       LinearExpr &into);

  /// Per operand, per result of its map.
  llvm::SmallVector<llvm::SmallVector<LinearExpr, 4>, 4> maps;
  /// Per loop of op: the extent if known, and where a run-time one is read.
  llvm::SmallVector<int64_t, 6> knownExtent;
  llvm::SmallVector<std::pair<unsigned, unsigned>, 6> extentSource;
  llvm::SmallVector<bool, 6> indexed;
  /// The op's loops that each loop of the nest consists of, outermost first.
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 6> groups;
};

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_COMMON_NEST_H
