//===- Npy.h - The header of NumPy's file format ----------------*- C++ -*-===//
//
// Reads the header of .npy files of format 1.0, 2.0 and 3.0 and writes format
// 1.0. Little endian only. Element types:
//
//   f64 <f8   f32 <f4   f16 <f2   i64 <i8   i32 <i4   i16 <i2   i8 |i1
//   bool |b1
//
// NumPy has no bf16: its two bytes are written as <V2, which is what the
// ml_dtypes package writes; <V2, |V2 and <u2 are read as bf16 (docs/Ein.md).
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_IO_NPY_H
#define TAPESTRY_RT_IO_NPY_H

#include "tapestry-rt/Status.h"
#include <vector>

namespace tapestry {
namespace rt {

struct NpyHeader {
  /// "<f4"; a structured type is kept as it was written: "[('x', '<f4')]".
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  /// Where the data begins in the file.
  int64_t dataOffset = 0;
};

/// Reads the header of the open file `fd`, `fileBytes` long. Messages are
/// without the file's name.
Status readNpyHeader(int fd, int64_t fileBytes, NpyHeader &header);

/// Whether data of this descr can be taken as `dtype`.
bool descrMatches(const std::string &descr, int32_t dtype);
/// The type that data of this descr has by itself, -1 where none; two bytes
/// without a meaning are bf16.
int32_t dtypeOfDescr(const std::string &descr);
/// What a message says of a descr: "f64 ('<f8')".
std::string descrText(const std::string &descr);

/// The header of a file for a tensor in C order; a multiple of 64 bytes.
std::string makeNpyHeader(int32_t dtype, const int64_t *shape, int rank);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_IO_NPY_H
