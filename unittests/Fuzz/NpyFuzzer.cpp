//===- NpyFuzzer.cpp - Any bytes as a .npy file ---------------------------===//

#include "Core/Types.h"
#include "IO/TensorFile.h"
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace tapestry::rt;

/// A file in memory, under a path.
struct MemoryFile {
  MemoryFile(const uint8_t *data, size_t size) : fd(memfd_create("npy", 0)) {
    if (fd < 0 || write(fd, data, size) != static_cast<ssize_t>(size))
      abort();
    path = "/proc/self/fd/" + std::to_string(fd);
  }
  ~MemoryFile() { close(fd); }
  int fd;
  std::string path;
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MemoryFile file(data, size);
  NpyHeader header;
  if (readNpyHeader(file.fd, static_cast<int64_t>(size), header).failed())
    return 0;
  static const int64_t shape[] = {3, 5};
  static const Range whole[] = {{0, 3}, {0, 5}};
  static const Range part[] = {{1, 3}, {2, 4}};
  for (int32_t dtype = 0; isKnownDType(dtype); ++dtype) {
    TapestryTensor tensor{"A", dtype, 2, shape, whole, nullptr};
    InputFile input;
    if (input.open(file.path, tensor).failed())
      continue;
    double elements[15];
    for (BoxRef box : {BoxRef(whole, 2), BoxRef(part, 2)})
      if (input.read(box, elements).failed())
        abort(); // it was checked when it was opened
  }
  return 0;
}
