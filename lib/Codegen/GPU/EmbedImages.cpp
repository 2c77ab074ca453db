//===- EmbedImages.cpp - The GPU's code as the program's constants --------===//

#include "DeviceModule.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "tapestry/Codegen/GPU/Passes.h"
#include "tapestry/Object/Object.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_EMBEDIMAGES
#include "tapestry/Codegen/GPU/Passes.h.inc"

namespace {

struct EmbedImages : public impl::EmbedImagesBase<EmbedImages> {
  using EmbedImagesBase::EmbedImagesBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    EmbedImagesBase::getDependentDialects(registry);
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerGPUDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }
  void runOnOperation() override;

private:
  struct Image {
    std::string arch, bytes;
  };
  FailureOr<SmallVector<Image>> makeImages(gpu::GPUModuleOp device);
  LLVM::GlobalOp addBytes(StringRef name, StringRef bytes, uint64_t alignment);
  /// A constant array of rows of pointers and numbers.
  using Field = std::variant<int64_t, LLVM::GlobalOp>;
  LLVM::GlobalOp addTable(StringRef name, ArrayRef<SmallVector<Field>> rows);
  Value valueOf(OpBuilder &b, const Field &field);
};

FailureOr<SmallVector<EmbedImages::Image>>
EmbedImages::makeImages(gpu::GPUModuleOp device) {
  SmallVector<Image> images;
  if (auto stub = getOperation().lookupSymbol<ModuleOp>(stubModuleName)) {
    auto object = compileToObject(stub);
    if (failed(object))
      return failure();
    images.push_back({stubArch.str(), (*object)->getBuffer().str()});
    stub.erase();
  }
  for (const std::string &arch : ptxArchs(archs)) {
    FailureOr<std::string> text = emitPTX(device, arch);
    if (failed(text))
      return failure();
    images.push_back({arch, std::move(*text)});
  }
  return images;
}

LLVM::GlobalOp EmbedImages::addBytes(StringRef name, StringRef bytes,
                                     uint64_t alignment) {
  OpBuilder b = OpBuilder::atBlockBegin(getOperation().getBody());
  // With a zero behind, as the driver reads PTX.
  std::string text = bytes.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
  return LLVM::GlobalOp::create(b, getOperation().getLoc(), type,
                                /*isConstant=*/true, LLVM::Linkage::Internal,
                                name, b.getStringAttr(text), alignment);
}

Value EmbedImages::valueOf(OpBuilder &b, const Field &field) {
  Location loc = getOperation().getLoc();
  if (const auto *number = std::get_if<int64_t>(&field))
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(*number));
  return LLVM::AddressOfOp::create(b, loc, std::get<LLVM::GlobalOp>(field));
}

LLVM::GlobalOp EmbedImages::addTable(StringRef name,
                                     ArrayRef<SmallVector<Field>> rows) {
  OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
  Location loc = getOperation().getLoc();
  SmallVector<Type> fields;
  for (const Field &field : rows.front())
    fields.push_back(std::holds_alternative<int64_t>(field)
                         ? Type(b.getI64Type())
                         : Type(LLVM::LLVMPointerType::get(&getContext())));
  auto row = LLVM::LLVMStructType::getLiteral(&getContext(), fields);
  auto type = LLVM::LLVMArrayType::get(row, rows.size());
  auto global =
      LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name, Attribute());
  b.createBlock(&global.getInitializerRegion());
  Value table = LLVM::UndefOp::create(b, loc, type);
  for (auto [at, values] : llvm::enumerate(rows))
    for (auto [number, field] : llvm::enumerate(values))
      table = LLVM::InsertValueOp::create(
          b, loc, table, valueOf(b, field),
          ArrayRef<int64_t>{int64_t(at), int64_t(number)});
  LLVM::ReturnOp::create(b, loc, table);
  return global;
}

void EmbedImages::runOnOperation() {
  auto device = getOperation().lookupSymbol<gpu::GPUModuleOp>(deviceModuleName);
  if (!device)
    return;
  auto images = makeImages(device);
  if (failed(images))
    return signalPassFailure();
  std::string prefix = (deviceCodeName + ".").str();
  SmallVector<SmallVector<Field>> imageRows, nameRows;
  for (const Image &image : *images)
    imageRows.push_back({addBytes(prefix + "arch." + image.arch, image.arch, 1),
                         addBytes(prefix + image.arch, image.bytes, 64),
                         static_cast<int64_t>(image.bytes.size())});
  for (auto kernel : device.getOps<LLVM::LLVMFuncOp>())
    if (!kernel.isExternal())
      nameRows.push_back(
          {addBytes(prefix + "kernel." + std::to_string(nameRows.size()),
                    kernel.getName(), 1)});
  auto numImages = static_cast<int64_t>(imageRows.size());
  auto kernels = static_cast<int64_t>(nameRows.size());
  if (nameRows.empty())
    nameRows.push_back({addBytes(prefix + "kernel.none", "", 1)});
  LLVM::GlobalOp imageTable = addTable(prefix + "images", imageRows);
  LLVM::GlobalOp nameTable = addTable(prefix + "kernels", nameRows);
  getOperation().lookupSymbol(deviceCodeName)->erase();
  addTable(deviceCodeName, {{numImages, imageTable, kernels, nameTable}});
  device.erase();
  getOperation()->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
}

} // namespace
} // namespace tapestry
