//===- GraphRewritesTest.cpp - Rewritten graphs compute the same ----------===//
//
// Every rewrite that is offered, and random walks of several, are held against
// the value of the program by the direct evaluator.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "tapestry/Analysis/PlanGraphs.h"
#include "tapestry/Import/Ein/Import.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Reference/Reference.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>
#include <set>
#include <thread>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::teg;

namespace {

using Tensors = llvm::StringMap<HostTensor>;

/// A program with random inputs and its value.
class Program {
public:
  explicit Program(llvm::StringRef text) {
    module = ein::importEin(llvm::MemoryBufferRef(text, "test"), {}, &context);
    if (!module)
      abort();
    std::mt19937 generator(7);
    for (auto source : graph().getOps<SourceOp>())
      inputs[source.getName()] = random(source.getType(), generator);
    values = evaluate(graph());
  }

  GraphOp graph() { return *module->getOps<GraphOp>().begin(); }

  /// The program after some rewrites, which must apply.
  OwningOpRef<GraphOp> rewritten(llvm::ArrayRef<Rewrite> rewrites) {
    OwningOpRef<GraphOp> copy(cast<GraphOp>(graph()->clone()));
    llvm::Error error = applyRewrites(*copy, rewrites);
    EXPECT_EQ(llvm::toString(std::move(error)), "");
    EXPECT_TRUE(succeeded(verify(*copy)));
    return copy;
  }

  /// Why a rewrite does not apply; the graph must be untouched then.
  std::string refusal(const Rewrite &rewrite) {
    OwningOpRef<GraphOp> copy(cast<GraphOp>(graph()->clone()));
    std::string reason = llvm::toString(applyInPlace(*copy, rewrite));
    EXPECT_EQ(print(*copy), print(graph()));
    return reason;
  }

  static std::string print(GraphOp graph) {
    std::string text;
    llvm::raw_string_ostream os(text);
    graph->print(os);
    return llvm::StringRef(text).rtrim().str();
  }

  /// Compares a graph's value with the program's.
  void expectSameValue(GraphOp other, llvm::ArrayRef<Rewrite> rewrites) {
    Tensors got = evaluate(other);
    ASSERT_EQ(got.size(), values.size());
    for (const auto &entry : values) {
      const HostTensor &wanted = entry.second;
      const HostTensor &found = got[entry.first()];
      ASSERT_EQ(found.describe(), wanted.describe());
      bool isExact = static_cast<int>(wanted.dtype) >= 4;
      for (int64_t n = 0; n < wanted.numElements(); ++n) {
        double a = wanted.asDouble(n), b = found.asDouble(n);
        double slack = isExact ? 0 : tolerance * std::max(1.0, std::abs(a));
        ASSERT_TRUE(a == b || std::abs(a - b) <= slack)
            << entry.first().str() << '[' << n << "]: " << a << " and " << b
            << " after " << describe(rewrites) << print(other);
      }
    }
  }

  static std::string describe(llvm::ArrayRef<Rewrite> rewrites) {
    std::string text;
    for (const Rewrite &rewrite : rewrites) {
      text += rewrite.kind + ":" + rewrite.vertex;
      for (const std::string &argument : rewrite.arguments)
        text += ":" + argument;
      text += ";";
    }
    return text + "\n";
  }

  double tolerance = 1e-4;

private:
  HostTensor random(RankedTensorType type, std::mt19937 &generator) {
    DType dtype = *dtypeOf(type.getElementType());
    HostTensor tensor =
        llvm::cantFail(HostTensor::create(dtype, type.getShape()));
    for (int64_t n = 0; n < tensor.numElements(); ++n) {
      double value = double(generator() % 2001) / 1000 - 1;
      if (dtype == DType::F32)
        tensor.data<float>()[n] = value;
      else if (dtype == DType::F16)
        tensor.data<uint16_t>()[n] = encodeF16(value);
      else if (dtype == DType::Bool)
        tensor.data<uint8_t>()[n] = value > 0;
      else
        for (int64_t byte = 0, size = byteSize(dtype); byte < size; ++byte)
          tensor.bytes[n * size + byte] = generator();
    }
    return tensor;
  }

  Tensors evaluate(GraphOp op) {
    auto result = evaluateGraph(op, inputs, /*threads=*/1);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return {};
    }
    return std::move(*result);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  Tensors inputs;
  Tensors values;
};

const char *const chain = R"(
input A : f32[5, 7]
input B : f32[7, 6]
input C : f32[6, 3]
P[i, k] = sum[j] A[i, j] * B[j, k]
Z[i, l] = sum[k] P[i, k] * C[k, l]
output Z
)";

const char *const programs[] = {
    chain,
    // Integers wrap, so equality is to the bit.
    R"(
input A : i8[5, 7]
input B : i8[7, 6]
input C : i8[6, 3]
input S : i8[5]
P[i, k] = sum[j] A[i, j] * B[j, k]
Q[k, l] = C[k, l] * 3 + 1
Z[i, l] = sum[k] P[i, k] * Q[k, l] * S[i]
output Z
)",
    // Shortest paths, booleans and bottlenecks.
    R"(
input A : f32[6, 6]
input B : bool[6, 6]
input I : i32[6, 6]
D[i, k] = min[j] A[i, j] + A[j, k]
E[i, l] = min[k] D[i, k] + A[k, l]
R[i, l] = any[j, k] B[i, j] && B[j, k] && B[k, l]
W[i, k] = max[j] min(I[i, j], I[j, k])
V[i] = max[k] min(W[i, k], I[k, i])
output E, R, V
)",
    // A layer with a softmax: elementwise producers with one and many readers,
    // labels in bodies, a factor that leaves the sum.
    R"(
input X : f32[4, 8]
input W : f32[8, 8]
input V : f32[4, 8]
Q[s, d] = sum[e] X[s, e] * W[e, d]
T[s, t] = sum[d] Q[s, d] * X[t, d] / 2
M[s, t] = select([t <= s], T[s, t], -9)
P[s, t] = softmax[t] M[s, t]
O[s, d] = sum[t] P[s, t] * V[t, d]
G[s] = sum[d] O[s, d] * X[s, d]
output O, G
)",
    // Quotients leave the sum; divisors are summed alone, or multiplied.
    R"(
input A : f32[4, 5]
input B : f32[5, 6]
input S : f32[4]
input R : f32[6, 3]
D[i] = S[i] * S[i] + 1
E[j, m] = exp(R[j, m])
Z[i, k] = sum[j] A[i, j] / D[i] * B[j, k] / 3
Y[i] = sum[k, m] Z[i, k] / (E[k, m] * D[i])
T[i] = sum[j] 1 / exp(A[i, j]) / D[i]
output Y, T
)",
    // Windows, pads, diagonals and shared producers.
    R"(
input X : f32[12]
input K : f32[3]
H[i] = X[i] * X[i] + X[11 - i]
Y[i] = sum[r] H[2*i + r] * K[r]
U[i:12] = sum[r] pad(H, 0)[i + r - 1] * K[r]
D[i, j] = H[i] + X[j]
T = sum[i] D[i, i]
output Y, U, T
)",
    // Reads that are folded go into readers, but nothing into them.
    R"(
input X : f32[12]
input K : f32[3]
H[i] = X[i] * X[i] + reflect(X)[i + 3]
Y[i:12] = sum[r] edge(H)[i + r - 1] * K[r]
E[i:12] = symmetric(X)[i - 2] * 2
Z[i] = E[11 - i] + E[i] + wrap(H)[i + 5]
output Y, Z
)",
    // f16 rounds what is stored.
    R"(
input A : f16[5, 4]
input B : f16[4, 6]
E[i, j] = exp(A[i, j])
Z[i, k] = sum[j] E[i, j] * B[j, k]
N[i] = sum[j] E[i, j]
Y[i, k] = Z[i, k] / N[i]
output Y
)",
    // Several factors of which some are summed alone.
    R"(
input A : f32[4, 5]
input B : f32[5, 6]
input C : f32[6, 3]
input D : f32[4, 2]
Z[i] = sum[j, k, l, m] A[i, j] * B[j, k] * exp(C[k, l]) * D[i, m] * [i <= k] * 2
S[i] = sum[j] A[i, j] * D[i, 0]
output Z, S
)",
};

bool areEqual(const PlanGraph &a, const PlanGraph &b) {
  if (a.vertices.size() != b.vertices.size())
    return false;
  for (auto [v, w] : llvm::zip(a.vertices, b.vertices)) {
    if (v.name != w.name || v.shape != w.shape || v.flops != w.flops ||
        v.operands.size() != w.operands.size() ||
        v.labels.size() != w.labels.size() || v.isOutput != w.isOutput)
      return false;
    for (auto [p, q] : llvm::zip(v.operands, w.operands))
      if (p.producer != q.producer || !(p.projection == q.projection))
        return false;
    for (auto [p, q] : llvm::zip(v.labels, w.labels))
      if (p.name != q.name || p.extent != q.extent || p.reduced != q.reduced)
        return false;
  }
  return true;
}

/// The history of a graph replayed on the program leads to that graph, with the
/// program's value.
void expectReplay(Program &program, RewriteSpace &space, unsigned number) {
  std::vector<Rewrite> history = space.history(number);
  OwningOpRef<GraphOp> replayed = program.rewritten(history);
  EXPECT_EQ(recordedRewrites(*replayed).size(), history.size());
  program.expectSameValue(*replayed, history);
  auto vertices = buildPlanGraph(replayed->getBody().front());
  ASSERT_TRUE(succeeded(vertices));
  EXPECT_TRUE(areEqual(vertices->graph, space.graph(number)))
      << Program::describe(history);
}

TEST(GraphRewritesTest, EveryRewriteKeepsTheValue) {
  std::set<std::string> kinds;
  for (const char *text : programs) {
    Program program(text);
    if (llvm::StringRef(text).contains("f16"))
      program.tolerance = 4e-3;
    auto space = llvm::cantFail(createRewriteSpace(program.graph()));
    for (const Rewrite &rewrite : space->applicable(0)) {
      kinds.insert(rewrite.kind);
      auto number = space->apply(0, rewrite);
      ASSERT_TRUE(bool(number))
          << Program::describe(rewrite) << llvm::toString(number.takeError());
      expectReplay(program, *space, *number);
    }
  }
  std::set<std::string> all = {"order",     "reassociate", "fuse",  "phase",
                               "recompute", "rule",        "unfuse"};
  EXPECT_EQ(kinds, all);
}

/// Whatever the vertices are called between.
TEST(GraphRewritesTest, WhatIsTakenApartAgainIsTheProgram) {
  unsigned fused = 0;
  for (const char *text : programs) {
    Program program(text);
    auto space = llvm::cantFail(createRewriteSpace(program.graph()));
    for (const Rewrite &rewrite : space->applicable(0)) {
      if (rewrite.kind != "rule" ||
          rewrite.arguments.front() != "fuse-producer")
        continue;
      unsigned one = llvm::cantFail(space->apply(0, rewrite));
      EXPECT_LT(space->graph(one).vertices.size(),
                space->graph(0).vertices.size());
      Rewrite apart = {"unfuse", rewrite.vertex, {}};
      EXPECT_TRUE(llvm::is_contained(space->applicable(one), apart));
      EXPECT_EQ(llvm::cantFail(space->apply(one, apart)), 0u);
      ++fused;
    }
  }
  EXPECT_GT(fused, 0u);
}

TEST(GraphRewritesTest, RandomWalksKeepTheValue) {
  std::mt19937 random(3);
  for (const char *text : programs) {
    Program program(text);
    if (llvm::StringRef(text).contains("f16"))
      program.tolerance = 4e-3;
    auto space = llvm::cantFail(createRewriteSpace(program.graph()));
    for (unsigned walk = 0; walk < 6; ++walk) {
      unsigned number = 0;
      for (unsigned step = 0; step < 6; ++step) {
        std::vector<Rewrite> rewrites = space->applicable(number);
        if (rewrites.empty())
          break;
        auto next = space->apply(number, rewrites[random() % rewrites.size()]);
        ASSERT_TRUE(bool(next)) << llvm::toString(next.takeError());
        number = *next;
      }
      expectReplay(program, *space, number);
    }
  }
}

TEST(GraphRewritesTest, EqualGraphsHaveEqualNumbers) {
  Program program(chain);
  auto space = llvm::cantFail(createRewriteSpace(program.graph()));
  // (AB)C, A(BC) and back; the vertex in between has another name then.
  unsigned right = llvm::cantFail(
      space->apply(0, {"reassociate", "Z", {"P", "1 2", "0 3"}}));
  EXPECT_NE(right, 0u);
  unsigned whole = llvm::cantFail(space->apply(0, {"reassociate", "Z", {"P"}}));
  EXPECT_EQ(llvm::cantFail(space->apply(whole, {"order", "Z", {"1 2", "0 3"}})),
            right);
  unsigned left =
      llvm::cantFail(space->apply(whole, {"order", "Z", {"0 1", "2 3"}}));
  EXPECT_EQ(llvm::cantFail(space->apply(
                right, {"reassociate", "Z", {"Z.1", "0 1", "2 3"}})),
            left);
  EXPECT_EQ(space->history(right).size(), 1u);

  // It does not matter which of two readers gets its own.
  Program shared("input A : f32[4]\nE[i] = exp(A[i])\nS = sum[i] E[i]\n"
                 "M = max[i] E[i]\noutput S, M\n");
  auto other = llvm::cantFail(createRewriteSpace(shared.graph()));
  EXPECT_EQ(llvm::cantFail(other->apply(0, {"recompute", "E", {"S"}})),
            llvm::cantFail(other->apply(0, {"recompute", "E", {"M"}})));
}

TEST(GraphRewritesTest, Refusals) {
  Program program(R"(
input A : f32[6, 6]
input B : f32[6, 6]
E[i, j] = exp(A[i, j])
P[i, k] = sum[j] E[i, j] * B[j, k]
Q[i, k] = max[j] P[i, j] + B[j, k]
U[i:6] = sum[r] pad(E, 0)[i + r, i] * B[r, i]
L[i, j] = A[i, j] * [i <= j]
D[i:3] = sum[j:3] L[i + j, 0] * pad(B, 0)[i + j, 1]
G[i, j:6] = E[i, 0] + 0
H[i] = sum[j] B[j, i] * A[i, i]
F = prod[i] E[i, i]
R[i, k] = sum[j] P[i, j] * log(Q[j, k])
O[i, k] = sum[j] A[i, j] + B[j, k]
output Q, U, G, H, F, R, D, O
)");
  auto expectRefused = [&](const Rewrite &rewrite, llvm::StringRef reason) {
    std::string text = program.refusal(rewrite);
    EXPECT_TRUE(llvm::StringRef(text).contains(reason))
        << Program::describe(rewrite) << text;
  };
  expectRefused({"hope", "P", {}}, "there is no such kind; there are order, ");
  expectRefused({"order", "X", {"0 1"}}, "the graph has no einsum 'X'");
  expectRefused({"order", "E", {"0 1"}}, "nothing is reduced");
  expectRefused({"order", "P", {"0 2"}}, "step 0 of a contraction reads "
                                         "tensor 2, which is not made yet");
  expectRefused({"order", "P", {"0 and 1"}}, "expected a step like '0 2'");
  expectRefused({"order", "P", {}}, "there are no steps");
  expectRefused({"order", "U", {"0 1"}}, "operand 0 is padded");
  expectRefused({"order", "D", {"0 1"}}, "operand 0 is read through a window");
  expectRefused({"order", "H", {"0 1"}}, "operand 1 repeats label 'i'");
  expectRefused({"order", "O", {"0 1"}}, "tensor 1, which is not made yet");
  expectRefused({"reassociate", "Q", {"P"}},
                "'P' is reduced by add, 'Q' by max");
  expectRefused({"reassociate", "R", {"Q"}}, "'Q' is reduced by max");
  expectRefused({"reassociate", "R", {"P"}}, "'P' is read elsewhere too");
  expectRefused({"reassociate", "R", {"E"}}, "it reads no einsum 'E'");
  expectRefused({"fuse", "P", {}}, "'P' reduces");
  expectRefused({"fuse", "E", {"U"}}, "'U' reads 'E' with a pad");
  expectRefused({"fuse", "E", {}}, "'U' reads 'E' with a pad");
  expectRefused({"fuse", "E", {"Q"}}, "'Q' does not read 'E'");
  expectRefused({"fuse", "E", {"P", "P"}}, "reader 'P' is named twice");
  expectRefused({"fuse", "Q", {}}, "'Q' reduces");
  expectRefused({"fuse", "G", {}}, "no einsum reads it");
  expectRefused({"fuse", "L", {"D"}}, "the body of 'L' uses label 'i'");
  expectRefused({"recompute", "E", {}}, "expected one reader, not 0");
  expectRefused({"recompute", "L", {"D"}}, "nobody but 'D' reads it");
  expectRefused({"recompute", "E", {"Q"}}, "'Q' does not read it");
  expectRefused({"unfuse", "R", {"0"}}, "factor 0 is read as it is");
  expectRefused({"unfuse", "O", {"0"}}, "factor 0 depends on all labels");
  expectRefused({"unfuse", "R", {"7"}}, "there are 2 factors");
}

// What a user asks of a vertex names its labels, so the vertex stays; one that
// takes up another's body keeps what is asked of it.
TEST(GraphRewritesTest, WhatIsAskedStays) {
  Program program("input A : f32[4, 4]\nE[i, j] = exp(A[i, j])\n"
                  "P[i, k] = sum[j] E[i, j] * A[j, k]\n"
                  "Z[i, l] = sum[k] P[i, k] * A[k, l]\noutput Z\n");
  auto ask = [&](llvm::StringRef name) {
    for (auto op : program.graph().getOps<EinsumOp>())
      if (op.getName() == name)
        op->setDiscardableAttr("tapestry.layout_group",
                               StringAttr::get(op.getContext(), "g"));
  };
  ask("P");
  EXPECT_EQ(program.refusal({"reassociate", "Z", {"P"}}),
            "rewrite 'reassociate' of 'Z': 'P' has 'tapestry.layout_group', "
            "which is about it as it is");
  EXPECT_NE(program.refusal({"order", "P", {"0 1"}}), "");
  OwningOpRef<GraphOp> fused = program.rewritten({{"fuse", "E", {"P"}}});
  std::string text = Program::print(*fused);
  EXPECT_NE(text.find("tapestry.layout_group"), std::string::npos) << text;
  ask("E");
  EXPECT_NE(program.refusal({"fuse", "E", {"P"}}), "");
}

TEST(GraphRewritesTest, AllRewritesOrNone) {
  Program program(chain);
  EXPECT_EQ(program.refusal({"reassociate", "Z", {"P", "5 6"}}),
            "rewrite 'reassociate' of 'Z': step 0 of a contraction reads "
            "tensor 5, which is not made yet");
  OwningOpRef<GraphOp> copy(cast<GraphOp>(program.graph()->clone()));
  std::string before = Program::print(*copy);
  std::string reason = llvm::toString(applyRewrites(
      *copy, {{"reassociate", "Z", {"P"}}, {"fuse", "P", {"Z"}}}));
  EXPECT_EQ(reason, "rewrite 'fuse' of 'P': the graph has no einsum 'P'");
  EXPECT_EQ(Program::print(*copy), before);
}

TEST(GraphRewritesTest, ThreadsShareASpace) {
  Program program(programs[3]);
  auto space = llvm::cantFail(createRewriteSpace(program.graph()));
  std::vector<unsigned> ends(4);
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < ends.size(); ++number)
    threads.emplace_back([&, number] {
      std::mt19937 random(number);
      for (unsigned step = 0; step < 5; ++step) {
        std::vector<Rewrite> rewrites = space->applicable(ends[number]);
        ends[number] = llvm::cantFail(
            space->apply(ends[number], rewrites[random() % rewrites.size()]));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (unsigned end : ends)
    expectReplay(program, *space, end);
}

} // namespace
