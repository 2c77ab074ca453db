//===- MathTest.cpp - Accuracy of math functions in compiled code ---------===//
//
// Every function on a dense range and on the values that approximations get
// wrong: zeros, infinities, NaN, subnormal numbers, the ends of the range.
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "mlir/AsmParser/AsmParser.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace tapestry::test;

namespace {

struct Function {
  const char *op;
  double (*reference)(double);
  /// Dense test range.
  double lo, hi;
  /// Largest allowed error, relative to max(|value|, floor).
  double tolerance;
  double floor = 1e-37;
};

double rsqrtOf(double x) { return 1 / std::sqrt(x); }
double roundEvenOf(double x) { return std::nearbyint(x); }

std::string elementwise(const std::string &type, const std::string &body) {
  std::string memref = "memref<?x" + type + ">";
  return "func.func @main(%x: " + memref + ", %y: " + memref +
         ") attributes {llvm.emit_c_interface} {\n  linalg.generic "
         "{indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], "
         "iterator_types = [\"parallel\"]} ins(%x : " +
         memref + ") outs(%y : " + memref + ") {\n  ^bb0(%a: " + type +
         ", %o: " + type + "):\n" + body + "    linalg.yield %r : " + type +
         "\n  }\n  return\n}\n";
}

template <typename T>
std::vector<T> run(const std::string &type, const std::string &body,
                   std::vector<T> inputs) {
  auto program = Program::compile(elementwise(type, body));
  std::vector<T> results(inputs.size(), T(0));
  if (!program)
    return results;
  auto view = [&](std::vector<T> &data) {
    View result;
    result.base = reinterpret_cast<char *>(data.data());
    result.type = mlir::parseType(type, &context());
    result.shape = {int64_t(data.size())};
    result.strides = {1};
    return result;
  };
  program->call({view(inputs), view(results)});
  return results;
}

template <typename T> std::vector<T> inputsOf(const Function &function) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> inputs;
  const int steps = 20000;
  for (int i = 0; i <= steps; ++i)
    inputs.push_back(T(function.lo + (function.hi - function.lo) * i / steps));
  for (T x : {T(0), T(1), T(0.5), T(2), T(1e-3), T(1e-20), Limits::min(),
              Limits::denorm_min(), Limits::max(), Limits::infinity(), T(88.5),
              T(89), T(104), T(709), T(1e10)}) {
    inputs.push_back(x);
    inputs.push_back(-x);
  }
  inputs.push_back(Limits::quiet_NaN());
  return inputs;
}

template <typename T> void check(const Function &function) {
  std::string type = sizeof(T) == 4 ? "f32" : "f64";
  std::vector<T> inputs = inputsOf<T>(function);
  std::vector<T> results = run<T>(type,
                                  std::string("    %r = math.") + function.op +
                                      " %a : " + type + "\n",
                                  inputs);
  double tolerance = sizeof(T) == 4 ? function.tolerance : 1e-14;
  double worst = 0, where = 0;
  int wrong = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    double want = double(T(function.reference(double(inputs[i]))));
    double got = results[i];
    if (std::isnan(want) && std::isnan(got))
      continue;
    if (got == want)
      continue;
    // Subnormal results may flush to zero.
    if (std::fabs(want) < std::numeric_limits<T>::min() && got == 0)
      continue;
    double error =
        std::fabs(got - want) / std::max(std::fabs(want), function.floor);
    if (error > worst)
      worst = error, where = inputs[i];
    if (error <= tolerance)
      continue;
    if (++wrong <= 5)
      ADD_FAILURE() << function.op << "(" << double(inputs[i]) << ") : " << type
                    << " = " << got << ", want " << want;
  }
  testing::Test::RecordProperty((type + "_worst").c_str(),
                                std::to_string(worst));
  if (std::getenv("TAPESTRY_TEST_VERBOSE"))
    printf("%-12s %s worst %.2e at %g (%d wrong)\n", function.op, type.c_str(),
           worst, where, wrong);
}

class MathTest : public testing::TestWithParam<Function> {};

TEST_P(MathTest, SinglePrecision) { check<float>(GetParam()); }
TEST_P(MathTest, DoublePrecision) { check<double>(GetParam()); }

const Function functions[] = {
    {"exp", std::exp, -87, 88, 2e-7},
    {"exp2", std::exp2, -125, 127, 2e-7},
    {"expm1", std::expm1, -20, 20, 3e-7},
    {"log", std::log, 1e-6, 100, 3e-7, 0.1},
    {"log2", std::log2, 1e-6, 100, 3e-7, 0.1},
    {"log10", std::log10, 1e-6, 100, 3e-7, 0.1},
    {"log1p", std::log1p, -0.999, 100, 3e-7},
    {"sqrt", std::sqrt, 0, 1000, 1e-7},
    {"rsqrt", rsqrtOf, 1e-3, 1000, 3e-7},
    {"cbrt", std::cbrt, -1000, 1000, 3e-7},
    {"tanh", std::tanh, -10, 10, 5e-7},
    {"sinh", std::sinh, -10, 10, 5e-7},
    {"cosh", std::cosh, -10, 10, 5e-7},
    {"sin", std::sin, -100, 100, 3e-7, 1},
    {"cos", std::cos, -100, 100, 3e-7, 1},
    {"tan", std::tan, -1.5, 1.5, 5e-7},
    {"asin", std::asin, -1, 1, 5e-7},
    {"acos", std::acos, -1, 1, 5e-7, 1e-3},
    {"atan", std::atan, -100, 100, 5e-7},
    {"erf", std::erf, -5, 5, 5e-7},
    {"erfc", std::erfc, -5, 5, 5e-7, 1e-3},
    {"floor", std::floor, -100, 100, 0},
    {"ceil", std::ceil, -100, 100, 0},
    {"round", std::round, -100, 100, 0},
    {"roundeven", roundEvenOf, -100, 100, 0},
    {"trunc", std::trunc, -100, 100, 0},
    {"absf", std::fabs, -100, 100, 0},
};

std::string nameOf(const testing::TestParamInfo<Function> &info) {
  return info.param.op;
}

INSTANTIATE_TEST_SUITE_P(Functions, MathTest, testing::ValuesIn(functions),
                         nameOf);

} // namespace
