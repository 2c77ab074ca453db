//===- Sample.cpp - A standalone program made by hand ---------------------===//
//
// For SAMPLE_DEVICES devices (default 4): reads A, cut by rows, and W, cut by
// rows, and computes with every kind of collective
//   T = A, cut by columns             all_to_all
//   S = the sum over rows k of A[k, i] A[k, j], on every device   all_reduce
//   R = S, cut by rows                reduce_scatter
//   Wn = W + (column sums of A), cut by columns                   all_gather
// SAMPLE_SPIN=R makes rank R compute forever instead; SAMPLE_FEATURE is what
// the program asks of the processor.
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"
#include "Testing.h"
#include <cstdlib>

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

static constexpr int64_t rows = 37;
static constexpr int64_t columns = 11;

namespace {
struct Sample {
  explicit Sample(int devices);
  void compute(TapestryRank *rank, const float *a, const float *w, float *t,
               float *s, float *r, float *wn) const;

  int devices;
  std::vector<Box> byRows, byColumns, whole, squareByRows;
  TestProgram program;
};
} // namespace

static int64_t exchanged(const std::vector<Box> &source,
                         const std::vector<Box> &target) {
  int64_t elements = 0;
  for (size_t device = 0; device < source.size(); ++device)
    elements += volume(target[device]) -
                volume(intersect(target[device], source[device]));
  return elements;
}

Sample::Sample(int devices)
    : devices(devices), byRows(cutBoxes({rows, columns}, 0, devices)),
      byColumns(cutBoxes({rows, columns}, 1, devices)),
      whole(devices, boxOfShape({rows, columns})),
      squareByRows(cutBoxes({columns, columns}, 0, devices)), program(devices) {
  std::vector<uint8_t> all(devices, 1);
  std::vector<uint8_t> first(devices, 0);
  first[0] = 1;
  std::vector<Box> square(devices, boxOfShape({columns, columns}));
  program.input("A", TAPESTRY_F32, {rows, columns}, byRows);
  program.input("W", TAPESTRY_F32, {rows, columns}, byRows);
  program.output("T", TAPESTRY_F32, {rows, columns}, byColumns, all);
  program.output("S", TAPESTRY_F32, {columns, columns}, square, first);
  program.output("R", TAPESTRY_F32, {columns, columns}, squareByRows, all);
  program.output("Wn", TAPESTRY_F32, {rows, columns}, byColumns, all);
  int64_t move = exchanged(byRows, byColumns) * 4;
  int64_t ring = (devices - 1) * columns * columns * 4;
  std::vector<int32_t> together(devices, 0);
  program.exchange(TAPESTRY_ALL_TO_ALL, "A", TAPESTRY_F32, byRows, byColumns,
                   together, move);
  program.reduction(TAPESTRY_ALL_REDUCE, "S", TAPESTRY_F32, square, square,
                    together, devices, addElements<float>, 2 * ring);
  program.reduction(TAPESTRY_REDUCE_SCATTER, "R", TAPESTRY_F32, square,
                    squareByRows, together, devices, addElements<float>, ring);
  program.exchange(TAPESTRY_ALL_GATHER, "W", TAPESTRY_F32, byRows, whole,
                   together, exchanged(byRows, whole) * 4);
  program.vertex("S", 2 * rows * columns * columns);
  program.vertex("Wn", rows * columns);
  program.body = [this](TapestryRank *rank, const void *const *inputs,
                        void *const *outputs) {
    compute(rank, static_cast<const float *>(inputs[0]),
            static_cast<const float *>(inputs[1]),
            static_cast<float *>(outputs[0]), static_cast<float *>(outputs[1]),
            static_cast<float *>(outputs[2]), static_cast<float *>(outputs[3]));
  };
}

void Sample::compute(TapestryRank *rank, const float *a, const float *w,
                     float *t, float *s, float *r, float *wn) const {
  int64_t device = tapestry_rt_device(rank);
  const char *spin = getenv("SAMPLE_SPIN");
  volatile bool forever = true;
  while (spin && atoll(spin) == device && forever)
    ;
  tapestry_rt_vertex(rank, 0);
  auto *partial = static_cast<float *>(
      _mlir_memref_to_llvm_alloc(columns * columns * sizeof(float)));
  for (int64_t cell = 0; cell < columns * columns; ++cell) {
    partial[cell] = 0;
    for (int64_t k = 0; k < extent(byRows[device][0]); ++k)
      partial[cell] +=
          a[k * columns + cell / columns] * a[k * columns + cell % columns];
  }
  tapestry_rt_collective(rank, 1, partial, s);
  tapestry_rt_collective(rank, 2, partial, r);
  _mlir_memref_to_llvm_free(partial);
  tapestry_rt_vertex(rank, 1);
  tapestry_rt_collective(rank, 0, a, t);
  auto *allW = static_cast<float *>(
      _mlir_memref_to_llvm_aligned_alloc(128, rows * columns * sizeof(float)));
  tapestry_rt_collective(rank, 3, w, allW);
  const Range &own = byColumns[device][1];
  for (int64_t j = 0; j < extent(own); ++j) {
    float sum = 0; // in the same order on any number of devices
    for (int64_t i = 0; i < rows; ++i)
      sum += t[i * extent(own) + j];
    for (int64_t i = 0; i < rows; ++i)
      wn[i * extent(own) + j] = allW[i * columns + own.lo + j] + sum;
  }
  _mlir_memref_to_llvm_free(allW);
}

int main(int argc, char **argv) {
  const char *devices = getenv("SAMPLE_DEVICES");
  Sample sample(devices ? atoi(devices) : 4);
  if (const char *feature = getenv("SAMPLE_FEATURE"))
    sample.program.features = {feature};
  return tapestry_rt_main(argc, argv, &sample.program.table());
}
