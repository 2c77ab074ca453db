//===- BytecodeVersion.h - The version of our dialects' bytecode *- C++ -*-===//
//
// What all of Tapestry's dialects write into bytecode files beside their name.
// A change of an op's properties or of an attribute's form raises the number,
// and reads what earlier ones wrote by `getDialectVersion` of the reader.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_BYTECODEVERSION_H
#define TAPESTRY_DIALECT_INDEX_IR_BYTECODEVERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace tapestry::index {

class BytecodeVersion : public mlir::BytecodeDialectInterface {
public:
  explicit BytecodeVersion(mlir::Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  static constexpr uint64_t current = 1;

  struct Version : public mlir::DialectVersion {
    explicit Version(uint64_t number) : number(number) {}
    uint64_t number;
  };

  void writeVersion(mlir::DialectBytecodeWriter &writer) const override;
  /// Refuses what a later Tapestry wrote.
  std::unique_ptr<mlir::DialectVersion>
  readVersion(mlir::DialectBytecodeReader &reader) const override;
};

} // namespace tapestry::index

#endif // TAPESTRY_DIALECT_INDEX_IR_BYTECODEVERSION_H
