//===- BytecodeFields.h - Plain structs in bytecode -------------*- C++ -*-===//
//
// Writes the structs of tapestry/Support into bytecode and reads them back, in
// the order that one `membersOf` lists for both. Nothing here refers to another
// attribute: a broken file's could refer to itself, which MLIR's reader follows
// forever.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_BYTECODEFIELDS_H
#define TAPESTRY_DIALECT_INDEX_IR_BYTECODEFIELDS_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "tapestry/Support/Layout.h"
#include <tuple>

namespace tapestry {

constexpr auto membersOf(const ZRange *) {
  return std::tuple(&ZRange::lo, &ZRange::hi);
}
constexpr auto membersOf(const DeviceGrid::Axis *) {
  return std::tuple(&DeviceGrid::Axis::name, &DeviceGrid::Axis::size);
}
constexpr auto membersOf(const DeviceGrid *) {
  return std::tuple(&DeviceGrid::axes);
}
constexpr auto membersOf(const AffineTerm *) {
  return std::tuple(&AffineTerm::dim, &AffineTerm::coefficient);
}
constexpr auto membersOf(const ProjectionDim *) {
  return std::tuple(&ProjectionDim::terms, &ProjectionDim::constant,
                    &ProjectionDim::size, &ProjectionDim::stride,
                    &ProjectionDim::floordiv, &ProjectionDim::mod);
}
constexpr auto membersOf(const Projection *) {
  return std::tuple(&Projection::dims);
}
constexpr auto membersOf(const LayoutTerm *) {
  return std::tuple(&LayoutTerm::coefficient, &LayoutTerm::extent,
                    &LayoutTerm::cut, &LayoutTerm::within);
}
constexpr auto membersOf(const LayoutDim *) {
  return std::tuple(&LayoutDim::extent, &LayoutDim::terms, &LayoutDim::constant,
                    &LayoutDim::span, &LayoutDim::floordiv, &LayoutDim::mod);
}
constexpr auto membersOf(const Layout *) {
  return std::tuple(&Layout::dims, &Layout::partial);
}

namespace index {

/// Writes values that outlive the writer: names are not copied.
class FieldWriter {
public:
  explicit FieldWriter(mlir::DialectBytecodeWriter &writer) : writer(writer) {}

  void write(int64_t number) { writer.writeSignedVarInt(number); }
  void write(unsigned number) { writer.writeVarInt(number); }
  void write(const std::string &name) { writer.writeOwnedString(name); }
  template <typename T, unsigned N>
  void write(const llvm::SmallVector<T, N> &list) {
    writer.writeVarInt(list.size());
    for (const T &element : list)
      write(element);
  }
  template <typename T> void write(const std::optional<T> &value) {
    writer.writeVarInt(value.has_value());
    if (value)
      write(*value);
  }
  template <typename T> void write(const T &value) {
    std::apply([&](auto... members) { (write(value.*members), ...); },
               membersOf(&value));
  }

private:
  mlir::DialectBytecodeWriter &writer;
};

/// Reads what FieldWriter wrote. False, with an error reported, where the
/// content ends early or leaves its type.
class FieldReader {
public:
  explicit FieldReader(mlir::DialectBytecodeReader &reader) : reader(reader) {}

  bool read(int64_t &number) {
    return succeeded(reader.readSignedVarInt(number));
  }
  bool read(unsigned &number) {
    uint64_t wide;
    if (failed(reader.readVarInt(wide)))
      return false;
    number = static_cast<unsigned>(wide);
    if (number != wide)
      reader.emitError() << "number " << wide << " leaves 32 bits";
    return number == wide;
  }
  bool read(std::string &name) {
    llvm::StringRef text;
    if (failed(reader.readString(text)))
      return false;
    name = text.str();
    return true;
  }
  /// Elements take a byte at least, so memory grows with the content read, not
  /// with the count that a broken file claims.
  template <typename T, unsigned N> bool read(llvm::SmallVector<T, N> &list) {
    uint64_t count;
    if (failed(reader.readVarInt(count)))
      return false;
    for (uint64_t i = 0; i < count; ++i)
      if (!read(list.emplace_back()))
        return false;
    return true;
  }
  template <typename T> bool read(std::optional<T> &value) {
    unsigned isGiven;
    if (!read(isGiven))
      return false;
    return isGiven == 0 || read(value.emplace());
  }
  template <typename T> bool read(T &value) {
    return std::apply(
        [&](auto... members) { return (read(value.*members) && ...); },
        membersOf(&value));
  }

  /// The attribute or type of these parameters; null, with an error reported,
  /// where they break its rules.
  template <typename T, typename... Params> T make(Params &&...params) {
    return T::getChecked([&] { return reader.emitError(); },
                         reader.getContext(), std::forward<Params>(params)...);
  }

private:
  mlir::DialectBytecodeReader &reader;
};

} // namespace index
} // namespace tapestry

#endif // TAPESTRY_DIALECT_INDEX_IR_BYTECODEFIELDS_H
