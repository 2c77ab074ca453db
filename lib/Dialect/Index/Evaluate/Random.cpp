//===- Random.cpp - What tapestry_index.random means ----------------------===//

#include "Random.h"
#include "tapestry/Dialect/Index/Evaluate/ScalarProgram.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace tapestry;
using namespace tapestry::reference;

std::array<uint32_t, 4>
tapestry::reference::philox(std::array<uint32_t, 4> counter,
                            std::array<uint32_t, 2> key) {
  for (unsigned round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0];
    uint64_t second = uint64_t(0xCD9E8D57) * counter[2];
    counter = {static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

std::array<uint32_t, 4> tapestry::reference::randomWords(uint64_t counter,
                                                         uint64_t seed,
                                                         uint64_t stream) {
  auto low = [](uint64_t value) { return static_cast<uint32_t>(value); };
  auto high = [](uint64_t value) { return static_cast<uint32_t>(value >> 32); };
  return philox({low(counter), high(counter), low(stream), high(stream)},
                {low(seed), high(seed)});
}

static uint64_t pairOf(const std::array<uint32_t, 4> &words, unsigned number) {
  return uint64_t(words[number + 1]) << 32 | words[number];
}

double tapestry::reference::uniformOf(const std::array<uint32_t, 4> &words,
                                      DType type) {
  if (type == DType::F64)
    return std::ldexp(static_cast<double>(pairOf(words, 0) >> 11), -53);
  int bits = type == DType::F32 ? 24 : type == DType::F16 ? 11 : 8;
  return std::ldexp(words[0] >> (32 - bits), -bits);
}

double tapestry::reference::normalOf(const std::array<uint32_t, 4> &words,
                                     DType type) {
  double u, t;
  if (type == DType::F64) {
    u = std::ldexp(static_cast<double>(pairOf(words, 0) | 1), -64);
    t = std::ldexp(static_cast<double>(static_cast<int64_t>(pairOf(words, 2))),
                   -64);
  } else {
    u = std::ldexp(static_cast<float>(words[0] | 1), -32);
    t = std::ldexp(static_cast<float>(static_cast<int32_t>(words[1])), -32);
  }
  double value = std::sqrt(-2 * std::log(u)) * std::sin(llvm::numbers::pi * t);
  return roundTo(value, type);
}
