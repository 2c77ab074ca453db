//===- Parts.cpp - What collectives pack at a time ------------------------===//

#include "NCCL/Parts.h"
#include <algorithm>

using namespace tapestry::rt;
using namespace tapestry::rt::nccl;

static void addSlices(const Box &box, int64_t mostElements,
                      std::vector<Box> &slices) {
  int64_t elements = volume(box);
  if (elements <= mostElements) {
    slices.push_back(box);
    return;
  }
  size_t dim = 0;
  while (extent(box[dim]) == 1)
    ++dim;
  int64_t rows =
      std::max<int64_t>(mostElements / (elements / extent(box[dim])), 1);
  Box slice = box;
  for (int64_t lo = box[dim].lo; lo < box[dim].hi; lo += rows) {
    slice[dim] = {lo, std::min(lo + rows, box[dim].hi)};
    addSlices(slice, mostElements, slices);
  }
}

std::vector<Box> tapestry::rt::nccl::slicesOf(const Box &box,
                                              int64_t mostElements) {
  std::vector<Box> slices;
  addSlices(box, std::max<int64_t>(mostElements, 1), slices);
  return slices;
}

bool tapestry::rt::nccl::copyPiece(Device &device, void *target, BoxRef to,
                                   const void *source, BoxRef from,
                                   BoxRef piece, int64_t elementSize,
                                   TransportError &error) {
  for (const StretchCopy &copy :
       stretchCopies(target, to, source, from, piece, elementSize))
    if (!device.copyWithin(copy, error))
      return false;
  return true;
}
