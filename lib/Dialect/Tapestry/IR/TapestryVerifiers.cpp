//===- TapestryVerifiers.cpp - Rules of graphs, sources and labels --------===//
//
// The checks carry the labels of the constraints in the ops' descriptions.
//
//===----------------------------------------------------------------------===//

#include "PlacementRules.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// GraphOp
//===----------------------------------------------------------------------===//

/// Refuses two ops of one kind with the same name.
template <typename OpTy>
static LogicalResult verifyUniqueNames(GraphOp graph, StringRef kind) {
  llvm::StringMap<OpTy> byName;
  for (auto op : graph.getBody().getOps<OpTy>()) {
    auto [entry, isNew] = byName.try_emplace(op.getName(), op);
    if (isNew)
      continue;
    InFlightDiagnostic diagnostic = op.emitOpError()
                                    << "is a second " << kind << " named \""
                                    << op.getName() << "\"";
    diagnostic.attachNote(entry->second.getLoc()) << "the first is here";
    return diagnostic;
  }
  return success();
}

LogicalResult GraphOp::verifyRegions() {
  // graph_c1
  if (failed(verifyUniqueNames<SourceOp>(*this, "source")))
    return failure();
  // graph_c2
  return verifyUniqueNames<SinkOp>(*this, "sink");
}

//===----------------------------------------------------------------------===//
// SourceOp and LabelOp
//===----------------------------------------------------------------------===//

LogicalResult SourceOp::verify() {
  // source_c1
  if (failed(verifyPartition(*this, getPartitionAttr(), getType().getRank(),
                             "dimensions")))
    return failure();
  // source_c2
  return verifyHome(*this, getHomeAttr(), getType().getShape());
}

LogicalResult LabelOp::verify() {
  auto einsum = cast<EinsumOp>((*this)->getParentOp());
  // label_c1
  if (!einsum.getLabelIndex(getLabel())) {
    InFlightDiagnostic diagnostic = emitOpError()
                                    << "names label '" << getLabel()
                                    << "', which the einsum \""
                                    << einsum.getName() << "\" lacks";
    diagnostic.attachNote(einsum.getLoc())
        << "its labels are " << einsum.getLabels();
    return diagnostic;
  }
  // label_c2
  if ((*this)->getParentRegion() != &einsum.getBody())
    return emitOpError() << "lies in the combine region, which has no index "
                            "point";
  return success();
}
