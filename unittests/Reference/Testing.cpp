//===- Testing.cpp - Helpers of the evaluator's unit tests ----------------===//

#include "Testing.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tapestry/Import/Ein/Import.h"
#include "llvm/Support/MemoryBuffer.h"
#include <complex>

using namespace tapestry;

Evaluation::Evaluation() {
  context.loadDialect<teg::TapestryDialect, mlir::arith::ArithDialect,
                      mlir::math::MathDialect>();
}

llvm::Expected<Tensors> Evaluation::evaluate(llvm::StringRef text,
                                             const Tensors &inputs,
                                             unsigned threads) {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (text.contains("tapestry.graph"))
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  else
    module = ein::importEin(llvm::MemoryBufferRef(text, "test.ein"),
                            ein::EinOptions(), &context);
  if (!module || failed(mlir::verify(*module)))
    return llvm::createStringError("the program is wrong");
  auto graph = *module->getOps<teg::GraphOp>().begin();
  return evaluateGraph(graph, inputs, threads);
}

Tensors Evaluation::run(llvm::StringRef text, const Tensors &inputs,
                        unsigned threads) {
  llvm::Expected<Tensors> outputs = evaluate(text, inputs, threads);
  if (outputs)
    return std::move(*outputs);
  ADD_FAILURE() << llvm::toString(outputs.takeError());
  return {};
}

std::string Evaluation::errorOf(llvm::StringRef text, const Tensors &inputs) {
  llvm::Expected<Tensors> outputs = evaluate(text, inputs, 0);
  return outputs ? "" : llvm::toString(outputs.takeError());
}

HostTensor Evaluation::random(DType dtype, llvm::ArrayRef<int64_t> shape,
                              double low, double high) {
  HostTensor tensor = llvm::cantFail(HostTensor::create(dtype, shape));
  std::uniform_real_distribution<double> draw(low, high);
  auto fill = [&](auto zero, auto convert) {
    for (auto &element : tensor.data<decltype(zero)>())
      element = static_cast<decltype(zero)>(convert(draw(generator)));
  };
  auto same = [](double value) { return value; };
  switch (dtype) {
  case DType::F64:
    fill(double(), same);
    break;
  case DType::F32:
    fill(float(), same);
    break;
  case DType::F16:
    fill(uint16_t(), encodeF16);
    break;
  case DType::BF16:
    fill(uint16_t(), encodeBF16);
    break;
  case DType::I8:
    fill(int8_t(), same);
    break;
  case DType::I16:
    fill(int16_t(), same);
    break;
  case DType::I32:
    fill(int32_t(), same);
    break;
  case DType::I64:
    fill(int64_t(), same);
    break;
  case DType::Bool:
    fill(uint8_t(), [&](double value) { return value > (low + high) / 2; });
    break;
  case DType::C64:
    fill(std::complex<float>(), same);
    break;
  case DType::C128:
    fill(std::complex<double>(), same);
    break;
  }
  return tensor;
}
