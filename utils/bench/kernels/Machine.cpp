//===- Machine.cpp - The limits of this machine, measured -----------------===//
//
// An FMA loop and a copy loop.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include <algorithm>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bench {

double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

double medianSeconds(int runs, const std::function<void()> &fn) {
  fn();
  double start = now();
  fn();
  int repeat = std::clamp(int(0.01 / (now() - start + 1e-9)), 1, 1000000);
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) {
    start = now();
    for (int i = 0; i < repeat; ++i)
      fn();
    times.push_back((now() - start) / repeat);
  }
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[runs / 2];
}

static volatile float sink;

#if defined(__x86_64__)
__attribute__((target("avx512f"), noinline)) static void fma512(long n) {
  __m512 a[16], x = _mm512_set1_ps(1.0000001f), y = _mm512_set1_ps(1e-9f);
  for (int i = 0; i < 16; ++i)
    a[i] = _mm512_set1_ps(float(i));
  for (long k = 0; k < n; ++k) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i)
      a[i] = _mm512_fmadd_ps(a[i], x, y);
    asm volatile("" : : "v"(a[0]));
  }
  __m512 s = a[0];
  for (int i = 1; i < 16; ++i)
    s = _mm512_add_ps(s, a[i]);
  sink = _mm512_reduce_add_ps(s);
}

__attribute__((target("avx2,fma"), noinline)) static void fma256(long n) {
  __m256 a[12], x = _mm256_set1_ps(1.0000001f), y = _mm256_set1_ps(1e-9f);
  for (int i = 0; i < 12; ++i)
    a[i] = _mm256_set1_ps(float(i));
  for (long k = 0; k < n; ++k) {
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i)
      a[i] = _mm256_fmadd_ps(a[i], x, y);
    asm volatile("" : : "x"(a[0]));
  }
  __m256 s = a[0];
  for (int i = 1; i < 12; ++i)
    s = _mm256_add_ps(s, a[i]);
  sink = _mm256_cvtss_f32(s);
}
#endif

double peakFlops(bool narrow) {
  const long n = 200000;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && !narrow)
    return n * 16 * 32 / medianSeconds(3, [] { fma512(n); });
  if (__builtin_cpu_supports("fma"))
    return n * 12 * 16 / medianSeconds(3, [] { fma256(n); });
#endif
  float a[8] = {};
  return n * 16 / medianSeconds(3, [&] {
           for (long k = 0; k < n; ++k)
             for (float &x : a)
               x = x * 1.0000001f + 1e-9f;
           sink = a[0];
         });
}

double copyBytes() {
  const size_t bytes = size_t(64) << 20;
  static std::unique_ptr<char[]> from(new char[bytes]), to(new char[bytes]);
  static bool touched = false;
  if (!touched) {
    memset(from.get(), 1, bytes);
    memset(to.get(), 2, bytes);
    touched = true;
  }
  // Eight-byte elements, as a compiled loop would copy them; memcpy itself may
  // use stores that bypass the caches.
  return 2.0 * bytes / medianSeconds(3, [&] {
           const auto *source = reinterpret_cast<const uint64_t *>(from.get());
           auto *target = reinterpret_cast<uint64_t *>(to.get());
           for (size_t i = 0; i < bytes / 8; ++i) {
             target[i] = source[i];
             asm volatile("");
           }
         });
}

} // namespace bench
