//===- EvaluationTest.cpp - Whole programs against direct loops -----------===//

#include "Testing.h"
#include <cmath>

using namespace tapestry;

namespace {

TEST_F(Evaluation, Product) {
  // 150 columns make two batches per pair of rows.
  constexpr int64_t I = 7, J = 53, K = 150;
  Tensors in;
  in["A"] = random(DType::F32, {I, J});
  in["B"] = random(DType::F32, {J, K});
  Tensors out = run("input A : f32[7, 53]\ninput B : f32[53, 150]\n"
                    "C[i, k] = sum[j] A[i, j] * B[j, k]\noutput C\n",
                    in);
  auto a = in["A"].data<float>(), b = in["B"].data<float>();
  ASSERT_EQ(out["C"].describe(), "f32[7, 150]");
  for (int64_t i = 0; i < I; ++i)
    for (int64_t k = 0; k < K; ++k) {
      double sum = 0;
      for (int64_t j = 0; j < J; ++j)
        sum += double(a[i * J + j]) * b[j * K + k];
      ASSERT_EQ(out["C"].data<float>()[i * K + k], static_cast<float>(sum));
    }
}

TEST_F(Evaluation, SumsAndProductsAreRoundedOnce) {
  // With values that differ much in size, plain sums are off in the last bits.
  Tensors in;
  in["X"] = random(DType::F64, {5, 6, 7}, -30, 30);
  Tensors out = run("input X : f64[5, 6, 7]\n"
                    "S[j] = sum[k, i] exp(X[i, j, k])\n"
                    "P[j] = prod[k, i] X[i, j, k]\noutput S, P\n",
                    in);
  auto x = in["X"].data<double>();
  for (int64_t j = 0; j < 6; ++j) {
    long double sum = 0, product = 1;
    for (int64_t k = 0; k < 7; ++k)
      for (int64_t i = 0; i < 5; ++i) {
        sum += std::exp(x[(i * 6 + j) * 7 + k]);
        product *= x[(i * 6 + j) * 7 + k];
      }
    ASSERT_EQ(out["S"].data<double>()[j], static_cast<double>(sum));
    ASSERT_EQ(out["P"].data<double>()[j], static_cast<double>(product));
  }
}

TEST_F(Evaluation, StridedPaddedWindow) {
  Tensors in;
  in["X"] = random(DType::F64, {2, 11, 9});
  in["W"] = random(DType::F64, {3, 4, 3});
  Tensors out = run(
      "input X : f64[2, 11, 9]\ninput W : f64[3, 4, 3]\n"
      "Z[b, o, y:6, x:9] = sum[r, q] pad(X, 0.25)[b, 2*y + r - 2, x - q + 1]"
      " * W[o, r, q]\noutput Z\n",
      in);
  auto x = in["X"].data<double>(), w = in["W"].data<double>();
  auto z = out["Z"].data<double>();
  ASSERT_EQ(z.size(), 2u * 3 * 6 * 9);
  for (int64_t b = 0, n = 0; b < 2; ++b)
    for (int64_t o = 0; o < 3; ++o)
      for (int64_t y = 0; y < 6; ++y)
        for (int64_t c = 0; c < 9; ++c, ++n) {
          long double sum = 0;
          for (int64_t r = 0; r < 4; ++r)
            for (int64_t q = 0; q < 3; ++q) {
              int64_t row = 2 * y + r - 2, column = c - q + 1;
              bool inside = row >= 0 && row < 11 && column >= 0 && column < 9;
              sum += (inside ? x[(b * 11 + row) * 9 + column] : 0.25) *
                     w[(o * 4 + r) * 3 + q];
            }
          ASSERT_EQ(z[n], static_cast<double>(sum));
        }
}

TEST_F(Evaluation, LabelsInTheBody) {
  Tensors in;
  in["X"] = random(DType::F32, {40, 40});
  Tensors out = run("input X : f32[40, 40]\n"
                    "L[i] = sum[j] X[i, j] * [2*j <= i + 3 && !(i == j)]\n"
                    "T[i, j] = select([i + j < 40], X[i, j], X[j, i])\n"
                    "output L, T\n",
                    in);
  auto x = in["X"].data<float>();
  for (int64_t i = 0; i < 40; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < 40; ++j) {
      if (2 * j <= i + 3 && i != j)
        sum += x[i * 40 + j];
      ASSERT_EQ(out["T"].data<float>()[i * 40 + j],
                i + j < 40 ? x[i * 40 + j] : x[j * 40 + i]);
    }
    ASSERT_EQ(out["L"].data<float>()[i], static_cast<float>(sum));
  }
}

TEST_F(Evaluation, IntegersWrapAtTheirWidth) {
  Tensors in;
  in["X"] = random(DType::I8, {300}, -128, 128);
  in["L"] = random(DType::I64, {30}, -9e18, 9e18);
  Tensors out = run("input X : i8[300]\ninput L : i64[30]\n"
                    "S = sum[i] X[i]\nP = prod[i] X[i] + 1 - X[i] * 2\n"
                    "W = sum[i] i32(X[i])\nQ = prod[i] L[i]\n"
                    "N = xor[i] L[i]\nM = max[i] X[i]\nZ = min[i] L[i]\n"
                    "output S, P, W, Q, N, M, Z\n",
                    in);
  int8_t sum = 0, product = 1, largest = -128;
  int32_t wide = 0;
  for (int8_t x : in["X"].data<int8_t>()) {
    sum = static_cast<int8_t>(sum + x);
    product = static_cast<int8_t>(product * static_cast<int8_t>(x + 1 - x * 2));
    wide += x;
    largest = std::max(largest, x);
  }
  uint64_t power = 1, parity = 0;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t l : in["L"].data<int64_t>()) {
    power *= static_cast<uint64_t>(l);
    parity ^= static_cast<uint64_t>(l);
    least = std::min(least, l);
  }
  EXPECT_EQ(out["S"].data<int8_t>()[0], sum);
  EXPECT_EQ(out["P"].data<int8_t>()[0], product);
  EXPECT_EQ(out["W"].data<int32_t>()[0], wide);
  EXPECT_EQ(out["Q"].data<int64_t>()[0], static_cast<int64_t>(power));
  EXPECT_EQ(out["N"].data<int64_t>()[0], static_cast<int64_t>(parity));
  EXPECT_EQ(out["M"].data<int8_t>()[0], largest);
  EXPECT_EQ(out["Z"].data<int64_t>()[0], least);
}

TEST_F(Evaluation, Booleans) {
  Tensors in;
  in["M"] = random(DType::Bool, {9, 6}, -1, 1);
  // Any byte that is not zero is true.
  in["M"].bytes[3] = 0x80;
  Tensors out = run("input M : bool[9, 6]\n"
                    "All[j] = all[i] M[i, j] || [i < 5]\n"
                    "Any[i] = any[j] M[i, j] && !M[i, 0]\n"
                    "Odd[j] = xor[i] M[i, j]\n"
                    "Count = sum[i, j] i32(M[i, j])\n"
                    "Same[i, j] = M[i, j] == [i <= j]\n"
                    "output All, Any, Odd, Count, Same\n",
                    in);
  auto m = [&](int64_t i, int64_t j) {
    return in["M"].data<uint8_t>()[i * 6 + j] != 0;
  };
  int32_t count = 0;
  for (int64_t j = 0; j < 6; ++j) {
    bool all = true, odd = false;
    for (int64_t i = 0; i < 9; ++i) {
      all &= m(i, j) || i < 5;
      odd ^= m(i, j);
      count += m(i, j);
      EXPECT_EQ(out["Same"].data<uint8_t>()[i * 6 + j], m(i, j) == (i <= j));
    }
    EXPECT_EQ(out["All"].data<uint8_t>()[j], all);
    EXPECT_EQ(out["Odd"].data<uint8_t>()[j], odd);
  }
  for (int64_t i = 0; i < 9; ++i) {
    bool any = false;
    for (int64_t j = 0; j < 6; ++j)
      any |= m(i, j) && !m(i, 0);
    EXPECT_EQ(out["Any"].data<uint8_t>()[i], any);
  }
  EXPECT_EQ(out["Count"].data<int32_t>()[0], count);
}

TEST_F(Evaluation, NarrowFloatsRoundOnce) {
  for (bool isBrain : {false, true}) {
    DType dtype = isBrain ? DType::BF16 : DType::F16;
    auto decode = isBrain ? decodeBF16 : decodeF16;
    auto encode = isBrain ? encodeBF16 : encodeF16;
    std::string type = stringify(dtype).str();
    Tensors in;
    in["X"] = random(dtype, {200}, -3, 3);
    Tensors out = run("input X : " + type + "[200]\nS = sum[i] X[i] * X[i]\n" +
                          "Y[i] = X[i] * X[i] - 1\n" + "R[i] = " + type +
                          "(X[i] * X[i]) - 1\noutput S, Y, R\n",
                      in);
    double sum = 0;
    for (auto [i, bits] : llvm::enumerate(in["X"].data<uint16_t>())) {
      double x = decode(bits);
      sum += x * x;
      EXPECT_EQ(out["Y"].data<uint16_t>()[i], encode(x * x - 1));
      EXPECT_EQ(out["R"].data<uint16_t>()[i],
                encode(decode(encode(x * x)) - 1));
    }
    EXPECT_EQ(out["S"].data<uint16_t>()[0], encode(sum));
  }
}

TEST_F(Evaluation, SoftmaxRowsAddUpToOne) {
  Tensors in;
  in["X"] = random(DType::F64, {6, 31}, -400, 400);
  Tensors out = run("input X : f64[6, 31]\nY[i, j] = softmax[j] X[i, j]\n"
                    "output Y\n",
                    in);
  auto x = in["X"].data<double>(), y = out["Y"].data<double>();
  for (int64_t i = 0; i < 6; ++i) {
    auto row = x.slice(i * 31, 31);
    double largest = *std::max_element(row.begin(), row.end()), sum = 0;
    for (double value : row)
      sum += std::exp(value - largest);
    for (int64_t j = 0; j < 31; ++j)
      ASSERT_DOUBLE_EQ(y[i * 31 + j], std::exp(row[j] - largest) / sum);
  }
}

TEST_F(Evaluation, TheNumberOfThreadsDoesNotShow) {
  Tensors in;
  in["A"] = random(DType::F32, {70, 90});
  in["B"] = random(DType::F32, {90, 110});
  llvm::StringRef text = "input A : f32[70, 90]\ninput B : f32[90, 110]\n"
                         "C[i, k] = sum[j] tanh(A[i, j]) * B[j, k]\n"
                         "D = sum[i, k] C[i, k]\noutput C, D\n";
  Tensors one = run(text, in, 1);
  for (unsigned threads : {2, 3, 7}) {
    Tensors many = run(text, in, threads);
    EXPECT_EQ(one["C"].bytes, many["C"].bytes);
    EXPECT_EQ(one["D"].bytes, many["D"].bytes);
  }
}

TEST_F(Evaluation, CustomMonoid) {
  // The value of largest magnitude, starting from 0.
  llvm::StringRef text = R"(tapestry.graph @g {
    %X = tapestry.source "X" : tensor<9x17xf32>
    %M = tapestry.einsum "M" [i = 9, j = 17] (%X[i, j]) -> [i] reduce custom {
    ^bb0(%x: f32):
      tapestry.yield %x : f32
    } combine {
    ^bb0(%a: f32, %b: f32):
      %p = math.absf %a : f32
      %q = math.absf %b : f32
      %c = arith.cmpf oge, %p, %q : f32
      %r = arith.select %c, %a, %b : f32
      tapestry.yield %r : f32
    } identity 0.0 : f32 : (tensor<9x17xf32>) -> tensor<9xf32>
    tapestry.sink "M", %M : tensor<9xf32>
  })";
  Tensors in;
  in["X"] = random(DType::F32, {9, 17});
  Tensors out = run(text, in);
  auto x = in["X"].data<float>();
  for (int64_t i = 0; i < 9; ++i) {
    float best = 0;
    for (int64_t j = 0; j < 17; ++j)
      if (std::fabs(x[i * 17 + j]) > std::fabs(best))
        best = x[i * 17 + j];
    EXPECT_EQ(out["M"].data<float>()[i], best);
  }
}

TEST_F(Evaluation, EmptyReductionIsTheIdentity) {
  llvm::StringRef text = R"(tapestry.graph @g {
    %X = tapestry.source "X" : tensor<3x0xi32>
    %P = tapestry.einsum "P" [i = 3, j = 0] (%X[i, j]) -> [i] reduce mul {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<3x0xi32>) -> tensor<3xi32>
    %M = tapestry.einsum "M" [i = 3, j = 0] (%X[i, j]) -> [i] reduce max {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<3x0xi32>) -> tensor<3xi32>
    tapestry.sink "P", %P : tensor<3xi32>
    tapestry.sink "M", %M : tensor<3xi32>
    tapestry.sink "X", %X : tensor<3x0xi32>
  })";
  Tensors in;
  in["X"] = random(DType::I32, {3, 0});
  Tensors out = run(text, in);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(out["P"].data<int32_t>()[i], 1);
    EXPECT_EQ(out["M"].data<int32_t>()[i], std::numeric_limits<int32_t>::min());
  }
  EXPECT_EQ(out["X"].numElements(), 0);
}

TEST_F(Evaluation, ErrorsNameTheTensor) {
  llvm::StringRef text = "input A : f32[4]\ninput B : i8[2, 3]\n"
                         "C[i] = A[i] * 2\noutput C, B\n";
  Tensors in;
  in["A"] = random(DType::F32, {4});
  EXPECT_EQ(errorOf(text, in), "input 'B' of type i8[2, 3] is missing");
  in["B"] = random(DType::I16, {2, 3});
  EXPECT_EQ(errorOf(text, in),
            "input 'B' is i16[2, 3], but the program has i8[2, 3]");
  in["B"] = random(DType::I8, {3, 2});
  EXPECT_EQ(errorOf(text, in),
            "input 'B' is i8[3, 2], but the program has i8[2, 3]");
  in["B"] = random(DType::I8, {2, 3});
  EXPECT_EQ(errorOf(text, in), "");
  in["B"].bytes.pop_back();
  EXPECT_EQ(errorOf(text, in), "input 'B' has 5 bytes, but i8[2, 3] needs 6");
  in["B"] = random(DType::I8, {2, 3});
  in["Z"] = random(DType::I8, {2, 3});
  EXPECT_EQ(errorOf(text, in),
            "the program has no input 'Z'; its inputs are A, B");
}

TEST_F(Evaluation, UnknownOperationIsAnError) {
  llvm::StringRef text = R"(tapestry.graph @g {
    %X = tapestry.source "X" : tensor<3xi32>
    %P = tapestry.einsum "P" [i = 3] (%X[i]) -> [i] {
    ^bb0(%x: i32):
      %p = math.ctpop %x : i32
      tapestry.yield %p : i32
    } : (tensor<3xi32>) -> tensor<3xi32>
    tapestry.sink "P", %P : tensor<3xi32>
  })";
  Tensors in;
  in["X"] = random(DType::I32, {3});
  std::string message = errorOf(text, in);
  EXPECT_NE(message.find("vertex 'P'"), std::string::npos) << message;
  EXPECT_NE(message.find("does not know 'math.ctpop'"), std::string::npos)
      << message;
}

TEST_F(Evaluation, UnknownOperationOfAMonoidIsAnError) {
  llvm::StringRef text = R"(tapestry.graph @g {
    %X = tapestry.source "X" : tensor<3xi32>
    %P = tapestry.scan "P" ["i"] <custom> along "i" %X combine {
    ^bb0(%a: i32, %b: i32):
      %p = math.ctpop %b : i32
      tapestry.yield %p : i32
    } identity 0 : i32 : (tensor<3xi32>) -> tensor<3xi32>
    tapestry.sink "P", %P : tensor<3xi32>
  })";
  Tensors in;
  in["X"] = random(DType::I32, {3});
  std::string message = errorOf(text, in);
  EXPECT_NE(message.find("vertex 'P'"), std::string::npos) << message;
  EXPECT_NE(message.find("does not know 'math.ctpop'"), std::string::npos)
      << message;
}

// What lies ahead comes first, so that a monoid need not commute.
TEST_F(Evaluation, RunningValuesKeepTheirOrder) {
  llvm::StringRef text = "input X : i32[6]\n"
                         "monoid last(a, b) = select(b == 0, a, b) identity 0\n"
                         "C[i] = scan last[i] X[i]\noutput C\n";
  Tensors in;
  in["X"] = tensorOf<int32_t>(DType::I32, {6}, {0, 4, 0, 0, -7, 0});
  Tensors out = run(text, in);
  EXPECT_EQ(out["C"].data<int32_t>(),
            llvm::ArrayRef<int32_t>({0, 4, 4, 4, -7, -7}));
}

// 1 is lost beside 1e100, and counted once that is gone.
TEST_F(Evaluation, SumsAreRoundedOnce) {
  llvm::StringRef text = "input X : f64[4]\ninput A : i32[4]\n"
                         "C[i] = cumsum[i] X[i]\n"
                         "S[A[i]:2] = sum[i] X[i]\noutput C, S\n";
  Tensors in;
  in["X"] = tensorOf<double>(DType::F64, {4}, {1, 1e100, 1, -1e100});
  in["A"] = tensorOf<int32_t>(DType::I32, {4}, {1, 1, 1, 1});
  Tensors out = run(text, in);
  EXPECT_EQ(out["C"].data<double>(),
            llvm::ArrayRef<double>({1, 1e100, 1e100, 2}));
  EXPECT_EQ(out["S"].data<double>(), llvm::ArrayRef<double>({0, 2}));
}

} // namespace
