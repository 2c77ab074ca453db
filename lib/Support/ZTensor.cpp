//===- ZTensor.cpp - Strided views, tensors of integers -------------------===//

#include "tapestry/Support/ZTensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <cassert>

using namespace tapestry;

bool tapestry::allPoints(
    llvm::ArrayRef<ZRange> box,
    llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> visit) {
  if (isEmpty(box))
    return true;
  ZPoint point;
  for (const ZRange &range : box)
    point.push_back(range.lo);
  while (visit(point)) {
    unsigned dim = box.size();
    for (; dim > 0; --dim) {
      if (++point[dim - 1] < box[dim - 1].hi)
        break;
      point[dim - 1] = box[dim - 1].lo;
    }
    if (dim == 0)
      return true;
  }
  return false;
}

void tapestry::forEachPoint(
    llvm::ArrayRef<ZRange> box,
    llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit) {
  allPoints(box, [&](llvm::ArrayRef<int64_t> point) {
    visit(point);
    return true;
  });
}

//===----------------------------------------------------------------------===//
// StridedView
//===----------------------------------------------------------------------===//

StridedView StridedView::rowMajor(llvm::ArrayRef<int64_t> shape) {
  StridedView view;
  view.shape.assign(shape.begin(), shape.end());
  view.strides.assign(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    view.strides[dim - 1] = view.strides[dim] * shape[dim];
  return view;
}

int64_t StridedView::placeOf(llvm::ArrayRef<int64_t> point) const {
  assert(contains(boxOfShape(shape),
                  ZBox(llvm::map_range(
                      point, [](int64_t at) { return ZRange{at, at + 1}; }))) &&
         "a point outside");
  int64_t place = offset;
  for (auto [at, stride] : llvm::zip_equal(point, strides))
    place += at * stride;
  return place;
}

ZRange StridedView::places() const {
  if (numCells() == 0)
    return {offset, offset};
  ZRange range = {offset, offset + 1};
  for (auto [extent, stride] : llvm::zip_equal(shape, strides))
    (stride < 0 ? range.lo : range.hi) += (extent - 1) * stride;
  return range;
}

bool StridedView::isRowMajor() const {
  StridedView dense = rowMajor(shape);
  dense.offset = offset;
  return *this == dense;
}

bool StridedView::operator==(const StridedView &other) const {
  if (shape != other.shape)
    return false;
  if (numCells() == 0)
    return true;
  for (auto [extent, mine, theirs] :
       llvm::zip_equal(shape, strides, other.strides))
    if (extent > 1 && mine != theirs)
      return false;
  return offset == other.offset;
}

StridedView StridedView::permuted(llvm::ArrayRef<unsigned> order) const {
  assert(order.size() == rank() && "one entry per dimension");
  StridedView result;
  result.offset = offset;
  for (unsigned dim : order) {
    result.shape.push_back(shape[dim]);
    result.strides.push_back(strides[dim]);
  }
  return result;
}

StridedView StridedView::reversed(unsigned dim) const {
  StridedView result = *this;
  result.offset += std::max<int64_t>(shape[dim] - 1, 0) * strides[dim];
  result.strides[dim] = -strides[dim];
  return result;
}

StridedView StridedView::selected(unsigned dim, int64_t index) const {
  assert(index >= 0 && index < shape[dim] && "an index outside");
  return sliced(dim, {index, index + 1}).squeezed(dim);
}

StridedView StridedView::sliced(unsigned dim, ZRange range,
                                int64_t step) const {
  assert(step >= 1 && ZRange({0, shape[dim]}).contains(range) &&
         "a range outside");
  StridedView result = *this;
  result.offset += range.empty() ? 0 : range.lo * strides[dim];
  result.shape[dim] = ceilDiv(range.size(), step);
  result.strides[dim] = step * strides[dim];
  return result;
}

StridedView StridedView::sliced(llvm::ArrayRef<ZRange> box) const {
  StridedView result = *this;
  for (auto [dim, range] : llvm::enumerate(box))
    result = result.sliced(dim, range);
  return result;
}

StridedView StridedView::squeezed(unsigned dim) const {
  assert(shape[dim] == 1 && "more than one cell");
  StridedView result = *this;
  result.shape.erase(result.shape.begin() + dim);
  result.strides.erase(result.strides.begin() + dim);
  return result;
}

StridedView StridedView::unsqueezed(unsigned dim) const {
  assert(dim <= rank() && "a dimension outside");
  StridedView result = *this;
  result.shape.insert(result.shape.begin() + dim, 1);
  result.strides.insert(result.strides.begin() + dim, 0);
  return result;
}

StridedView StridedView::broadcast(unsigned dim, int64_t extent) const {
  assert(shape[dim] == 1 && extent >= 0 && "more than one cell");
  StridedView result = *this;
  result.shape[dim] = extent;
  result.strides[dim] = 0;
  return result;
}

//===----------------------------------------------------------------------===//
// ZTensor
//===----------------------------------------------------------------------===//

ZTensor::ZTensor(llvm::ArrayRef<int64_t> shape, int64_t value)
    : view(StridedView::rowMajor(shape)) {
  cells = std::make_shared<std::vector<int64_t>>(view.numCells(), value);
}

ZTensor
ZTensor::generate(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<int64_t(llvm::ArrayRef<int64_t>)> cell) {
  ZTensor result(shape);
  forEachPoint(boxOfShape(shape), [&](llvm::ArrayRef<int64_t> point) {
    result.at(point) = cell(point);
  });
  return result;
}

ZTensor ZTensor::through(StridedView other) const {
  assert(ZRange({0, static_cast<int64_t>(cells->size())})
             .contains(other.places()) &&
         "a view of other cells");
  return ZTensor(cells, std::move(other));
}

ZTensor ZTensor::copy() const {
  return generate(getShape(),
                  [&](llvm::ArrayRef<int64_t> point) { return at(point); });
}

bool ZTensor::operator==(const ZTensor &other) const {
  if (view.shape != other.view.shape)
    return false;
  bool equal = true;
  forEachPoint(boxOfShape(getShape()), [&](llvm::ArrayRef<int64_t> point) {
    equal &= at(point) == other.at(point);
  });
  return equal;
}

static void print(llvm::raw_ostream &os, const ZTensor &tensor, ZPoint point) {
  unsigned dim = point.size();
  if (dim == tensor.getShape().size()) {
    os << tensor.at(point);
    return;
  }
  os << '[';
  point.push_back(0);
  for (int64_t extent = tensor.getShape()[dim]; point[dim] < extent;
       ++point[dim]) {
    if (point[dim] > 0)
      os << ", ";
    print(os, tensor, point);
  }
  os << ']';
}

std::string ZTensor::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, *this, {});
  return text;
}

/// Appends the numbers of nested lists, which have the lengths in `shape` from
/// `depth` on.
static llvm::Error flatten(const llvm::json::Value &value,
                           llvm::ArrayRef<int64_t> shape, size_t depth,
                           std::vector<int64_t> &cells) {
  const llvm::json::Array *list = value.getAsArray();
  if (depth == shape.size()) {
    std::optional<int64_t> cell = value.getAsInteger();
    if (!cell)
      return llvm::createStringError("a cell is no 64-bit integer");
    cells.push_back(*cell);
    return llvm::Error::success();
  }
  if (!list)
    return llvm::createStringError(
        "an integer stands at depth %zu beside lists", depth);
  if (static_cast<int64_t>(list->size()) != shape[depth])
    return llvm::createStringError(
        "a list at depth %zu has %zu entries, but the first has %lld", depth,
        list->size(), static_cast<long long>(shape[depth]));
  for (const llvm::json::Value &entry : *list)
    if (llvm::Error error = flatten(entry, shape, depth + 1, cells))
      return error;
  return llvm::Error::success();
}

llvm::Expected<ZTensor> ZTensor::parse(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return value.takeError();
  llvm::SmallVector<int64_t, 4> shape;
  for (const llvm::json::Value *first = &*value; first->getAsArray();) {
    const llvm::json::Array &list = *first->getAsArray();
    shape.push_back(list.size());
    if (list.empty())
      break;
    first = &list.front();
  }
  std::vector<int64_t> cells;
  if (llvm::Error error = flatten(*value, shape, 0, cells))
    return error;
  return ZTensor(std::make_shared<std::vector<int64_t>>(std::move(cells)),
                 StridedView::rowMajor(shape));
}
