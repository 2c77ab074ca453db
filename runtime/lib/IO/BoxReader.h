//===- BoxReader.h - Boxes of what lies row-major in files ------*- C++ -*-===//

#ifndef TAPESTRY_RT_IO_BOXREADER_H
#define TAPESTRY_RT_IO_BOXREADER_H

#include "Core/Box.h"
#include "tapestry-rt/Status.h"
#include <functional>

namespace tapestry {
namespace rt {

/// Reads so many bytes from an offset into data.
using ReadBytes =
    std::function<Status(char *target, int64_t bytes, int64_t offset)>;

/// Reads `box` of data in the shape of `whole`, row-major. Stretches of less
/// than a page that are near each other are read together.
Status readBox(BoxRef whole, BoxRef box, int64_t elementSize, char *target,
               const ReadBytes &readBytes);

/// Has the system begin to bring such a box of a file, whose data begins at
/// `offset`, from the disk, gaps and all, where it has many stretches near each
/// other.
void startReading(int fd, int64_t offset, BoxRef whole, BoxRef box,
                  int64_t elementSize);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_IO_BOXREADER_H
