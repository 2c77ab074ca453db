//===- HeldTensor.cpp - A tensor that stays on its ranks ------------------===//

#include "Memory/HeldTensor.h"
#include <algorithm>

using namespace tapestry::rt;

HeldTensor::HeldTensor(const TapestryTensor &tensor, int64_t ranks)
    : dtype(tensor.dtype), shape(tensor.shape, tensor.shape + tensor.rank),
      boxes(tensor.boxes, tensor.boxes + ranks * tensor.rank), owner(ranks, 1),
      parts(ranks, nullptr) {
  if (tensor.owner)
    owner.assign(tensor.owner, tensor.owner + ranks);
}

HeldTensor::~HeldTensor() {
  for (void *part : parts)
    Arena::free(part);
}

TapestryTensor HeldTensor::table(const char *name) const {
  return {name,         dtype,        static_cast<int32_t>(shape.size()),
          shape.data(), boxes.data(), owner.data()};
}

Status HeldTensor::allocate(Arena &arena, int64_t rank) {
  int64_t bytes = bytesOf(rank);
  parts[rank] = arena.allocate(static_cast<uint64_t>(bytes));
  return parts[rank] ? Status::success() : arena.exhausted(bytes);
}

void tapestry::rt::cutEvenly(const std::vector<int64_t> &shape, int64_t ranks,
                             std::vector<Range> &boxes,
                             std::vector<uint8_t> &owner) {
  auto longest = std::max_element(shape.begin(), shape.end());
  bool cuts = longest != shape.end() && *longest >= ranks;
  boxes.clear();
  owner.assign(ranks, cuts ? 1 : 0);
  owner[0] = 1;
  for (int64_t rank = 0; rank < ranks; ++rank)
    for (auto extent = shape.begin(); extent != shape.end(); ++extent) {
      Range range = {0, *extent};
      if (cuts && extent == longest) {
        int64_t block = (*extent + ranks - 1) / ranks;
        range = {std::min(rank * block, *extent),
                 std::min((rank + 1) * block, *extent)};
      }
      boxes.push_back(range);
    }
}
