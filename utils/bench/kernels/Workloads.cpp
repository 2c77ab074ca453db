//===- Workloads.cpp - What the kernel benchmark runs ---------------------===//
//
// Builds the IR of each workload as text, with static or dynamic extents.
//
//===----------------------------------------------------------------------===//

#include "Workloads.h"
#include <cmath>
#include <map>

namespace bench {
namespace {

/// One linalg.generic: its operands are numbers of the function's arguments or
/// of temporaries, the last is the result.
struct Generic {
  std::vector<int> operands;
  std::vector<std::string> maps;
  std::string iterators;
  std::string body;
};

/// Builds a function over `arguments` (the last is the result) and
/// temporaries.
class Builder {
public:
  Builder(std::string name, bool dynamic) : dynamic(dynamic) {
    workload.name = std::move(name) + (dynamic ? " dyn" : "");
  }

  int argument(std::vector<int64_t> shape, std::string type = "f32") {
    buffers.push_back({type, shape});
    workload.arguments.push_back({type, std::move(shape)});
    return buffers.size() - 1;
  }
  /// A local buffer; its dynamic extents are those of `like`'s dimensions.
  int temporary(std::vector<int64_t> shape, int like,
                std::vector<int64_t> dims = {0, 1}) {
    int number = buffers.size();
    buffers.push_back({"f32", shape});
    std::string sizes;
    if (dynamic)
      for (size_t i = 0; i < shape.size(); ++i) {
        std::string id = std::to_string(number) + "_" + std::to_string(i);
        text += "  %i" + id + " = arith.constant " + std::to_string(dims[i]) +
                " : index\n  %d" + id + " = memref.dim " + use(like) + ", %i" +
                id + " : " + typeOf(like) + "\n";
        sizes += (i ? ", %d" : "%d") + id;
      }
    text += "  " + use(number) + " = memref.alloc(" + sizes +
            ") : " + typeOf(number) + "\n";
    locals.push_back(number);
    return number;
  }
  /// The part of a matrix that starts at (row, column), as large as `like`.
  int window(int buffer, int64_t row, int64_t column, int like) {
    int number = buffers.size();
    const std::vector<int64_t> &shape = buffers[like].shape;
    int64_t stride = buffers[buffer].shape[1];
    std::string sizes =
        std::to_string(shape[0]) + ", " + std::to_string(shape[1]);
    std::string type =
        "memref<" + std::to_string(shape[0]) + "x" + std::to_string(shape[1]) +
        "xf32, strided<[" + std::to_string(stride) +
        ", 1], offset: " + std::to_string(row * stride + column) + ">>";
    if (dynamic) {
      std::string id = std::to_string(number);
      for (const char *i : {"0", "1"})
        text += "  %i" + id + i + " = arith.constant " + i + " : index\n  %d" +
                id + i + " = memref.dim " + use(like) + ", %i" + id + i +
                " : " + typeOf(like) + "\n";
      sizes = "%d" + id + "0, %d" + id + "1";
      type = "memref<?x?xf32, strided<[?, 1], offset: " +
             (row ? std::string("?") : std::to_string(column)) + ">>";
    }
    text += "  " + use(number) + " = memref.subview " + use(buffer) + "[" +
            std::to_string(row) + ", " + std::to_string(column) + "] [" +
            sizes + "] [1, 1] : " + typeOf(buffer) + " to " + type + "\n";
    buffers.push_back({"f32", shape});
    types[number] = type;
    return number;
  }
  void fill(int buffer, const std::string &value) {
    std::string id = "%f" + std::to_string(fills++);
    text += "  " + id + " = arith.constant " + value + " : " +
            buffers[buffer].type + "\n  linalg.fill ins(" + id + " : " +
            buffers[buffer].type + ") outs(" + use(buffer) + " : " +
            typeOf(buffer) + ")\n";
  }
  /// `maps` as "(i,j,k)->(i,k)", `iterators` one letter p or r per loop, and a
  /// body over %a0, %a1, ... that yields %y.
  void generic(const Generic &op) {
    text += "  linalg.generic {indexing_maps = [";
    for (size_t i = 0; i < op.maps.size(); ++i)
      text += std::string(i ? ", " : "") + "affine_map<" + op.maps[i] + ">";
    text += "], iterator_types = [";
    for (size_t i = 0; i < op.iterators.size(); ++i)
      text += std::string(i ? ", " : "") +
              (op.iterators[i] == 'p' ? "\"parallel\"" : "\"reduction\"");
    text += "]}\n    ins(";
    std::string types, arguments;
    for (size_t i = 0; i + 1 < op.operands.size(); ++i) {
      text += (i ? ", " : "") + use(op.operands[i]);
      types += (i ? ", " : "") + typeOf(op.operands[i]);
    }
    int result = op.operands.back();
    for (size_t i = 0; i < op.operands.size(); ++i)
      arguments += (i ? ", %a" : "%a") + std::to_string(i) + ": " +
                   buffers[op.operands[i]].type;
    text += " : " + types + ") outs(" + use(result) + " : " + typeOf(result) +
            ") {\n  ^bb0(" + arguments + "):\n" + op.body +
            "    linalg.yield %y : " + buffers[result].type + "\n  }\n";
  }
  Workload flops(double value) {
    workload.flops = value;
    return finish();
  }
  Workload bytes(double value) {
    workload.bytes = value;
    return finish();
  }

private:
  std::string use(int number) const { return "%b" + std::to_string(number); }
  std::string typeOf(int number) const {
    auto view = types.find(number);
    if (view != types.end())
      return view->second;
    std::string shape;
    for (int64_t extent : buffers[number].shape)
      shape += (dynamic ? "?" : std::to_string(extent)) + "x";
    return "memref<" + shape + buffers[number].type + ">";
  }
  Workload finish() {
    std::string head = "func.func @main(";
    for (size_t i = 0; i < workload.arguments.size(); ++i)
      head += (i ? ", " : "") + use(i) + ": " + typeOf(i) + " {llvm.noalias}";
    head += ") attributes {llvm.emit_c_interface} {\n";
    for (int local : locals)
      text += "  memref.dealloc " + use(local) + " : " + typeOf(local) + "\n";
    workload.ir = head + text + "  return\n}\n";
    return workload;
  }

  bool dynamic;
  Workload workload;
  std::vector<Argument> buffers;
  std::vector<int> locals;
  /// Types of views.
  std::map<int, std::string> types;
  std::string text;
  int fills = 0;
};

const char *mulAdd = "    %m = arith.mulf %a0, %a1 : f32\n"
                     "    %y = arith.addf %a2, %m : f32\n";
const char *squaredDistance = "    %d = arith.subf %a0, %a1 : f32\n"
                              "    %m = arith.mulf %d, %d : f32\n"
                              "    %y = arith.addf %a2, %m : f32\n";
const char *maxPlus = "    %m = arith.addf %a0, %a1 : f32\n"
                      "    %y = arith.maximumf %a2, %m : f32\n";
const char *maxDistance = "    %d = arith.subf %a0, %a1 : f32\n"
                          "    %m = math.absf %d : f32\n"
                          "    %y = arith.maximumf %a2, %m : f32\n";

/// C[m, n] (+)= A (*) B with any body; `a` and `b` are the operands' maps.
Workload contraction(const std::string &name, bool dynamic, int64_t m,
                     int64_t n, int64_t k, const char *body, double flops,
                     const char *start = "0.0", bool transposeA = false,
                     bool transposeB = false) {
  Builder b(name, dynamic);
  using Shape = std::vector<int64_t>;
  int left = b.argument(transposeA ? Shape{k, m} : Shape{m, k});
  int right = b.argument(transposeB ? Shape{n, k} : Shape{k, n});
  int result = b.argument({m, n});
  b.fill(result, start);
  b.generic(
      {{left, right, result},
       {transposeA ? "(i,j,k)->(k,i)" : "(i,j,k)->(i,k)",
        transposeB ? "(i,j,k)->(j,k)" : "(i,j,k)->(k,j)", "(i,j,k)->(i,j)"},
       "ppr",
       body});
  return b.flops(flops * m * n * k);
}

/// Y = max(A B, 0): what follows a product must not slow it down.
Workload rectifiedMatmul(bool dynamic, int64_t m, int64_t n, int64_t k) {
  Builder b("matmul, relu " + std::to_string(m) + "x" + std::to_string(n) +
                "x" + std::to_string(k),
            dynamic);
  int left = b.argument({m, k});
  int right = b.argument({k, n});
  int result = b.argument({m, n});
  int product = b.temporary({m, n}, result);
  b.fill(product, "0.0");
  b.generic({{left, right, product},
             {"(i,j,k)->(i,k)", "(i,j,k)->(k,j)", "(i,j,k)->(i,j)"},
             "ppr",
             mulAdd});
  b.generic({{product, result},
             {"(i,j)->(i,j)", "(i,j)->(i,j)"},
             "pp",
             "    %z = arith.constant 0.0 : f32\n"
             "    %y = arith.maximumf %a0, %z : f32\n"});
  return b.flops(2.0 * m * n * k);
}

/// A^T A in 64 bits: both operands are far apart along the reduction.
Workload gram(bool dynamic, int64_t size) {
  Builder b("matmul A^T A f64 " + std::to_string(size), dynamic);
  int left = b.argument({size, size}, "f64");
  int result = b.argument({size, size}, "f64");
  b.fill(result, "0.0");
  b.generic({{left, left, result},
             {"(i,j,k)->(k,i)", "(i,j,k)->(k,j)", "(i,j,k)->(i,j)"},
             "ppr",
             "    %m = arith.mulf %a0, %a1 : f64\n"
             "    %y = arith.addf %a2, %m : f64\n"});
  return b.flops(4.0 * size * size * size);
}

/// abcd = aebf dfce: indices interleave.
Workload interleaved(bool dynamic, int64_t size) {
  Builder b("abcd = aebf dfce " + std::to_string(size), dynamic);
  std::vector<int64_t> shape(4, size);
  int left = b.argument(shape), right = b.argument(shape);
  int result = b.argument(shape);
  b.fill(result, "0.0");
  std::string loops = "(a,b,c,d,e,f)->";
  b.generic({{left, right, result},
             {loops + "(a,e,b,f)", loops + "(d,f,c,e)", loops + "(a,b,c,d)"},
             "pppprr",
             mulAdd});
  return b.flops(2.0 * std::pow(size, 6));
}

/// A matrix product of narrow inputs, accumulated in `wide` by `extend`.
Workload typedMatmul(bool dynamic, int64_t size, const std::string &narrow,
                     const std::string &wide, const std::string &extend,
                     double flops) {
  Builder b("matmul " + narrow + " " + std::to_string(size), dynamic);
  int left = b.argument({size, size}, narrow);
  int right = b.argument({size, size}, narrow);
  int result = b.argument({size, size}, wide);
  bool floating = wide[0] == 'f';
  std::string body, x = "%a0", y = "%a1";
  if (!extend.empty()) {
    for (const char *i : {"0", "1"})
      body += std::string("    %w") + i + " = " + extend + " %a" + i + " : " +
              narrow + " to " + wide + "\n";
    x = "%w0";
    y = "%w1";
  }
  body += "    %m = " + std::string(floating ? "arith.mulf " : "arith.muli ") +
          x + ", " + y + " : " + wide +
          "\n    %y = " + (floating ? "arith.addf" : "arith.addi") +
          " %a2, %m : " + wide + "\n";
  b.fill(result, floating ? "0.0" : "0");
  b.generic({{left, right, result},
             {"(i,j,k)->(i,k)", "(i,j,k)->(k,j)", "(i,j,k)->(i,j)"},
             "ppr",
             body});
  return b.flops(flops * size * size * size);
}

Workload softmax(bool dynamic, int64_t rows, int64_t columns) {
  Builder b("softmax " + std::to_string(rows) + "x" + std::to_string(columns),
            dynamic);
  int x = b.argument({rows, columns}), y = b.argument({rows, columns});
  int max = b.temporary({rows}, x), e = b.temporary({rows, columns}, x),
      sum = b.temporary({rows}, x);
  b.fill(max, "0xFF800000");
  b.generic({{x, max},
             {"(r,c)->(r,c)", "(r,c)->(r)"},
             "pr",
             "    %y = arith.maximumf %a1, %a0 : f32\n"});
  b.generic({{x, max, e},
             {"(r,c)->(r,c)", "(r,c)->(r)", "(r,c)->(r,c)"},
             "pp",
             "    %d = arith.subf %a0, %a1 : f32\n"
             "    %y = math.exp %d : f32\n"});
  b.fill(sum, "0.0");
  b.generic({{e, sum},
             {"(r,c)->(r,c)", "(r,c)->(r)"},
             "pr",
             "    %y = arith.addf %a1, %a0 : f32\n"});
  b.generic({{e, sum, y},
             {"(r,c)->(r,c)", "(r,c)->(r)", "(r,c)->(r,c)"},
             "pp",
             "    %y = arith.divf %a0, %a1 : f32\n"});
  return b.bytes(8.0 * rows * columns);
}

Workload elementwise(const std::string &name, bool dynamic, int64_t rows,
                     int64_t columns, const char *from, const char *body) {
  Builder b(name, dynamic);
  bool transposed = std::string(from) == "(r,c)->(c,r)";
  int x =
      transposed ? b.argument({columns, rows}) : b.argument({rows, columns});
  int y = b.argument({rows, columns});
  b.generic({{x, y}, {from, "(r,c)->(r,c)"}, "pp", body});
  return b.bytes(8.0 * rows * columns);
}

Workload reduction(const std::string &name, bool dynamic, int64_t rows,
                   int64_t columns, bool overRows) {
  Builder b(name, dynamic);
  int x = b.argument({rows, columns});
  int y = b.argument({overRows ? columns : rows});
  b.fill(y, "0.0");
  b.generic({{x, y},
             {"(r,c)->(r,c)", overRows ? "(r,c)->(c)" : "(r,c)->(r)"},
             overRows ? "rp" : "pr",
             "    %y = arith.addf %a1, %a0 : f32\n"});
  return b.bytes(4.0 * rows * columns);
}

Workload matrixVector(bool dynamic, int64_t rows, int64_t columns,
                      bool transposed) {
  Builder b(transposed ? "vector-matrix" : "matrix-vector", dynamic);
  int a = b.argument({rows, columns});
  int x = b.argument({transposed ? rows : columns});
  int y = b.argument({transposed ? columns : rows});
  b.fill(y, "0.0");
  b.generic({{a, x, y},
             {"(r,c)->(r,c)", transposed ? "(r,c)->(r)" : "(r,c)->(c)",
              transposed ? "(r,c)->(c)" : "(r,c)->(r)"},
             transposed ? "rp" : "pr",
             mulAdd});
  return b.bytes(4.0 * rows * columns);
}

Workload rmsNorm(bool dynamic, int64_t rows, int64_t columns) {
  Builder b("rmsnorm " + std::to_string(rows), dynamic);
  int x = b.argument({rows, columns}), g = b.argument({columns});
  int y = b.argument({rows, columns});
  int sum = b.temporary({rows}, x), scale = b.temporary({rows}, x);
  b.fill(sum, "0.0");
  b.generic({{x, sum},
             {"(r,c)->(r,c)", "(r,c)->(r)"},
             "pr",
             "    %m = arith.mulf %a0, %a0 : f32\n"
             "    %y = arith.addf %a1, %m : f32\n"});
  b.generic({{sum, scale},
             {"(r)->(r)", "(r)->(r)"},
             "p",
             "    %n = arith.constant 4096.0 : f32\n"
             "    %e = arith.constant 1.0e-5 : f32\n"
             "    %0 = arith.divf %a0, %n : f32\n"
             "    %1 = arith.addf %0, %e : f32\n"
             "    %y = math.rsqrt %1 : f32\n"});
  b.generic({{x, scale, g, y},
             {"(r,c)->(r,c)", "(r,c)->(r)", "(r,c)->(c)", "(r,c)->(r,c)"},
             "pp",
             "    %m = arith.mulf %a0, %a1 : f32\n"
             "    %y = arith.mulf %m, %a2 : f32\n"});
  return b.bytes(8.0 * rows * columns);
}

/// Five points around each, of a matrix with a border of one.
Workload stencil(bool dynamic, int64_t size) {
  Builder b("stencil " + std::to_string(size), dynamic);
  int x = b.argument({size + 2, size + 2}), y = b.argument({size, size});
  std::vector<int> operands;
  for (auto [row, column] : std::initializer_list<std::pair<int, int>>{
           {1, 1}, {0, 1}, {2, 1}, {1, 0}, {1, 2}})
    operands.push_back(b.window(x, row, column, y));
  operands.push_back(y);
  b.generic({operands, std::vector<std::string>(6, "(r,c)->(r,c)"), "pp",
             "    %q = arith.constant 0.2 : f32\n"
             "    %0 = arith.addf %a0, %a1 : f32\n"
             "    %1 = arith.addf %a2, %a3 : f32\n"
             "    %2 = arith.addf %0, %1 : f32\n"
             "    %3 = arith.addf %2, %a4 : f32\n"
             "    %y = arith.mulf %3, %q : f32\n"});
  return b.bytes(8.0 * size * size);
}

/// All of attention: scores, their softmax, and the values' means.
Workload attention(bool dynamic, int64_t heads, int64_t length, int64_t depth) {
  Builder b("attention", dynamic);
  int q = b.argument({heads, length, depth});
  int k = b.argument({heads, length, depth});
  int v = b.argument({heads, length, depth});
  int o = b.argument({heads, length, depth});
  std::vector<int64_t> square{heads, length, length};
  int t = b.temporary(square, q, {0, 1, 1}),
      e = b.temporary(square, q, {0, 1, 1}),
      p = b.temporary(square, q, {0, 1, 1});
  int max = b.temporary({heads, length}, q),
      sum = b.temporary({heads, length}, q);
  std::string row = "(h,s,t)->(h,s)", all = "(h,s,t)->(h,s,t)";
  b.fill(t, "0.0");
  b.generic({{q, k, t},
             {"(h,s,t,d)->(h,s,d)", "(h,s,t,d)->(h,t,d)", "(h,s,t,d)->(h,s,t)"},
             "pppr",
             "    %z = arith.constant 0.125 : f32\n"
             "    %m = arith.mulf %a0, %a1 : f32\n"
             "    %n = arith.mulf %m, %z : f32\n"
             "    %y = arith.addf %a2, %n : f32\n"});
  b.fill(max, "0xFF800000");
  b.generic({{t, max},
             {all, row},
             "ppr",
             "    %y = arith.maximumf %a1, %a0 : f32\n"});
  b.generic({{t, max, e},
             {all, row, all},
             "ppp",
             "    %d = arith.subf %a0, %a1 : f32\n"
             "    %y = math.exp %d : f32\n"});
  b.fill(sum, "0.0");
  b.generic(
      {{e, sum}, {all, row}, "ppr", "    %y = arith.addf %a1, %a0 : f32\n"});
  b.generic({{e, sum, p},
             {all, row, all},
             "ppp",
             "    %y = arith.divf %a0, %a1 : f32\n"});
  b.fill(o, "0.0");
  b.generic({{p, v, o},
             {"(h,s,d,t)->(h,s,t)", "(h,s,d,t)->(h,t,d)", "(h,s,d,t)->(h,s,d)"},
             "pppr",
             mulAdd});
  return b.flops(4.0 * heads * length * length * depth);
}

/// The two contractions of attention over [b, s, h, d] layouts.
Workload scores(bool dynamic, int64_t batch, int64_t heads, int64_t length,
                int64_t depth) {
  Builder b("attention QK^T", dynamic);
  int q = b.argument({batch, length, heads, depth});
  int k = b.argument({batch, length, heads, depth});
  int t = b.argument({batch, heads, length, length});
  b.fill(t, "0.0");
  b.generic({{q, k, t},
             {"(b,h,s,t,d)->(b,s,h,d)", "(b,h,s,t,d)->(b,t,h,d)",
              "(b,h,s,t,d)->(b,h,s,t)"},
             "ppppr",
             mulAdd});
  return b.flops(2.0 * batch * heads * length * length * depth);
}

Workload values(bool dynamic, int64_t batch, int64_t heads, int64_t length,
                int64_t depth) {
  Builder b("attention PV", dynamic);
  int p = b.argument({batch, heads, length, length});
  int v = b.argument({batch, length, heads, depth});
  int o = b.argument({batch, length, heads, depth});
  b.fill(o, "0.0");
  b.generic({{p, v, o},
             {"(b,h,s,d,t)->(b,h,s,t)", "(b,h,s,d,t)->(b,t,h,d)",
              "(b,h,s,d,t)->(b,s,h,d)"},
             "ppppr",
             mulAdd});
  return b.flops(2.0 * batch * heads * length * length * depth);
}

Workload convolution(bool dynamic, int64_t batch, int64_t channels,
                     int64_t size, int64_t filters, int64_t stride) {
  Builder b("conv 3x3 stride " + std::to_string(stride), dynamic);
  int64_t in = (size - 1) * stride + 3;
  int x = b.argument({batch, channels, in, in});
  int w = b.argument({filters, channels, 3, 3});
  int y = b.argument({batch, filters, size, size});
  std::string s = std::to_string(stride);
  std::string loops = "(b,f,y,x,c,r,s)->";
  b.fill(y, "0.0");
  b.generic({{x, w, y},
             {loops + "(b,c,y*" + s + "+r,x*" + s + "+s)", loops + "(f,c,r,s)",
              loops + "(b,f,y,x)"},
             "pppprrr",
             mulAdd});
  return b.flops(2.0 * batch * filters * size * size * channels * 9);
}

} // namespace

Workload product(int64_t m, int64_t n, int64_t k) {
  std::string name = "product " + std::to_string(m) + "x" + std::to_string(n) +
                     "x" + std::to_string(k);
  return contraction(name, false, m, n, k, mulAdd, 2, "0.0");
}

std::vector<Workload> allWorkloads() {
  std::vector<Workload> all;
  auto matmul = [&](const char *name, int64_t m, int64_t n, int64_t k,
                    bool ta = false, bool tb = false) {
    for (bool dynamic : {false, true})
      all.push_back(
          contraction(name, dynamic, m, n, k, mulAdd, 2, "0.0", ta, tb));
  };
  matmul("matmul 64", 64, 64, 64);
  matmul("matmul 256", 256, 256, 256);
  matmul("matmul 512", 512, 512, 512);
  matmul("matmul 1024", 1024, 1024, 1024);
  matmul("matmul A^T B 1024", 1024, 1024, 1024, true);
  matmul("matmul A B^T 1024", 1024, 1024, 1024, false, true);
  matmul("matmul 97x53x41", 97, 53, 41);
  matmul("matmul 64x4096x4096", 64, 4096, 4096);
  matmul("matmul 4096x64x4096", 4096, 64, 4096);
  matmul("matmul 4096x4096x64", 4096, 4096, 64);
  matmul("matmul 512x10x784", 512, 10, 784);
  matmul("matmul 8x1024x1024", 8, 1024, 1024);
  for (bool dynamic : {false, true}) {
    all.push_back(gram(dynamic, 1024));
    all.push_back(interleaved(dynamic, 32));
    all.push_back(rectifiedMatmul(dynamic, 1024, 1024, 1024));
    all.push_back(rectifiedMatmul(dynamic, 128, 1024, 4096));
    all.push_back(typedMatmul(dynamic, 512, "f64", "f64", "", 4));
    all.push_back(typedMatmul(dynamic, 512, "bf16", "f32", "arith.extf", 2));
    all.push_back(typedMatmul(dynamic, 512, "f16", "f32", "arith.extf", 2));
    all.push_back(typedMatmul(dynamic, 512, "i32", "i32", "", 2));
    all.push_back(typedMatmul(dynamic, 512, "i64", "i64", "", 4));
    all.push_back(typedMatmul(dynamic, 512, "i8", "i32", "arith.extsi", 2));
  }
  for (bool dynamic : {false, true}) {
    all.push_back(contraction("squared L2 1024x1024x256", dynamic, 1024, 1024,
                              256, squaredDistance, 3, "0.0", false, true));
    all.push_back(contraction("L-infinity 1024x1024x256", dynamic, 1024, 1024,
                              256, maxDistance, 4, "0.0", false, true));
    all.push_back(contraction("max-plus 512", dynamic, 512, 512, 512, maxPlus,
                              2, "0xFF800000"));
    all.push_back(softmax(dynamic, 4096, 4096));
    all.push_back(softmax(dynamic, 65536, 64));
    all.push_back(elementwise("copy 4096", dynamic, 4096, 4096, "(r,c)->(r,c)",
                              "    %y = arith.addf %a0, %a0 : f32\n"));
    all.push_back(elementwise("exp 4096", dynamic, 4096, 4096, "(r,c)->(r,c)",
                              "    %y = math.exp %a0 : f32\n"));
    all.push_back(elementwise("gelu 4096", dynamic, 4096, 4096, "(r,c)->(r,c)",
                              "    %h = arith.constant 0.5 : f32\n"
                              "    %o = arith.constant 1.0 : f32\n"
                              "    %s = arith.constant 0.70710678 : f32\n"
                              "    %0 = arith.mulf %a0, %s : f32\n"
                              "    %1 = math.erf %0 : f32\n"
                              "    %2 = arith.addf %1, %o : f32\n"
                              "    %3 = arith.mulf %a0, %h : f32\n"
                              "    %y = arith.mulf %3, %2 : f32\n"));
    all.push_back(elementwise("transpose 4096", dynamic, 4096, 4096,
                              "(r,c)->(c,r)",
                              "    %y = arith.addf %a0, %a0 : f32\n"));
    all.push_back(reduction("row sums 4096", dynamic, 4096, 4096, false));
    all.push_back(reduction("column sums 4096", dynamic, 4096, 4096, true));
    all.push_back(matrixVector(dynamic, 4096, 4096, false));
    all.push_back(matrixVector(dynamic, 4096, 4096, true));
    all.push_back(rmsNorm(dynamic, 4096, 4096));
    all.push_back(stencil(dynamic, 4096));
    all.push_back(attention(dynamic, 16, 1024, 64));
    all.push_back(scores(dynamic, 2, 8, 512, 64));
    all.push_back(values(dynamic, 2, 8, 512, 64));
    all.push_back(convolution(dynamic, 4, 64, 56, 64, 1));
    all.push_back(convolution(dynamic, 4, 64, 28, 64, 2));
  }
  return all;
}

} // namespace bench
