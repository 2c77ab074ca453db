//===- ScalarProgram.h - A scalar region as a register program --*- C++ -*-===//
//
// A region is compiled once into instructions over registers, and run over a
// batch of index points at a time, so that finding out what to do costs little
// beside doing it.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_INDEX_EVALUATE_SCALARPROGRAM_H
#define TAPESTRY_DIALECT_INDEX_EVALUATE_SCALARPROGRAM_H

#include "tapestry/Interfaces/BlockOpInterface.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>

namespace tapestry::reference {

/// Index points per batch.
constexpr unsigned maxLanes = 128;

enum class OpCode : uint8_t {
  // Floats: one operand.
  CopyF,
  NegF,
  AbsF,
  Exp,
  Exp2,
  ExpM1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sqrt,
  Rsqrt,
  Cbrt,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  Erf,
  Erfc,
  Floor,
  Ceil,
  Round,
  RoundEven,
  TruncToInt,
  RoundTo, ///< to the float type `type`
  // Floats: two and three operands.
  AddF,
  SubF,
  MulF,
  DivF,
  RemF,
  MaximumF,
  MinimumF,
  MaxNumF,
  MinNumF,
  PowF,
  Atan2,
  CopySign,
  Fma,
  SumF,     ///< result = a + b; c takes up what rounding loses
  ProductF, ///< likewise
  // Of complex numbers, by the registers of their real parts.
  ProductRe,
  ProductIm,
  SelectF, ///< a is an integer register
  CmpF,    ///< into an integer register, by `predicate`
  // Integers. Values are kept sign-extended; true is -1.
  CopyI,
  AbsI,
  AddI,
  SubI,
  MulI,
  DivSI,
  DivUI,
  RemSI,
  RemUI,
  CeilDivSI,
  FloorDivSI,
  AndI,
  OrI,
  XorI,
  ShlI,
  ShrSI,
  ShrUI,
  MaxSI,
  MaxUI,
  MinSI,
  MinUI,
  PowI,
  SelectI,
  CmpI,
  // Between them.
  ExtendUnsigned, ///< from `width` bits
  Wrap,           ///< to `width` bits
  SIToFP,
  UIToFP, ///< from `width` bits
  FPToSI, ///< to `width` bits
  FPToUI,
  PowFI, ///< b is an integer register
  /// Bits, or floats of `type`: counter, seed and stream in a, b and c, the
  /// kind in `predicate`.
  RandomI,
  RandomF
};

/// A register of one of the two files; of a complex number that of its real
/// part, which the imaginary one's follows.
struct Slot {
  bool isFloat = true;
  unsigned index = 0;
  bool isComplex = false;
};

struct Instruction {
  OpCode op;
  /// Bits of the integers that the operation works on or makes.
  uint8_t width = 64;
  uint8_t predicate = 0;
  DType type = DType::F64;
  unsigned result = 0, a = 0, b = 0, c = 0;
};

/// The registers of one thread.
struct Registers {
  std::vector<double> floats;
  std::vector<int64_t> integers;
  double *floatLanes(unsigned index) { return &floats[index * maxLanes]; }
  int64_t *integerLanes(unsigned index) { return &integers[index * maxLanes]; }
};

/// How values are combined.
struct Combination {
  Monoid monoid = Monoid::None;
  /// Of the type in which they are; null for none.
  mlir::TypedAttr identity;
  /// Emits a combined with b.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value,
                            mlir::Value)>
      emit;
};

/// A region of scalars, of which one value counts.
struct ScalarFunction {
  mlir::Region *region;
  /// What is put in front of a step: arguments, and results of operations,
  /// which are not computed then.
  llvm::SmallVector<mlir::Value> operands;
  /// Arguments that are the labels' values, in order.
  llvm::SmallVector<mlir::Value> labels;
  /// The operand of the terminator that is combined.
  unsigned yielded;
};

/// One step of an operator: computes a value and combines it with the
/// accumulator.
class ScalarProgram {
public:
  /// The value is that of the operator's scalar region.
  static llvm::Expected<ScalarProgram> compile(BlockOpInterface op);
  /// The value is that of a function.
  static llvm::Expected<ScalarProgram> compile(BlockOpInterface op,
                                               const ScalarFunction &function,
                                               const Combination &combination);
  /// The value is the only operand, of the identity's type.
  static llvm::Expected<ScalarProgram>
  compileFold(BlockOpInterface op, const Combination &combination);

  /// Where operand k's elements are put before a step.
  llvm::ArrayRef<Slot> operands() const { return operandSlots; }
  /// Labels that the body asks for, as integer registers.
  struct LabelSlot {
    unsigned label;
    unsigned index;
    /// The label's value at its first point.
    int64_t start;
  };
  llvm::ArrayRef<LabelSlot> labels() const { return labelSlots; }
  /// Whether a step combines its value with what was there.
  bool combines() const { return !identity.empty(); }
  /// Holds the result after the last step.
  Slot accumulator() const { return accumulatorSlot; }
  /// What a step leaves to the next: parts of the accumulator, and what they
  /// have lost.
  llvm::SmallVector<Slot, 4> state() const;

  Registers makeRegisters() const;
  /// Sets the accumulator to the monoid's identity.
  void reset(Registers &registers, unsigned lanes) const;
  void run(Registers &registers, unsigned lanes) const;
  /// Adds to the accumulator what its steps have lost.
  void finish(Registers &registers, unsigned lanes) const;

private:
  friend class ScalarCompiler;
  struct ConstantSlot {
    Slot slot;
    double real;
    int64_t integer;
  };

  std::vector<Instruction> instructions;
  llvm::SmallVector<Slot> operandSlots;
  llvm::SmallVector<LabelSlot, 2> labelSlots;
  llvm::SmallVector<ConstantSlot> constants;
  Slot accumulatorSlot;
  /// Of the accumulator, or of its parts; nothing without a monoid.
  llvm::SmallVector<ConstantSlot, 2> identity;
  /// Of sums and products of floats: a part of the accumulator, and the
  /// register of what its steps have lost, so that the result is rounded about
  /// once, however many there are.
  llvm::SmallVector<std::pair<unsigned, unsigned>, 2> lostSlots;
  unsigned numFloats = 0, numIntegers = 0;
};

/// Sign-extends the low `width` bits.
inline int64_t wrapTo(int64_t value, unsigned width) {
  unsigned unused = 64 - width;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
}

/// Rounds to a float type.
double roundTo(double value, DType type);

} // namespace tapestry::reference

#endif // TAPESTRY_DIALECT_INDEX_EVALUATE_SCALARPROGRAM_H
