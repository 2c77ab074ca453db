//===- BytecodeVersion.h - The version of our dialects' bytecode *- C++ -*-===//
//
// What all of Tapestry's dialects write into bytecode files beside their name.
// A change of an op's properties or of an attribute's form raises the number,
// and reads what earlier ones wrote by `getDialectVersion` of the reader.
//
// Version 1 wrote every attribute and type as text, version 2 writes them as a
// code and numbers. Text stays readable in every version: MLIR marks it.
// Version 3 has room for a range of an einsum behind its other properties,
// which is left empty now that shards hold what they are of, version 4 what a
// block may have beside its kernel's behind those of a block, by name, version
// 5 what sources come from and sinks lead to, version 6 the devices that they
// are on.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_BYTECODEVERSION_H
#define TAPESTRY_DIALECT_INDEX_IR_BYTECODEVERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "tapestry/Dialect/Index/IR/IndexAttrs.h"
#include <optional>

namespace tapestry::index {

class BytecodeVersion : public mlir::BytecodeDialectInterface {
public:
  explicit BytecodeVersion(mlir::Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  static constexpr uint64_t current = 6;
  /// The first version that has codes.
  static constexpr uint64_t firstCoded = 2;
  /// The first version whose einsums had room for a range.
  static constexpr uint64_t firstRanged = 3;
  /// The first version whose blocks may have more than a kernel.
  static constexpr uint64_t firstNamed = 4;
  /// The first version whose sources and sinks may have targets.
  static constexpr uint64_t firstTargeted = 5;
  /// The first version whose sources and sinks may be on a device.
  static constexpr uint64_t firstPinned = 6;

  struct Version : public mlir::DialectVersion {
    explicit Version(uint64_t number) : number(number) {}
    uint64_t number;
  };

  void writeVersion(mlir::DialectBytecodeWriter &writer) const override;
  /// Refuses what a later Tapestry wrote.
  std::unique_ptr<mlir::DialectVersion>
  readVersion(mlir::DialectBytecodeReader &reader) const override;

  /// Whether the version of `dialect` that is written, or read, is `first` or
  /// later.
  static bool isWritten(const mlir::DialectBytecodeWriter &writer,
                        llvm::StringRef dialect, uint64_t first);
  static bool isRead(const mlir::DialectBytecodeReader &reader,
                     llvm::StringRef dialect, uint64_t first);

protected:
  /// Whether the file that is written knows attributes as text alone.
  bool isTextAlone(const mlir::DialectBytecodeWriter &writer) const;
  /// Reads the code that an attribute's or type's content begins with. Reports
  /// a file whose version has none.
  std::optional<uint64_t> readCode(mlir::DialectBytecodeReader &reader) const;

private:
  /// The version that is written: ours unless the writer asks for another one.
  uint64_t writtenVersion(const mlir::DialectBytecodeWriter &writer) const;
};

/// Whether a projection or layout has a code: one that is folded other than
/// around, or has arms, stays text.
template <typename Form> bool hasCode(const Form &form) {
  return llvm::all_of(form.dims, [](const auto &dim) {
    return dim.fold == Fold::Wrap && !dim.arms.any();
  });
}

/// A layout that has a code with its grid, as the content of attributes and
/// types.
LayoutAttr readLayout(mlir::DialectBytecodeReader &reader);
void writeLayout(LayoutAttr layout, mlir::DialectBytecodeWriter &writer);

} // namespace tapestry::index

#endif // TAPESTRY_DIALECT_INDEX_IR_BYTECODEVERSION_H
