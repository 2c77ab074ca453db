//===- BytecodeVersion.cpp - The version of our dialects' bytecode --------===//

#include "tapestry/Dialect/Index/IR/BytecodeVersion.h"
#include "mlir/Bytecode/Encoding.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tapestry::index;

static uint64_t versionOf(const DialectBytecodeWriter &writer,
                          StringRef dialect) {
  auto asked = writer.getDialectVersion(dialect);
  return succeeded(asked)
             ? static_cast<const BytecodeVersion::Version *>(*asked)->number
             : BytecodeVersion::current;
}

uint64_t
BytecodeVersion::writtenVersion(const DialectBytecodeWriter &writer) const {
  return versionOf(writer, getDialect()->getNamespace());
}

bool BytecodeVersion::isWritten(const DialectBytecodeWriter &writer,
                                StringRef dialect, uint64_t first) {
  // The oldest form of MLIR's files names no versions of dialects.
  return writer.getBytecodeVersion() >= bytecode::kDialectVersioning &&
         versionOf(writer, dialect) >= first;
}

bool BytecodeVersion::isRead(const DialectBytecodeReader &reader,
                             StringRef dialect, uint64_t first) {
  auto version = reader.getDialectVersion(dialect);
  return succeeded(version) &&
         static_cast<const Version *>(*version)->number >= first;
}

void BytecodeVersion::writeVersion(DialectBytecodeWriter &writer) const {
  writer.writeVarInt(writtenVersion(writer));
}

bool BytecodeVersion::isTextAlone(const DialectBytecodeWriter &writer) const {
  return !isWritten(writer, getDialect()->getNamespace(), firstCoded);
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

std::optional<uint64_t>
BytecodeVersion::readCode(DialectBytecodeReader &reader) const {
  if (!isRead(reader, getDialect()->getNamespace(), firstCoded)) {
    reader.emitError() << "the dialect '" << getDialect()->getNamespace()
                       << "' has codes of attributes and types from version "
                       << firstCoded << " on, the file's is earlier";
    return std::nullopt;
  }
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return std::nullopt;
  return code;
}
