//===- BoxReader.cpp - Boxes of what lies row-major in files --------------===//

#include "IO/BoxReader.h"
#include <algorithm>
#include <cstring>
#include <memory>

using namespace tapestry::rt;

Status tapestry::rt::readBox(BoxRef whole, BoxRef box, int64_t elementSize,
                             char *target, const ReadBytes &readBytes) {
  constexpr int64_t windowLimit = 1 << 20;
  constexpr int64_t longStretch = 64 << 10;
  if (isEmpty(box))
    return Status::success();
  Box last = box.copy();
  for (Range &range : last)
    range.lo = range.hi - 1;
  int64_t end = (offsetIn(whole, last) + 1) * elementSize;
  int64_t begin = offsetIn(whole, box) * elementSize;
  // Together is better while at least an eighth of what is read is used.
  bool together = end - begin <= volume(box) * elementSize * 8;

  std::unique_ptr<char[]> window;
  int64_t windowBegin = 0;
  int64_t windowEnd = 0;
  Status status;
  forEachStretch(whole, box, [&](int64_t offset, int64_t count) {
    if (status.failed())
      return;
    int64_t bytes = count * elementSize;
    offset *= elementSize;
    if (!together || bytes >= longStretch) {
      status = readBytes(target, bytes, offset);
    } else {
      if (offset + bytes > windowEnd) {
        if (!window)
          window.reset(new char[std::min(windowLimit, end - begin)]);
        windowBegin = offset;
        windowEnd = std::min(offset + windowLimit, end);
        status = readBytes(window.get(), windowEnd - windowBegin, offset);
      }
      if (!status.failed())
        std::memcpy(target, window.get() + (offset - windowBegin), bytes);
    }
    target += bytes;
  });
  return status;
}
