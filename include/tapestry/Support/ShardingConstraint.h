//===- ShardingConstraint.h - What a user asks of a cut ---------*- C++ -*-===//
//
// Pins and preferences as users write them, by the names of labels and grid
// axes: what front ends and dialects hand to the planner. What they mean on a
// grid is decided in Planner/Model/Constraints.h.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_SHARDINGCONSTRAINT_H
#define TAPESTRY_SUPPORT_SHARDINGCONSTRAINT_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tapestry {

/// What is asked of one label, or of one tensor dimension.
struct LabelConstraint {
  /// A label of the vertex. Of an input, and in a request on a home, the number
  /// of a dimension ("0"), or the label that the result has there.
  std::string label;
  /// How many parts; 1: not cut. 0: as many as `axes` make.
  int64_t parts = 0;
  /// The grid axes that cut it, in this order, the major one first; an axis
  /// "gpu" stands for all its prime factors "gpu.0", "gpu.1". Empty: any.
  std::vector<std::string> axes;

  bool operator==(const LabelConstraint &o) const {
    return label == o.label && parts == o.parts && axes == o.axes;
  }
};

/// One "@ {i: 2, k: node}": labels that it does not name stay open.
struct ShardingConstraint {
  std::vector<LabelConstraint> cuts;
  /// "*: 1": labels that it does not name are not to be cut.
  bool isClosed = false;
  /// False: a preference, which a plan may break.
  bool isHard = true;
  /// What breaking a preference costs, as a multiple of moving the whole result
  /// of the vertex once (see preferenceUnit in Planner/Model/Constraints.h).
  double weight = 1;
  /// Where it was written, "chain.ein:3:9"; may be empty.
  std::string place;

  bool operator==(const ShardingConstraint &o) const {
    return cuts == o.cuts && isClosed == o.isClosed && isHard == o.isHard &&
           weight == o.weight && place == o.place;
  }
};

/// The device on which a tensor enters or leaves the program, whole.
struct DevicePin {
  int64_t device = 0;
  /// "input 'A'" or "output 'Y'".
  std::string tensor;
  /// As ShardingConstraint::place.
  std::string place;

  bool operator==(const DevicePin &o) const {
    return device == o.device && tensor == o.tensor && place == o.place;
  }
};

/// Everything that is asked of one vertex.
struct ShardingConstraints {
  /// On the cut of its work, by label. Of an input: on how it is stored.
  std::vector<ShardingConstraint> work;
  /// On the layout that its result is kept in.
  std::vector<ShardingConstraint> home;
  /// Tensors that name the same group are kept in equal layouts; empty: none.
  std::string layoutGroup;
  /// Where the group was named, as ShardingConstraint::place.
  std::string layoutGroupPlace;
  /// Of an input: where it is before it is brought home. Nothing: it lies at
  /// home.
  std::optional<DevicePin> entersAt;
  /// Where it is brought from its home for whom the program hands it out to.
  std::vector<DevicePin> leavesAt;

  bool empty() const {
    return work.empty() && home.empty() && layoutGroup.empty() && !entersAt &&
           leavesAt.empty();
  }
  bool operator==(const ShardingConstraints &o) const {
    return work == o.work && home == o.home && layoutGroup == o.layoutGroup &&
           layoutGroupPlace == o.layoutGroupPlace && entersAt == o.entersAt &&
           leavesAt == o.leavesAt;
  }
};

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_SHARDINGCONSTRAINT_H
