//===- ExpectedSizes.cpp - What sizes are on most devices -----------------===//

#include "tapestry/Codegen/Common/ExpectedSizes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tapestry;

static func::FuncOp functionOf(Value value) {
  return value.getParentRegion()->getParentOfType<func::FuncOp>();
}

//===----------------------------------------------------------------------===//
// Device code
//===----------------------------------------------------------------------===//

/// What the only call of a function hands over.
class ExpectedSizes::Arguments : public ArgumentSizes {
public:
  Arguments(ExpectedSizes &sizes, func::FuncOp function)
      : sizes(sizes), call(sizes.calls.lookup(function.getName())) {}

  std::optional<int64_t> valueOf(unsigned argument) override {
    return call ? sizes.valueOf(call.getOperand(argument)) : std::nullopt;
  }
  std::optional<int64_t> sizeOf(unsigned argument, unsigned dim) override {
    return call ? sizes.sizeOf(call.getOperand(argument), dim) : std::nullopt;
  }

private:
  ExpectedSizes &sizes;
  func::CallOp call;
};

ExpectedSizes::ExpectedSizes(ModuleOp module)
    : trace(module, MemoryTrace::Hooks()) {
  module.walk([&](func::CallOp call) {
    auto [known, isFirst] = calls.try_emplace(call.getCallee(), call);
    // A function that calls itself has no first caller.
    if (!isFirst ||
        call->getParentOfType<func::FuncOp>().getName() == call.getCallee())
      known->second = nullptr;
  });
}

std::optional<int64_t> ExpectedSizes::sizeOf(Value buffer, unsigned dim) {
  Arguments arguments(*this, functionOf(buffer));
  return trace.sizeOn(/*device=*/0, buffer, dim, arguments);
}

std::optional<int64_t> ExpectedSizes::valueOf(Value value) {
  Arguments arguments(*this, functionOf(value));
  return trace.valueOn(/*device=*/0, value, arguments);
}

DenseI64ArrayAttr ExpectedSizes::extentsOf(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || type.hasStaticShape())
    return nullptr;
  SmallVector<int64_t> extents(type.getShape());
  bool isKnown = false;
  for (auto [dim, extent] : llvm::enumerate(extents))
    if (ShapedType::isDynamic(extent))
      if (std::optional<int64_t> size = sizeOf(buffer, dim)) {
        extent = *size;
        isKnown = true;
      }
  return isKnown ? DenseI64ArrayAttr::get(type.getContext(), extents) : nullptr;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// What is written at the arguments of a kernel.
class KernelArguments : public ArgumentSizes {
public:
  explicit KernelArguments(func::FuncOp kernel) : kernel(kernel) {}

  std::optional<int64_t> valueOf(unsigned) override { return std::nullopt; }
  std::optional<int64_t> sizeOf(unsigned argument, unsigned dim) override {
    auto extents =
        kernel.getArgAttrOfType<DenseI64ArrayAttr>(argument, extentsAttrName);
    if (!extents || dim >= extents.size() ||
        ShapedType::isDynamic(extents[dim]))
      return std::nullopt;
    return extents[dim];
  }

private:
  func::FuncOp kernel;
};
} // namespace

std::optional<int64_t> tapestry::expectedSize(Value buffer, unsigned dim) {
  func::FuncOp kernel = functionOf(buffer);
  if (!kernel)
    return std::nullopt;
  KernelArguments arguments(kernel);
  return MemoryTrace(nullptr, MemoryTrace::Hooks())
      .sizeOn(/*device=*/0, buffer, dim, arguments);
}

std::optional<int64_t> tapestry::expectedValue(Value value) {
  func::FuncOp kernel = functionOf(value);
  if (!kernel)
    return std::nullopt;
  KernelArguments arguments(kernel);
  return MemoryTrace(nullptr, MemoryTrace::Hooks())
      .valueOn(/*device=*/0, value, arguments);
}
