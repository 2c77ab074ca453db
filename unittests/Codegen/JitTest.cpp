//===- JitTest.cpp - Objects and the JIT at their edges -------------------===//
//
// Errors name what is missing; equal input gives equal objects; symbols that
// the caller gives come first.
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tapestry/Codegen/Pipeline.h"
#include "tapestry/Object/Object.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace tapestry;

namespace {

OwningOpRef<ModuleOp> lower(const char *text) {
  auto module = parseSourceString<ModuleOp>(text, &test::context());
  if (module)
    test::markFunctions(*module);
  PassManager pm(&test::context());
  CodegenOptions options;
  buildCodegenPipeline(pm, *llvm::cantFail(options.makeTarget()), options);
  if (!module || failed(pm.run(*module)))
    return nullptr;
  return module;
}

const char *callsOut = R"(
  func.func private @host_value(f64) -> f64
  func.func @twice(%x: f64) -> f64 {
    %0 = func.call @host_value(%x) : (f64) -> f64
    %1 = arith.addf %0, %0 : f64
    return %1 : f64
  }
)";

double hostValue(double x) { return x + 0.25; }

TEST(JitProgram, ResolvesGivenSymbols) {
  auto module = lower(callsOut);
  ASSERT_TRUE(module);
  auto object = compileToObject(*module);
  ASSERT_TRUE(succeeded(object));
  auto program =
      JitProgram::create(std::move(*object),
                         {{"host_value", reinterpret_cast<void *>(hostValue)}});
  ASSERT_TRUE(bool(program)) << toString(program.takeError());
  auto twice = (*program)->lookup("twice");
  ASSERT_TRUE(bool(twice)) << toString(twice.takeError());
  EXPECT_EQ(reinterpret_cast<double (*)(double)>(*twice)(1.5), 3.5);

  auto missing = (*program)->lookup("no_such_function");
  ASSERT_FALSE(bool(missing));
  EXPECT_NE(toString(missing.takeError()).find("no_such_function"),
            std::string::npos);
}

TEST(JitProgram, NamesUnresolvedSymbols) {
  auto module = lower(callsOut);
  ASSERT_TRUE(module);
  auto object = compileToObject(*module);
  ASSERT_TRUE(succeeded(object));
  auto program = JitProgram::create(std::move(*object));
  ASSERT_TRUE(bool(program)) << toString(program.takeError());
  auto twice = (*program)->lookup("twice");
  ASSERT_FALSE(bool(twice));
  EXPECT_NE(toString(twice.takeError()).find("host_value"), std::string::npos);
}

TEST(CompileToObject, IsDeterministic) {
  const char *text = R"(
    #id = affine_map<(i) -> (i)>
    func.func @main(%x: memref<?xf32>, %y: memref<?xf32>) {
      linalg.generic {indexing_maps = [#id, #id],
                      iterator_types = ["parallel"]}
          ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %e = math.exp %a : f32
        linalg.yield %e : f32
      }
      return
    }
  )";
  std::string objects[2];
  for (std::string &bytes : objects) {
    auto module = lower(text);
    ASSERT_TRUE(module);
    auto object = compileToObject(*module);
    ASSERT_TRUE(succeeded(object));
    bytes = (*object)->getBuffer().str();
  }
  EXPECT_EQ(objects[0], objects[1]);
}

/// Functions that call each other by name and by address and read a variable:
/// main(x) is a sum of all.
std::string manyFunctions(int count, int length) {
  std::string text = "llvm.mlir.global internal constant @c(2.5 : f64) : f64\n";
  for (int k = 0; k < count; ++k) {
    text += "llvm.func internal @f" + std::to_string(k) +
            "(%x: f64, %s: f64) -> f64 {\n";
    text += "%v0 = llvm.fadd %x, %s : f64\n";
    for (int i = 0; i < length; ++i) {
      std::string last = "%v" + std::to_string(i);
      text += "%v" + std::to_string(i + 1) + " = llvm." +
              (i % 3 == 0 ? "fmul " : "fadd ") + last + ", " +
              (i % 2 ? "%x" : "%s") + " : f64\n";
    }
    std::string result = "%v" + std::to_string(length);
    if (k % 7 == 3)
      text += "%p = llvm.mlir.addressof @c : !llvm.ptr\n"
              "%c = llvm.load %p : !llvm.ptr -> f64\n"
              "%r = llvm.fadd " +
              result + ", %c : f64\n";
    else if (k > 0 && k % 5 == 0)
      text += "%p = llvm.mlir.addressof @f" + std::to_string(k - 1) +
              " : !llvm.ptr\n"
              "%r = llvm.call %p(%s, " +
              result + ") : !llvm.ptr, (f64, f64) -> f64\n";
    else if (k > 0)
      text += "%r = llvm.call @f" + std::to_string(k - 1) + "(%s, " + result +
              ") : (f64, f64) -> f64\n";
    else
      text += "%r = llvm.fadd " + result + ", %x : f64\n";
    text += "llvm.return %r : f64\n}\n";
  }
  text += "llvm.func @main(%x: f64, %s: f64) -> f64 {\n";
  std::string last = "%x";
  for (int k = 0; k < count; ++k) {
    std::string name = "%y" + std::to_string(k);
    text += name + " = llvm.call @f" + std::to_string(k) + "(" + last +
            ", %s) : (f64, f64) -> f64\n";
    last = name;
  }
  return text + "llvm.return " + last + " : f64\n}\n";
}

TEST(CompileToObject, SeveralThreadsMakeTheSameCode) {
  auto run = [](int length, unsigned threads, size_t &objects) {
    auto module = parseSourceString<ModuleOp>(manyFunctions(23, length),
                                              &test::context());
    EXPECT_TRUE(module);
    ObjectOptions options;
    options.threads = threads;
    auto object = compileToObject(*module, options);
    EXPECT_TRUE(succeeded(object));
    auto parts = objectsIn(**object);
    EXPECT_TRUE(bool(parts));
    objects = parts->size();
    auto program = JitProgram::create(std::move(*object));
    EXPECT_TRUE(bool(program)) << toString(program.takeError());
    auto main = (*program)->lookup("main");
    EXPECT_TRUE(bool(main)) << toString(main.takeError());
    return reinterpret_cast<double (*)(double, double)>(*main)(0.3, 0.7);
  };
  size_t objects = 0;
  double expected = run(400, 1, objects);
  EXPECT_EQ(objects, 1u);
  for (unsigned threads : {2u, 3u, 5u}) {
    EXPECT_EQ(run(400, threads, objects), expected);
    EXPECT_EQ(objects, threads);
  }
  // What is short is not worth it.
  EXPECT_EQ(run(3, 5, objects), run(3, 1, objects));
  run(3, 5, objects);
  EXPECT_EQ(objects, 1u);
}

TEST(CompileToObject, RefusesUnknownProcessors) {
  auto module = lower("func.func @main() { return }");
  ASSERT_TRUE(module);
  std::string message;
  ScopedDiagnosticHandler handler(&test::context(), [&](Diagnostic &d) {
    message = d.str();
    return success();
  });
  ObjectOptions options;
  options.cpu = "no-such-cpu";
  EXPECT_TRUE(failed(compileToObject(*module, options)));
  EXPECT_EQ(message, "unknown processor 'no-such-cpu'");
}

TEST(CompileToObject, RefusesOtherDialects) {
  auto module = parseSourceString<ModuleOp>("func.func @main() { return }",
                                            &test::context());
  ScopedDiagnosticHandler handler(&test::context(),
                                  [](Diagnostic &) { return success(); });
  EXPECT_TRUE(failed(compileToObject(*module)));
}

TEST(CompileToObject, DumpsTextOnRequest) {
  auto module = lower("func.func @answer() -> i64 {\n"
                      "  %0 = arith.constant 42 : i64\n"
                      "  return %0 : i64\n}");
  ASSERT_TRUE(module);
  std::string ir, assembly;
  llvm::raw_string_ostream irStream(ir), assemblyStream(assembly);
  ObjectOptions options;
  options.dumpLLVM = &irStream;
  options.dumpAssembly = &assemblyStream;
  ASSERT_TRUE(succeeded(compileToObject(*module, options)));
  EXPECT_NE(ir.find("i64 @answer()"), std::string::npos) << ir;
  EXPECT_NE(assembly.find("answer:"), std::string::npos) << assembly;
}

} // namespace
