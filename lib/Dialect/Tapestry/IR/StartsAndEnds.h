//===- StartsAndEnds.h - Text form of ranges of shards ----------*- C++ -*-===//
//
// `[` start,* `]` `=>` `[` end,* `]`, the white paper's form. Private to the
// dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_STARTSANDENDS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_STARTSANDENDS_H

#include "mlir/IR/OpImplementation.h"
#include "tapestry/Dialect/Index/IR/IndexAttrs.h"

namespace tapestry::teg {

inline mlir::ParseResult parseStartsAndEnds(mlir::OpAsmParser &parser,
                                            index::RangeAttr &range) {
  llvm::SmallVector<int64_t> starts, ends, bounds;
  auto parseList = [&](llvm::SmallVector<int64_t> &list) {
    return parser.parseCommaSeparatedList(
        mlir::AsmParser::Delimiter::Square,
        [&]() { return parser.parseInteger(list.emplace_back()); });
  };
  if (parseList(starts))
    return mlir::failure();
  mlir::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseEqual() || parser.parseGreater() || parseList(ends))
    return mlir::failure();
  if (starts.size() != ends.size())
    return parser.emitError(loc, "the range has ")
           << starts.size() << " starts but " << ends.size() << " ends";
  for (auto [start, end] : llvm::zip_equal(starts, ends))
    bounds.append({start, end});
  range = index::RangeAttr::get(parser.getContext(), bounds);
  return mlir::success();
}

inline void printStartsAndEnds(mlir::OpAsmPrinter &printer, mlir::Operation *,
                               index::RangeAttr range) {
  ZBox box = range.getBox();
  printer << '[';
  llvm::interleaveComma(box, printer,
                        [&](const ZRange &bounds) { printer << bounds.lo; });
  printer << "] => [";
  llvm::interleaveComma(box, printer,
                        [&](const ZRange &bounds) { printer << bounds.hi; });
  printer << ']';
}

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_STARTSANDENDS_H
