//===- RandomProgram.h - Random linalg programs -----------------*- C++ -*-===//
//
// One linalg.generic each, drawn over everything that the code phase promises
// to take: element types, combining and element operations, any number of
// labels, windows, diagonals, broadcasts, index-dependent bodies, static and
// run-time extents (zero among them) and strided layouts.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_UNITTESTS_CODEGEN_RANDOMPROGRAM_H
#define TAPESTRY_UNITTESTS_CODEGEN_RANDOMPROGRAM_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tapestry::test {

struct RandomArgument {
  std::string elementType;
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;
  /// Elements of the buffer from its start to its last element.
  int64_t span = 0;
};

struct RandomProgram {
  std::string text;
  /// The last is the result.
  std::vector<RandomArgument> arguments;
  /// Reduction points per result: scales the tolerance.
  int64_t depth = 1;
};

RandomProgram randomProgram(std::mt19937 &random);

} // namespace tapestry::test

#endif // TAPESTRY_UNITTESTS_CODEGEN_RANDOMPROGRAM_H
