//===- RandomChainTest.cpp - Fused programs against the interpreter -------===//
//
// Random straight-line programs of several operations over shared buffers, with
// overwritten and freed temporaries: what fusion, row kernels and outlining
// must keep apart, they must keep apart.
//
//===----------------------------------------------------------------------===//

#include "GuardedBuffer.h"
#include "Runner.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/PrettyStackTrace.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace tapestry::test;

namespace {

/// The shapes that buffers have: rows x columns, rows, columns.
enum Shape { Matrix, Rows, Columns };

class Chain {
public:
  explicit Chain(std::mt19937 &random) : random(random) {}
  std::string build(int64_t rows, int64_t columns);
  std::vector<std::vector<int64_t>> shapes;

private:
  struct Buffer {
    Shape shape;
    std::string name;
    bool written;
    bool temporary;
  };
  bool chance(int percent) { return int(random() % 100) < percent; }
  std::string typeOf(Shape shape) const;
  static const char *mapOf(Shape shape) {
    return shape == Matrix ? "(r,c)->(r,c)"
           : shape == Rows ? "(r,c)->(r)"
                           : "(r,c)->(c)";
  }
  Buffer *source(bool anyShape, Shape shape);
  Buffer *target(Shape shape);
  void addArgument(Shape shape, bool written);
  void elementwise(Shape shape);
  void reduce(Shape shape);
  void emit(const std::vector<Buffer *> &inputs, Buffer *output, bool reduces,
            Shape loops, const std::string &body);

  std::mt19937 &random;
  bool dynamicRows = false, dynamicColumns = false;
  int64_t rows = 0, columns = 0;
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::string head, text;
  int next = 0;
};

std::string Chain::typeOf(Shape shape) const {
  std::string r = dynamicRows ? "?" : std::to_string(rows);
  std::string c = dynamicColumns ? "?" : std::to_string(columns);
  return "memref<" +
         (shape == Matrix ? r + "x" + c
          : shape == Rows ? r
                          : c) +
         "xf32>";
}

void Chain::addArgument(Shape shape, bool written) {
  std::string name = "%b" + std::to_string(buffers.size());
  head += (buffers.empty() ? "" : ", ") + name + ": " + typeOf(shape);
  shapes.push_back(shape == Matrix ? std::vector<int64_t>{rows, columns}
                   : shape == Rows ? std::vector<int64_t>{rows}
                                   : std::vector<int64_t>{columns});
  buffers.push_back(
      std::make_unique<Buffer>(Buffer{shape, name, written, false}));
}

Chain::Buffer *Chain::source(bool anyShape, Shape shape) {
  std::vector<Buffer *> fitting;
  for (auto &buffer : buffers)
    if (buffer->written && (anyShape || buffer->shape == shape))
      fitting.push_back(buffer.get());
  // Recent ones more often, so that chains form.
  size_t i =
      fitting.size() - 1 -
      std::min<size_t>(random() % fitting.size(), random() % fitting.size());
  return fitting[i];
}

Chain::Buffer *Chain::target(Shape shape) {
  if (chance(25)) { // Overwrite something.
    std::vector<Buffer *> fitting;
    for (auto &buffer : buffers)
      if (buffer->shape == shape)
        fitting.push_back(buffer.get());
    if (!fitting.empty())
      return fitting[random() % fitting.size()];
  }
  std::string name = "%t" + std::to_string(next++), sizes;
  if (dynamicRows && shape != Columns)
    sizes = "%R";
  if (dynamicColumns && shape != Rows)
    sizes += std::string(sizes.empty() ? "" : ", ") + "%C";
  text +=
      "  " + name + " = memref.alloc(" + sizes + ") : " + typeOf(shape) + "\n";
  buffers.push_back(std::make_unique<Buffer>(Buffer{shape, name, true, true}));
  return buffers.back().get();
}

void Chain::emit(const std::vector<Buffer *> &inputs, Buffer *output,
                 bool reduces, Shape loops, const std::string &body) {
  std::string maps, ins, types, arguments;
  auto map = [&](Shape shape) {
    std::string one = loops == Matrix ? mapOf(shape) : "(i)->(i)";
    maps += (maps.empty() ? "affine_map<" : ", affine_map<") + one + ">";
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    map(inputs[i]->shape);
    ins += (i ? ", " : "") + inputs[i]->name;
    types += (i ? ", " : "") + typeOf(inputs[i]->shape);
    arguments += "%a" + std::to_string(i) + ": f32, ";
  }
  map(output->shape);
  std::string kinds = loops != Matrix         ? "\"parallel\""
                      : !reduces              ? "\"parallel\", \"parallel\""
                      : output->shape == Rows ? "\"parallel\", \"reduction\""
                                              : "\"reduction\", \"parallel\"";
  text += "  linalg.generic {indexing_maps = [" + maps +
          "], iterator_types = [" + kinds + "]} ins(" + ins + " : " + types +
          ") outs(" + output->name + " : " + typeOf(output->shape) +
          ") {\n  ^bb0(" + arguments + "%acc: f32):\n" + body +
          "    linalg.yield %y : f32\n  }\n";
  output->written = true;
}

void Chain::elementwise(Shape shape) {
  std::vector<Buffer *> inputs{source(false, shape)};
  int more = random() % 3;
  for (int i = 0; i < more; ++i)
    inputs.push_back(source(shape == Matrix, shape));
  std::string body = "    %v0 = arith.negf %a0 : f32\n";
  std::string value = "%v0";
  for (size_t i = 1; i < inputs.size(); ++i) {
    const char *ops[] = {"addf", "subf", "maximumf"};
    std::string id = "%v" + std::to_string(i);
    body += "    " + id + " = arith." + ops[random() % 3] + " " + value +
            ", %a" + std::to_string(i) + " : f32\n";
    value = id;
  }
  body += std::string("    %h = arith.constant 0.4 : f32\n    %y0 = arith.mulf "
                      "%h, ") +
          value + " : f32\n";
  body += chance(40) ? "    %y = math.tanh %y0 : f32\n"
                     : "    %y = arith.addf %y0, %h : f32\n";
  emit(inputs, target(shape), false, shape, body);
}

void Chain::reduce(Shape shape) {
  Buffer *from = source(false, Matrix), *to = target(shape);
  std::string id = std::to_string(next++);
  bool max = chance(40);
  if (to->temporary || chance(70)) {
    text += "  %f" + id + " = arith.constant " + (max ? "0xFF800000" : "0.0") +
            " : f32\n  linalg.fill ins(%f" + id + " : f32) outs(" + to->name +
            " : " + typeOf(shape) + ")\n";
    to->written = true;
  }
  bool scaled = chance(30);
  std::vector<Buffer *> inputs{from};
  if (scaled) {
    Buffer *other = source(true, Matrix);
    if (other != to)
      inputs.push_back(other);
  }
  std::string body =
      "    %h = arith.constant 0.01 : f32\n    %s = arith.mulf %h, %a0 : f32\n";
  std::string value = "%s";
  if (inputs.size() > 1) {
    body += "    %p = arith.maximumf %s, %a1 : f32\n    %q = arith.mulf %h, %p "
            ": f32\n";
    value = "%q";
  }
  body += std::string("    %y = arith.") + (max ? "maximumf" : "addf") +
          " %acc, " + value + " : f32\n";
  emit(inputs, to, true, Matrix, body);
}

std::string Chain::build(int64_t numRows, int64_t numColumns) {
  rows = numRows;
  columns = numColumns;
  dynamicRows = chance(50);
  dynamicColumns = chance(50);
  addArgument(Matrix, true);
  addArgument(Rows, true);
  addArgument(Columns, true);
  addArgument(Matrix, true);
  if (dynamicRows)
    text += "  %c0 = arith.constant 0 : index\n  %R = memref.dim %b0, %c0 : " +
            typeOf(Matrix) + "\n";
  if (dynamicColumns)
    text += "  %c1 = arith.constant 1 : index\n  %C = memref.dim %b0, %c1 : " +
            typeOf(Matrix) + "\n";
  int count = 3 + random() % 6;
  for (int i = 0; i < count; ++i) {
    int kind = random() % 10;
    if (kind < 5)
      elementwise(Matrix);
    else if (kind < 6)
      elementwise(Rows);
    else if (kind < 9)
      reduce(Rows);
    else
      reduce(Columns);
  }
  // Results out, then free.
  emit({source(false, Matrix), source(true, Matrix)}, buffers[3].get(), false,
       Matrix, "    %y = arith.addf %a0, %a1 : f32\n");
  for (auto &buffer : buffers)
    if (buffer->temporary)
      text += "  memref.dealloc " + buffer->name + " : " +
              typeOf(buffer->shape) + "\n";
  return "func.func @main(" + head +
         ") attributes {llvm.emit_c_interface} {\n" + text + "  return\n}\n";
}

class RandomChainTest : public testing::TestWithParam<unsigned> {};

void check(unsigned seed) {
  std::mt19937 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  const int64_t extents[] = {0, 1, 2, 5, 16, 33, 70, 129, 300};
  Chain chain(random);
  int64_t rows = extents[random() % 9], columns = extents[random() % 9];
  std::string text = chain.build(rows, columns);
  std::string title = "seed " + std::to_string(seed) + "\n" + text;
  llvm::PrettyStackTraceString crash(title.c_str());
  auto program = Program::compile(text);
  if (!program)
    return;
  std::vector<GuardedBuffer> memory;
  std::vector<View> views;
  for (const auto &shape : chain.shapes) {
    View view;
    view.type = mlir::parseType("f32", &context());
    view.shape = shape;
    int64_t count = 1;
    view.strides.resize(shape.size());
    for (size_t i = shape.size(); i-- > 0;) {
      view.strides[i] = count;
      count *= shape[i];
    }
    memory.emplace_back(count * 4, 4);
    view.base = memory.back().data();
    for (int64_t i = 0; i < count; ++i)
      reinterpret_cast<float *>(view.base)[i] =
          float(int64_t(random() % 2001) - 1000) / 1000;
    views.push_back(view);
  }
  std::vector<std::vector<char>> before, expected;
  for (GuardedBuffer &buffer : memory)
    before.emplace_back(buffer.data(), buffer.data() + buffer.size());
  ASSERT_EQ(program->interpret(views), "") << text;
  for (size_t i = 0; i < memory.size(); ++i) {
    expected.emplace_back(memory[i].data(),
                          memory[i].data() + memory[i].size());
    std::copy(before[i].begin(), before[i].end(), memory[i].data());
  }
  program->call(views);
  for (size_t i = 0; i < memory.size(); ++i)
    for (size_t at = 0; at < memory[i].size() / 4; ++at) {
      float got = reinterpret_cast<float *>(memory[i].data())[at];
      float want = reinterpret_cast<float *>(expected[i].data())[at];
      bool same = got == want || std::fabs(got - want) <=
                                     2e-5 * std::max(1.f, std::fabs(want));
      ASSERT_TRUE(same) << "argument " << i << " element " << at << ": got "
                        << got << ", want " << want << "\n"
                        << text;
    }
  EXPECT_EQ(liveBlocks(), 0u) << text;
}

TEST_P(RandomChainTest, AgreesWithInterpreter) {
  for (unsigned i = 0; i < 20 && !HasFailure(); ++i)
    check(1000 * GetParam() + i);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomChainTest,
                         testing::Range(0u, numSeeds()));

} // namespace
