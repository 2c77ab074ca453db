//===- BytecodeVersion.cpp - The version of our dialects' bytecode --------===//

#include "tapestry/Dialect/Index/IR/BytecodeVersion.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tapestry::index;

void BytecodeVersion::writeVersion(DialectBytecodeWriter &writer) const {
  uint64_t number = current;
  // The writer may have been asked for another one.
  auto asked = writer.getDialectVersion(getDialect()->getNamespace());
  if (succeeded(asked))
    number = static_cast<const Version *>(*asked)->number;
  writer.writeVarInt(number);
}

std::unique_ptr<DialectVersion>
BytecodeVersion::readVersion(DialectBytecodeReader &reader) const {
  uint64_t number;
  if (failed(reader.readVarInt(number)))
    return nullptr;
  if (number > current) {
    reader.emitError() << "version " << number << " of the dialect '"
                       << getDialect()->getNamespace()
                       << "' is newer than this one, which is " << current;
    return nullptr;
  }
  return std::make_unique<Version>(number);
}
