//===- FewColumns.h - Products with few columns -----------------*- C++ -*-===//
//
// Finds the loops of products of which one operand is narrow.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CODEGEN_CPU_FEWCOLUMNS_H
#define TAPESTRY_LIB_CODEGEN_CPU_FEWCOLUMNS_H

#include "tapestry/Codegen/CPU/TargetInfo.h"
#include "tapestry/Codegen/Common/NestProblem.h"
#include <optional>

namespace tapestry {

/// Loops of a product: `lanes`, the reduction, along which what is read for
/// each of many `rows` is contiguous, and few `columns`, for which all else is
/// read.
struct FewColumns {
  unsigned lanes, rows, columns;
};

/// The loops of a nest which is such a product and is computed fastest with
/// vectors of `lanes` elements along the reduction; none for others.
std::optional<FewColumns> findFewColumns(const NestProblem &problem,
                                         const TargetInfo &target,
                                         unsigned lanes);

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_CPU_FEWCOLUMNS_H
