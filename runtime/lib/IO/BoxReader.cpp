//===- BoxReader.cpp - Boxes of what lies row-major in files --------------===//

#include "IO/BoxReader.h"
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <memory>

using namespace tapestry::rt;

namespace {
/// The bytes from the first to the last element of a box that is not empty.
struct Span {
  Span(BoxRef whole, BoxRef box, int64_t elementSize) {
    Box last = box.copy();
    for (Range &range : last)
      range.lo = range.hi - 1;
    begin = offsetIn(whole, box) * elementSize;
    end = (offsetIn(whole, last) + 1) * elementSize;
    used = volume(box) * elementSize;
  }
  /// Together is better while at least an eighth of what is read is used.
  bool isDense() const { return end - begin <= used * 8; }
  int64_t begin, end, used;
};
} // namespace

void tapestry::rt::startReading(int fd, int64_t offset, BoxRef whole,
                                BoxRef box, int64_t elementSize) {
  if (isEmpty(box))
    return;
  constexpr int64_t least = 64 << 10;
  Span span(whole, box, elementSize);
  if (span.used >= least && span.end - span.begin > span.used && span.isDense())
    (void)posix_fadvise(fd, offset + span.begin, span.end - span.begin,
                        POSIX_FADV_WILLNEED);
}

Status tapestry::rt::readBox(BoxRef whole, BoxRef box, int64_t elementSize,
                             char *target, const ReadBytes &readBytes) {
  constexpr int64_t windowLimit = 1 << 20;
  // What is in the system's cache comes faster without the gaps.
  constexpr int64_t longStretch = 4 << 10;
  if (isEmpty(box))
    return Status::success();
  Span span(whole, box, elementSize);
  bool together = span.isDense();

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
          window.reset(new char[std::min(windowLimit, span.end - span.begin)]);
        windowBegin = offset;
        windowEnd = std::min(offset + windowLimit, span.end);
        status = readBytes(window.get(), windowEnd - windowBegin, offset);
      }
      if (!status.failed())
        std::memcpy(target, window.get() + (offset - windowBegin), bytes);
    }
    target += bytes;
  });
  return status;
}
