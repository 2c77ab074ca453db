//===- Workloads.h - What the kernel benchmark runs -------------*- C++ -*-===//
//
// Each workload is a function `main` over buffers, as the compiler's lowering
// hands it to the code phase, with what it costs.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_UTILS_BENCH_KERNELS_WORKLOADS_H
#define TAPESTRY_UTILS_BENCH_KERNELS_WORKLOADS_H

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct Argument {
  std::string type;
  std::vector<int64_t> shape;
};

struct Workload {
  std::string name;
  std::string ir;
  std::vector<Argument> arguments;
  /// Operations at the rate of an FMA loop; 0 when bound by memory.
  double flops = 0;
  /// Bytes that must move, for workloads bound by memory.
  double bytes = 0;
};

std::vector<Workload> allWorkloads();

/// A product of matrices, m x k by k x n.
Workload product(int64_t m, int64_t n, int64_t k);

} // namespace bench

#endif // TAPESTRY_UTILS_BENCH_KERNELS_WORKLOADS_H
