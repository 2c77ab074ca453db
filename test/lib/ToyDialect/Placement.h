//===- Placement.h - Where the plan puts an operator ------------*- C++ -*-===//

#ifndef TAPESTRY_TEST_TOYDIALECT_PLACEMENT_H
#define TAPESTRY_TEST_TOYDIALECT_PLACEMENT_H

#include "tapestry/Interfaces/BlockOpInterface.h"

namespace toy {

/// The attributes `partition`, `homes` and `routes` of an operator. Routes are
/// one list: those of the results, then those of the pieces that are read.
class Placement {
public:
  explicit Placement(mlir::Operation *op) : op(op) {}

  bool hasPartition() const { return op->hasAttr("partition"); }
  mlir::FailureOr<std::optional<tapestry::Partition>>
  getPartitionOn(const tapestry::DeviceGrid &grid) const;
  void setPartitionOn(const tapestry::DeviceGrid &grid,
                      const tapestry::Partition &partition);

  std::optional<std::pair<tapestry::DeviceGrid, tapestry::Layout>>
  getHome(unsigned result) const;
  void setHome(unsigned result, const tapestry::DeviceGrid &grid,
               const tapestry::Layout &layout);

  tapestry::Route getRoute(unsigned number) const;
  llvm::SmallVector<tapestry::Route> getOperandRoutes() const;
  void setRoutes(const tapestry::DeviceGrid &grid,
                 llvm::ArrayRef<tapestry::Route> homeRoutes,
                 llvm::ArrayRef<tapestry::Route> operandRoutes);

private:
  mlir::Operation *op;
};

} // namespace toy

#endif // TAPESTRY_TEST_TOYDIALECT_PLACEMENT_H
