//===- IndexSpaceRules.cpp - Rules of labels and subscripts ---------------===//

#include "IndexSpaceRules.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/Reach.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

static StringRef labelName(ArrayAttr labels, unsigned label) {
  return cast<StringAttr>(labels[label]).getValue();
}

LogicalResult teg::verifyMapSpace(Operation *op, unsigned number, AffineMap map,
                                  size_t numLabels) {
  if (map.getNumDims() == numLabels && map.getNumSymbols() == 0)
    return success();
  return op->emitOpError() << "indexing map " << number << " has "
                           << countOf(map.getNumDims(), "dimension") << " and "
                           << countOf(map.getNumSymbols(), "symbol")
                           << ", expected " << countOf(numLabels, "dimension")
                           << " and 0 symbols";
}

std::string teg::subscriptText(ArrayAttr labels, const ProjectionDim &dim) {
  std::string text;
  llvm::raw_string_ostream os(text);
  index::printSubscript(
      os, dim, [&](unsigned label) { os << labelName(labels, label); });
  return text;
}

/// Whether the affine syntax can read `name` as a label.
static bool isLabelIdentifier(StringRef name) {
  if (name.empty() || !(llvm::isAlpha(name.front()) || name.front() == '_'))
    return false;
  if (name == "floordiv" || name == "ceildiv" || name == "mod" ||
      name == "symbol")
    return false;
  return llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
  });
}

llvm::SmallVector<std::string> teg::labelNamesOf(ArrayAttr labels) {
  return llvm::map_to_vector(labels.getAsValueRange<StringAttr>(),
                             [](StringRef name) { return name.str(); });
}

LogicalResult teg::verifyLabels(Operation *op, ArrayAttr labels,
                                llvm::ArrayRef<int64_t> extents) {
  llvm::StringSet<> names;
  for (StringRef name : labels.getAsValueRange<StringAttr>()) {
    if (!isLabelIdentifier(name))
      return op->emitOpError() << "label '" << name << "' is not an identifier";
    if (!names.insert(name).second)
      return op->emitOpError() << "label '" << name << "' occurs twice";
  }
  if (extents.size() != labels.size())
    return op->emitOpError() << "has " << countOf(labels.size(), "label")
                             << " but " << countOf(extents.size(), "extent");
  constexpr int64_t maxPoints = int64_t(1) << 62;
  int64_t points = 1;
  for (auto [label, extent] : llvm::enumerate(extents)) {
    if (extent < 0)
      return op->emitOpError()
             << "label '" << labelName(labels, label) << "' has extent "
             << extent << ", expected at least 0";
    if (llvm::MulOverflow(points, extent, points) || points >= maxPoints)
      return op->emitOpError()
             << "the number of index points leaves 62 bits at label '"
             << labelName(labels, label) << "' of extent " << extent;
  }
  return success();
}

bool teg::isWithinReach(const ProjectionDim &dim,
                        llvm::ArrayRef<int64_t> extents) {
  Reach reach(1);
  reach.add(dim.constant);
  for (const AffineTerm &term : dim.terms)
    reach.add(term.coefficient, std::max<int64_t>(extents[term.dim], 1));
  return reach.isWithin() && dim.floordiv < int64_t(1) << 62 &&
         dim.mod < int64_t(1) << 62;
}

ZRange teg::imageOf(const ProjectionDim &dim, llvm::ArrayRef<int64_t> extents) {
  ZRange image{dim.constant, dim.constant + 1};
  for (const AffineTerm &term : dim.terms) {
    int64_t reach = term.coefficient * (extents[term.dim] - 1);
    (reach < 0 ? image.lo : image.hi) += reach;
  }
  return image;
}
