//===- OperationsTest.cpp - Each scalar operation against C++ -------------===//

#include "Testing.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <limits>

using namespace tapestry;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// Values that operations treat in a special way, and random ones.
HostTensor specialFloats(std::mt19937 &random, int64_t count) {
  std::vector<double> values = {
      0.0,          -0.0,         inf,    -inf,    std::nan(""), 1.0,    -1.0,
      0.5,          127.0,        127.9,  128.0,   -128.0,       -128.9, -129.0,
      2147483647.0, 2147483648.0, 9.3e18, -9.3e18, 1e300};
  std::uniform_real_distribution<double> draw(-200, 200);
  while (static_cast<int64_t>(values.size()) < count)
    values.push_back(draw(random));
  values.resize(count);
  return tensorOf<double>(DType::F64, {count}, values);
}

bool sameBits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         (a == b && std::signbit(a) == std::signbit(b));
}

class Operations : public Evaluation {
protected:
  /// Applies one operation of two f64 operands to every pair of special values.
  void checkFloats(llvm::StringRef op, double (*expected)(double, double)) {
    constexpr int64_t n = 40;
    Tensors in;
    in["X"] = specialFloats(generator, n);
    std::string text = llvm::formatv(R"(tapestry.graph @g {{
    %X = tapestry.source "X" : tensor<{0}xf64>
    %Z = tapestry.einsum "Z" [i = {0}, j = {0}] (%X[i], %X[j]) -> [i, j] {{
    ^bb0(%x: f64, %y: f64):
      %z = {1} %x, %y : f64
      tapestry.yield %z : f64
    } : (tensor<{0}xf64>, tensor<{0}xf64>) -> tensor<{0}x{0}xf64>
    tapestry.sink "Z", %Z : tensor<{0}x{0}xf64>
  })",
                                     n, op);
    Tensors out = run(text, in);
    auto x = in["X"].data<double>(), z = out["Z"].data<double>();
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        ASSERT_TRUE(sameBits(z[i * n + j], expected(x[i], x[j])))
            << op.str() << " of " << x[i] << " and " << x[j] << " is "
            << z[i * n + j];
  }

  /// The same for i8 operands, all pairs of values.
  void checkBytes(llvm::StringRef op, int64_t (*expected)(int64_t, int64_t),
                  llvm::StringRef result = "i8") {
    std::vector<int8_t> values;
    for (int value = -128; value < 128; ++value)
      values.push_back(static_cast<int8_t>(value));
    Tensors in;
    in["X"] = tensorOf<int8_t>(DType::I8, {256}, values);
    std::string text = llvm::formatv(R"(tapestry.graph @g {{
    %X = tapestry.source "X" : tensor<256xi8>
    %Z = tapestry.einsum "Z" [i = 256, j = 256] (%X[i], %X[j]) -> [i, j] {{
    ^bb0(%x: i8, %y: i8):
      %z = {0} %x, %y : i8
      tapestry.yield %z : {1}
    } : (tensor<256xi8>, tensor<256xi8>) -> tensor<256x256x{1}>
    tapestry.sink "Z", %Z : tensor<256x256x{1}>
  })",
                                     op, result);
    Tensors out = run(text, in);
    auto z = out["Z"].data<int8_t>();
    for (int64_t i = 0; i < 256; ++i)
      for (int64_t j = 0; j < 256; ++j)
        ASSERT_EQ(z[i * 256 + j],
                  static_cast<int8_t>(expected(values[i], values[j])))
            << op.str() << " of " << int(values[i]) << " and "
            << int(values[j]);
  }
};

double maximumOf(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::nan("");
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

TEST_F(Operations, FloatArithmetic) {
  checkFloats("arith.addf", [](double a, double b) { return a + b; });
  checkFloats("arith.subf", [](double a, double b) { return a - b; });
  checkFloats("arith.mulf", [](double a, double b) { return a * b; });
  checkFloats("arith.divf", [](double a, double b) { return a / b; });
  checkFloats("arith.remf", [](double a, double b) { return std::fmod(a, b); });
  checkFloats("arith.maximumf", maximumOf);
  checkFloats("arith.minimumf",
              [](double a, double b) { return -maximumOf(-a, -b); });
  checkFloats("math.powf", [](double a, double b) { return std::pow(a, b); });
  checkFloats("math.atan2",
              [](double a, double b) { return std::atan2(a, b); });
  checkFloats("math.copysign",
              [](double a, double b) { return std::copysign(a, b); });
}

int64_t toByte(int64_t value) { return static_cast<int8_t>(value); }

TEST_F(Operations, IntegerArithmetic) {
  using Int = int64_t;
  checkBytes("arith.addi", [](Int a, Int b) { return a + b; });
  checkBytes("arith.subi", [](Int a, Int b) { return a - b; });
  checkBytes("arith.muli", [](Int a, Int b) { return a * b; });
  checkBytes("arith.divsi", [](Int a, Int b) { return b ? a / b : 0; });
  checkBytes("arith.remsi", [](Int a, Int b) { return b ? a % b : 0; });
  checkBytes("arith.divui",
             [](Int a, Int b) { return b ? (a & 255) / (b & 255) : 0; });
  checkBytes("arith.remui",
             [](Int a, Int b) { return b ? (a & 255) % (b & 255) : 0; });
  checkBytes("arith.floordivsi", [](Int a, Int b) {
    return b ? Int(std::floor(double(a) / double(b))) : 0;
  });
  checkBytes("arith.ceildivsi", [](Int a, Int b) {
    return b ? Int(std::ceil(double(a) / double(b))) : 0;
  });
  checkBytes("arith.andi", [](Int a, Int b) { return a & b; });
  checkBytes("arith.ori", [](Int a, Int b) { return a | b; });
  checkBytes("arith.xori", [](Int a, Int b) { return a ^ b; });
  checkBytes("arith.maxsi", [](Int a, Int b) { return std::max(a, b); });
  checkBytes("arith.minsi", [](Int a, Int b) { return std::min(a, b); });
  checkBytes("arith.maxui",
             [](Int a, Int b) { return std::max(a & 255, b & 255); });
  checkBytes("arith.minui",
             [](Int a, Int b) { return std::min(a & 255, b & 255); });
  checkBytes("arith.shli", [](Int a, Int b) {
    return (b & 255) < 8 ? a * (Int(1) << (b & 255)) : 0;
  });
  checkBytes("arith.shrsi",
             [](Int a, Int b) { return a >> std::min<Int>(b & 255, 63); });
  checkBytes("arith.shrui", [](Int a, Int b) {
    return (b & 255) < 8 ? (a & 255) >> (b & 255) : 0;
  });
  checkBytes("math.ipowi", [](Int a, Int b) {
    if (b < 0)
      return a == 1 ? Int(1) : a == -1 ? (b % 2 ? Int(-1) : Int(1)) : Int(0);
    Int result = 1;
    for (; b > 0; --b)
      result = toByte(result * a);
    return result;
  });
}

TEST_F(Operations, Comparisons) {
  using Int = int64_t;
  checkBytes("arith.cmpi eq,", [](Int a, Int b) { return Int(a == b); }, "i1");
  checkBytes("arith.cmpi ne,", [](Int a, Int b) { return Int(a != b); }, "i1");
  checkBytes("arith.cmpi slt,", [](Int a, Int b) { return Int(a < b); }, "i1");
  checkBytes("arith.cmpi sge,", [](Int a, Int b) { return Int(a >= b); }, "i1");
  checkBytes(
      "arith.cmpi ult,",
      [](Int a, Int b) { return Int((a & 255) < (b & 255)); }, "i1");
  checkBytes(
      "arith.cmpi uge,",
      [](Int a, Int b) { return Int((a & 255) >= (b & 255)); }, "i1");

  constexpr int64_t n = 24;
  Tensors in;
  in["X"] = specialFloats(generator, n);
  Tensors out = run("input X : f64[24]\nA[i, j] = X[i] < X[j]\n"
                    "B[i, j] = X[i] >= X[j]\nC[i, j] = X[i] == X[j]\n"
                    "D[i, j] = X[i] != X[j]\noutput A, B, C, D\n",
                    in);
  auto x = in["X"].data<double>();
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      EXPECT_EQ(out["A"].data<uint8_t>()[i * n + j], x[i] < x[j]);
      EXPECT_EQ(out["B"].data<uint8_t>()[i * n + j], x[i] >= x[j]);
      EXPECT_EQ(out["C"].data<uint8_t>()[i * n + j], x[i] == x[j]);
      EXPECT_EQ(out["D"].data<uint8_t>()[i * n + j], x[i] != x[j]);
    }
}

TEST_F(Operations, Functions) {
  struct Row {
    llvm::StringRef call;
    double (*expected)(double);
  };
  const Row rows[] = {
      {"abs", [](double x) { return std::fabs(x); }},
      {"exp", [](double x) { return std::exp(x); }},
      {"log", [](double x) { return std::log(x); }},
      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"sin", [](double x) { return std::sin(x); }},
      {"cos", [](double x) { return std::cos(x); }},
      {"tanh", [](double x) { return std::tanh(x); }},
      {"erf", [](double x) { return std::erf(x); }},
      // The quotient whose parts cannot overflow.
      {"sigmoid",
       [](double x) {
         double e = std::exp(-std::fabs(x));
         return (x < 0 ? e : 1) / (1 + e);
       }},
      {"floor", [](double x) { return std::floor(x); }},
      {"ceil", [](double x) { return std::ceil(x); }},
  };
  Tensors in;
  in["X"] = specialFloats(generator, 300);
  for (const Row &row : rows) {
    Tensors out = run("input X : f64[300]\nY[i] = " + row.call.str() +
                          "(X[i])\noutput Y\n",
                      in);
    for (auto [x, y] :
         llvm::zip(in["X"].data<double>(), out["Y"].data<double>()))
      EXPECT_TRUE(sameBits(y, row.expected(x)))
          << row.call.str() << " of " << x << " is " << y;
  }
}

/// Truncated, saturated, 0 for NaN.
template <typename Int> Int saturate(double value) {
  if (std::isnan(value))
    return 0;
  if (value <= static_cast<double>(std::numeric_limits<Int>::min()))
    return std::numeric_limits<Int>::min();
  if (value >= static_cast<double>(std::numeric_limits<Int>::max()))
    return std::numeric_limits<Int>::max();
  return static_cast<Int>(value);
}

TEST_F(Operations, CastsToIntegersSaturate) {
  Tensors in;
  in["X"] = specialFloats(generator, 60);
  Tensors out = run("input X : f64[60]\nA[i] = i8(X[i])\nB[i] = i16(X[i])\n"
                    "C[i] = i32(X[i])\nD[i] = i64(X[i])\nE[i] = bool(X[i])\n"
                    "F[i] = i32(f32(X[i]))\noutput A, B, C, D, E, F\n",
                    in);
  for (auto [i, x] : llvm::enumerate(in["X"].data<double>())) {
    EXPECT_EQ(out["A"].data<int8_t>()[i], saturate<int8_t>(x)) << x;
    EXPECT_EQ(out["B"].data<int16_t>()[i], saturate<int16_t>(x)) << x;
    EXPECT_EQ(out["C"].data<int32_t>()[i], saturate<int32_t>(x)) << x;
    EXPECT_EQ(out["D"].data<int64_t>()[i], saturate<int64_t>(x)) << x;
    EXPECT_EQ(out["E"].data<uint8_t>()[i], x != 0) << x;
    EXPECT_EQ(out["F"].data<int32_t>()[i],
              saturate<int32_t>(static_cast<float>(x)))
        << x;
  }
}

TEST_F(Operations, CastsBetweenOtherTypes) {
  Tensors in;
  in["L"] = random(DType::I64, {80}, -9e18, 9e18);
  in["K"] = random(DType::I8, {80}, -128, 128);
  in["X"] = random(DType::F64, {80}, -7e4, 7e4);
  in["M"] = random(DType::Bool, {80});
  Tensors out = run("input L : i64[80]\ninput K : i8[80]\ninput X : f64[80]\n"
                    "input M : bool[80]\n"
                    "A[i] = i16(L[i])\nB[i] = i32(K[i])\nC[i] = f32(L[i])\n"
                    "D[i] = f16(X[i])\nE[i] = f64(K[i]) + f64(M[i])\n"
                    "F[i] = i8(M[i])\nG[i] = bf16(X[i])\n"
                    "output A, B, C, D, E, F, G\n",
                    in);
  for (int64_t i = 0; i < 80; ++i) {
    int64_t l = in["L"].data<int64_t>()[i];
    int8_t k = in["K"].data<int8_t>()[i];
    double x = in["X"].data<double>()[i];
    bool m = in["M"].data<uint8_t>()[i];
    EXPECT_EQ(out["A"].data<int16_t>()[i], static_cast<int16_t>(l));
    EXPECT_EQ(out["B"].data<int32_t>()[i], k);
    EXPECT_EQ(out["C"].data<float>()[i], static_cast<float>(l));
    EXPECT_EQ(out["D"].data<uint16_t>()[i], encodeF16(x));
    EXPECT_EQ(out["E"].data<double>()[i], k + m);
    EXPECT_EQ(out["F"].data<int8_t>()[i], m);
    EXPECT_EQ(out["G"].data<uint16_t>()[i], encodeBF16(x));
  }
}

TEST_F(Operations, DivisionOfTheLanguage) {
  std::vector<int32_t> values = {0,
                                 1,
                                 -1,
                                 7,
                                 -7,
                                 2,
                                 std::numeric_limits<int32_t>::min(),
                                 std::numeric_limits<int32_t>::max()};
  Tensors in;
  in["X"] = tensorOf<int32_t>(DType::I32, {8}, values);
  Tensors out = run("input X : i32[8]\nQ[i, j] = X[i] / X[j]\n"
                    "N[i] = X[i] / -1\nH[i] = X[i] / 2\noutput Q, N, H\n",
                    in);
  for (int64_t i = 0; i < 8; ++i) {
    int64_t x = values[i];
    EXPECT_EQ(out["N"].data<int32_t>()[i], static_cast<int32_t>(-x));
    EXPECT_EQ(out["H"].data<int32_t>()[i], x / 2);
    for (int64_t j = 0; j < 8; ++j) {
      int64_t y = values[j];
      EXPECT_EQ(out["Q"].data<int32_t>()[i * 8 + j],
                y == 0 ? 0 : static_cast<int32_t>(x / y));
    }
  }
}

TEST_F(Operations, MaximaHandNaNsOn) {
  std::vector<double> values = {1, -3, 2, -0.0, 0.0, 5, std::nan(""), 1};
  Tensors in;
  in["X"] = tensorOf<double>(DType::F64, {2, 4}, values);
  Tensors out = run("input X : f64[2, 4]\nH[i] = max[j] X[i, j]\n"
                    "L[i] = min[j] X[i, j]\noutput H, L\n",
                    in);
  EXPECT_EQ(out["H"].data<double>()[0], 2);
  EXPECT_EQ(out["L"].data<double>()[0], -3);
  EXPECT_TRUE(std::isnan(out["H"].data<double>()[1]));
  EXPECT_TRUE(std::isnan(out["L"].data<double>()[1]));
}

} // namespace
