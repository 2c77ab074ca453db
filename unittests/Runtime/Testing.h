//===- Testing.h - Files, processes and layouts for tests -------*- C++ -*-===//

#ifndef TAPESTRY_UNITTESTS_RUNTIME_TESTING_H
#define TAPESTRY_UNITTESTS_RUNTIME_TESTING_H

#include "Core/Box.h"
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace tapestry {
namespace rt {
namespace testing {

/// A folder that is gone with the object.
class TempFolder {
public:
  TempFolder();
  ~TempFolder();
  std::string file(const std::string &name) const { return path + "/" + name; }
  const std::string &str() const { return path; }
  /// Names of what lies in it, sorted.
  std::vector<std::string> entries() const;

private:
  std::string path;
};

std::string readFile(const std::string &path);
void writeFile(const std::string &path, const std::string &bytes);
bool fileExists(const std::string &path);

/// An .npy file of any format version; `data` is in the order said.
std::string npyBytes(const std::string &descr, bool fortranOrder,
                     const std::vector<int64_t> &shape, const std::string &data,
                     int major = 1);
/// The data of an .npy file that the runtime wrote (format 1.0).
std::string npyData(const std::string &bytes);

template <typename T> std::string bytesOf(const std::vector<T> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(T));
}
template <typename T> std::vector<T> valuesOf(const std::string &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// All numbers that follow `"key": ` in a JSON text, in order.
std::vector<int64_t> numbersOf(const std::string &json, const std::string &key);

struct ProcessResult {
  int status = -1; ///< exit status, or 128 + signal
  std::string out;
  std::string err;
  double seconds = 0;
};
/// What is left of a program's standard error without the lines of progress
/// that it prints where the machine is so busy that a run takes seconds.
std::string withoutProgress(const std::string &err);
/// Runs a shell command; takes progress out of `err`.
ProcessResult runCommand(const std::string &command);

//===--- Layouts ----------------------------------------------------------===//

Box boxOfShape(const std::vector<int64_t> &shape);
/// Part `index` of [0, extent) in `parts` blocks of ceil(extent / parts); the
/// last are smaller or empty.
Range block(int64_t extent, int64_t parts, int64_t index);
/// Cuts dimension `dim` of a tensor over all devices.
std::vector<Box> cutBoxes(const std::vector<int64_t> &shape, int dim,
                          int devices);
/// A box within `shape`, empty now and then.
Box randomBox(const std::vector<int64_t> &shape, std::mt19937 &random);

/// The elements of `box` of a tensor in row-major order, and back. Slow and
/// plain: one point at a time.
template <typename T>
std::vector<T> extract(const std::vector<T> &tensor,
                       const std::vector<int64_t> &shape, BoxRef box);

/// Calls `visit(offset)` for every point of `box`, row-major, with its offset
/// in a row-major tensor of `shape`.
template <typename Visit>
void forEachPoint(const std::vector<int64_t> &shape, BoxRef box, Visit visit) {
  if (isEmpty(box))
    return;
  Box at = box.copy();
  while (true) {
    int64_t offset = 0;
    for (int dim = 0; dim < box.rank; ++dim)
      offset = offset * shape[dim] + at[dim].lo;
    visit(offset);
    int dim = box.rank - 1;
    for (; dim >= 0; --dim) {
      if (++at[dim].lo < box[dim].hi)
        break;
      at[dim].lo = box[dim].lo;
    }
    if (dim < 0)
      return;
  }
}

template <typename T>
std::vector<T> extract(const std::vector<T> &tensor,
                       const std::vector<int64_t> &shape, BoxRef box) {
  std::vector<T> part;
  forEachPoint(shape, box,
               [&](int64_t offset) { part.push_back(tensor[offset]); });
  return part;
}

template <typename T>
std::vector<T> randomValues(int64_t count, std::mt19937 &random) {
  std::vector<T> values(count);
  std::uniform_int_distribution<int> any(-1000, 1000);
  for (T &value : values)
    value = static_cast<T>(any(random));
  return values;
}

} // namespace testing
} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_UNITTESTS_RUNTIME_TESTING_H
