//===- AnalysisTest.cpp - Extents, operands and recovery ------------------===//
//
// What test/Import/Ein does not show through IR: extents over many random
// windows against a search, and what is still reported after an error.
//
//===----------------------------------------------------------------------===//

#include "Testing.h"
#include "gtest/gtest.h"
#include <random>

using namespace tapestry::ein;
using testing::AssertionFailure;
using testing::AssertionResult;
using testing::AssertionSuccess;

namespace {

/// The largest extent of y for which a*y + b*r + c stays in [0, n), r in [0,
/// e). 0 when there is none.
int64_t largestExtent(int64_t n, int64_t a, int64_t b, int64_t e, int64_t c) {
  int64_t extent = 0;
  for (int64_t y = 0; y <= 4 * n; ++y)
    for (int64_t r = 0; r < e; ++r) {
      int64_t index = a * y + b * r + c;
      if (index < 0 || index >= n)
        return extent;
      if (r == e - 1)
        extent = y + 1;
    }
  return extent;
}

TEST(EinAnalysis, WindowsGetTheLargestExtentInBounds) {
  std::mt19937 random(20);
  auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  unsigned accepted = 0, refused = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    int64_t n = draw(1, 20), a = draw(-3, 3), b = draw(-3, 3), e = draw(1, 5),
            c = draw(-6, 20);
    if (a == 0 || (a == 1 && b == 0 && c == 0))
      continue;
    std::string text = "input X : f32[" + std::to_string(n) +
                       "]\nY[y] = sum[r:" + std::to_string(e) + "] X[" +
                       std::to_string(a) + "*y + r*" + std::to_string(b) +
                       " + " + std::to_string(c) + "] * f32([r >= 0])\n" +
                       "output Y\n";
    Analysis analysis = analyzeText(text);
    int64_t expected = largestExtent(n, a, b, e, c);
    // With other labels at their worst, nothing may be left of y.
    if (expected == 0) {
      EXPECT_FALSE(analysis.graph) << text;
      ++refused;
      continue;
    }
    ++accepted;
    EXPECT_EQ(analysis.labels("Y"),
              "y:" + std::to_string(expected) + " r:" + std::to_string(e))
        << text << llvm::join(analysis.messages, "\n");
  }
  // The draw is worth something only if it makes both.
  EXPECT_GT(accepted, 300u);
  EXPECT_GT(refused, 300u);
}

TEST(EinAnalysis, EqualReadsAreOneOperand) {
  Analysis analysis = analyzeText("input X : f32[4, 8]\n"
                                  "Y[i, j] = X[i, j] + X[i, j] + X[i, 1 + 2] "
                                  "- X[i, 3] + X[i' - 1 - i, j]\n"
                                  "Z[i, j:9] = pad(X, 0)[i, j] + pad(X, -0.0)"
                                  "[i, j] + pad(X, 0.0)[i, j]\n"
                                  "output Y, Z\n");
  ASSERT_TRUE(analysis.graph) << llvm::join(analysis.messages, "\n");
  EXPECT_EQ(analysis.vertex("Y")->operands.size(), 3u);
  // -0 is another padding than 0.
  EXPECT_EQ(analysis.vertex("Z")->operands.size(), 2u);
}

TEST(EinAnalysis, LabelsStandInTheOrderOfTheStatement) {
  Analysis analysis =
      analyzeText("input X : i8[2, 3, 4, 5]\n"
                  "Y[d, b] = sum[c, a] X[a, b, c, d]\noutput Y\n");
  ASSERT_TRUE(analysis.graph);
  EXPECT_EQ(analysis.labels("Y"), "d:5 b:3 c:4 a:2");
  EXPECT_EQ(analysis.vertex("Y")->numParallel, 2u);
  EXPECT_EQ(
      typeToString(analysis.tensor("Y")->type, analysis.tensor("Y")->shape),
      "i8[5, 3]");
}

TEST(EinAnalysis, SeveralErrorsAreReportedInOneRun) {
  Analysis analysis = analyzeText("input X : f32[4]\n"
                                  "A[i] = X[i] +\n"
                                  "B[i] = Q[i]\n"
                                  "C[i] = A[i] + B[i]\n"
                                  "D[i] = X[i, 0]\n"
                                  "E[i] = X[i] * (2\n"
                                  "output E\n");
  EXPECT_FALSE(analysis.graph);
  ASSERT_EQ(analysis.messages.size(), 6u)
      << llvm::join(analysis.messages, "\n");
  EXPECT_EQ(analysis.messages[0],
            "2: expected an expression, got the end of the line");
  EXPECT_EQ(analysis.messages[1],
            "7: expected an operator or ')', got 'output'");
  EXPECT_EQ(analysis.messages[2], "6: note: to match this '('");
  EXPECT_EQ(analysis.messages[3], "3: there is no tensor named 'Q'");
  EXPECT_EQ(analysis.messages[4],
            "5: tensor 'X' has 1 dimension but is read with 2 subscripts");
}

TEST(EinAnalysis, ParamsCanBeReplaced) {
  EinOptions options;
  ASSERT_FALSE(addParamDefinition("n=6", options));
  ASSERT_FALSE(addParamDefinition(" m = -2 ", options));
  Analysis analysis = analyzeText("param n = 4\nparam m = 0\nparam k = n + m\n"
                                  "input X : f32[k]\noutput X\n",
                                  options);
  ASSERT_TRUE(analysis.graph);
  EXPECT_EQ(analysis.tensor("X")->shape.front(), 4);
  for (llvm::StringRef wrong : {"n", "=3", "n=", "n=1.5", "n=0x10", ""}) {
    llvm::Error error = addParamDefinition(wrong, options);
    EXPECT_TRUE(static_cast<bool>(error)) << wrong.str();
    llvm::consumeError(std::move(error));
  }
}

} // namespace
