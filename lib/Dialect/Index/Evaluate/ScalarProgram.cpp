//===- ScalarProgram.cpp - Runs register programs -------------------------===//

#include "tapestry/Dialect/Index/Evaluate/ScalarProgram.h"
#include "Random.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tapestry/Dialect/Index/IR/IndexRandom.h"
#include "tapestry/Support/Extremes.h"
#include <cmath>
#include <complex>
#include <limits>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::reference;

double tapestry::reference::roundTo(double value, DType type) {
  switch (type) {
  case DType::F32:
    return static_cast<float>(value);
  case DType::F16:
    return decodeF16(encodeF16(value));
  case DType::BF16:
    return decodeBF16(encodeBF16(value));
  default:
    return value;
  }
}

Registers ScalarProgram::makeRegisters() const {
  Registers registers;
  registers.floats.resize(size_t(numFloats) * maxLanes);
  registers.integers.resize(size_t(numIntegers) * maxLanes);
  // No instruction writes to a constant's register.
  for (const ConstantSlot &constant : constants) {
    if (constant.slot.isFloat)
      std::fill_n(registers.floatLanes(constant.slot.index), maxLanes,
                  constant.real);
    else
      std::fill_n(registers.integerLanes(constant.slot.index), maxLanes,
                  constant.integer);
  }
  return registers;
}

void ScalarProgram::reset(Registers &registers, unsigned lanes) const {
  for (const ConstantSlot &part : identity) {
    if (part.slot.isFloat)
      std::fill_n(registers.floatLanes(part.slot.index), lanes, part.real);
    else
      std::fill_n(registers.integerLanes(part.slot.index), lanes, part.integer);
  }
  for (auto [total, lost] : lostSlots)
    std::fill_n(registers.floatLanes(lost), lanes, 0.0);
}

void ScalarProgram::finish(Registers &registers, unsigned lanes) const {
  for (auto [sum, rest] : lostSlots) {
    double *total = registers.floatLanes(sum);
    const double *lost = registers.floatLanes(rest);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      double result = total[lane] + lost[lane];
      // What is infinite has lost nothing, and zeros keep their signs.
      if (!std::isnan(result) && result != total[lane])
        total[lane] = result;
    }
  }
}

llvm::SmallVector<Slot, 4> ScalarProgram::state() const {
  llvm::SmallVector<Slot, 4> slots;
  for (const ConstantSlot &part : identity)
    slots.push_back(part.slot);
  for (auto [total, lost] : lostSlots)
    slots.push_back({/*isFloat=*/true, lost});
  return slots;
}

//===----------------------------------------------------------------------===//
// Scalar operations
//===----------------------------------------------------------------------===//

/// Adds values to totals and the rounding errors to `lost` (D. E. Knuth).
static void addExactly(double *total, const double *values, double *lost,
                       unsigned lanes) {
  for (unsigned lane = 0; lane < lanes; ++lane) {
    double a = total[lane], b = values[lane];
    double sum = a + b, ofB = sum - a;
    lost[lane] += (a - (sum - ofB)) + (b - ofB);
    total[lane] = sum;
  }
}

/// Likewise for products.
static void multiplyExactly(double *total, const double *values, double *lost,
                            unsigned lanes) {
  for (unsigned lane = 0; lane < lanes; ++lane) {
    double a = total[lane], b = values[lane];
    double product = a * b;
    lost[lane] = lost[lane] * b + std::fma(a, b, -product);
    total[lane] = product;
  }
}

static uint64_t toUnsigned(int64_t value, unsigned width) {
  return width == 64 ? value : value & ((uint64_t(1) << width) - 1);
}

/// Unsigned arithmetic wraps, so the least integer / -1 is itself.
static int64_t signedDivide(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  return b == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : a / b;
}

static int64_t signedRemainder(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}

static int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = signedDivide(a, b);
  return signedRemainder(a, b) != 0 && (a < 0) != (b < 0) ? quotient - 1
                                                          : quotient;
}

static int64_t ceilDivide(int64_t a, int64_t b) {
  int64_t quotient = signedDivide(a, b);
  return signedRemainder(a, b) != 0 && (a < 0) == (b < 0) ? quotient + 1
                                                          : quotient;
}

static int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, factor = base;
  for (uint64_t rest = exponent; rest; rest /= 2, factor *= factor)
    if (rest % 2)
      result *= factor;
  return static_cast<int64_t>(result);
}

static int64_t toInteger(double value, unsigned width) {
  double limit = std::ldexp(1.0, static_cast<int>(width) - 1);
  if (std::isnan(value))
    return 0;
  if (value >= limit)
    return static_cast<int64_t>((uint64_t(1) << (width - 1)) - 1);
  if (value < -limit)
    return wrapTo(int64_t(uint64_t(1) << (width - 1)), width);
  return static_cast<int64_t>(value);
}

static int64_t toUnsignedInteger(double value, unsigned width) {
  double limit = std::ldexp(1.0, static_cast<int>(width));
  if (std::isnan(value) || value <= 0)
    return 0;
  if (value >= limit)
    return -1;
  return wrapTo(static_cast<int64_t>(static_cast<uint64_t>(value)), width);
}

/// Rounds once, not to double first.
template <typename Integer>
static double convertInteger(Integer value, DType type) {
  if (type == DType::F32)
    return static_cast<float>(value);
  // Double holds the rest after these bits, of which the 16-bit floats need to
  // know only whether one is set.
  constexpr Integer low = 0xffff;
  auto wide = static_cast<double>(value);
  if (type != DType::F64 && std::fabs(wide) >= 0x1p53)
    wide = static_cast<double>((value & ~low) |
                               (value & low ? Integer(low + 1) : 0));
  return roundTo(wide, type);
}

/// By the plain formula, in which infinities become NaNs.
static std::complex<double> productOf(std::complex<double> x,
                                      std::complex<double> y) {
  long double re = x.real(), im = x.imag();
  return {static_cast<double>(re * y.real() - im * y.imag()),
          static_cast<double>(re * y.imag() + im * y.real())};
}

static bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return unordered || a > b;
  case arith::CmpFPredicate::UGE:
    return unordered || a >= b;
  case arith::CmpFPredicate::ULT:
    return unordered || a < b;
  case arith::CmpFPredicate::ULE:
    return unordered || a <= b;
  case arith::CmpFPredicate::UNE:
    return unordered || a != b;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  return false;
}

static bool compareIntegers(arith::CmpIPredicate predicate, int64_t a,
                            int64_t b, unsigned width) {
  uint64_t ua = toUnsigned(a, width), ub = toUnsigned(b, width);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

namespace {
/// Runs one instruction over a batch.
struct Batch {
  Registers &registers;
  const Instruction &instruction;
  unsigned lanes;

  template <typename Fn> bool floats1(Fn fn) const {
    double *result = registers.floatLanes(instruction.result);
    const double *a = registers.floatLanes(instruction.a);
    for (unsigned lane = 0; lane < lanes; ++lane)
      result[lane] = fn(a[lane]);
    return true;
  }
  template <typename Fn> bool floats2(Fn fn) const {
    double *result = registers.floatLanes(instruction.result);
    const double *a = registers.floatLanes(instruction.a);
    const double *b = registers.floatLanes(instruction.b);
    for (unsigned lane = 0; lane < lanes; ++lane)
      result[lane] = fn(a[lane], b[lane]);
    return true;
  }
  /// Of complex numbers one part.
  bool runProduct() const {
    bool isReal = instruction.op == OpCode::ProductRe;
    double *result = registers.floatLanes(instruction.result);
    auto at = [&](unsigned slot, unsigned lane) -> std::complex<double> {
      return {registers.floatLanes(slot)[lane],
              registers.floatLanes(slot + 1)[lane]};
    };
    for (unsigned lane = 0; lane < lanes; ++lane) {
      std::complex<double> both =
          productOf(at(instruction.a, lane), at(instruction.b, lane));
      result[lane] = isReal ? both.real() : both.imag();
    }
    return true;
  }
  template <typename Fn> bool integers1(Fn fn) const {
    int64_t *result = registers.integerLanes(instruction.result);
    const int64_t *a = registers.integerLanes(instruction.a);
    for (unsigned lane = 0; lane < lanes; ++lane)
      result[lane] = fn(a[lane]);
    return true;
  }
  /// The result wraps at the instruction's width.
  template <typename Fn> bool integers2(Fn fn) const {
    int64_t *result = registers.integerLanes(instruction.result);
    const int64_t *a = registers.integerLanes(instruction.a);
    const int64_t *b = registers.integerLanes(instruction.b);
    unsigned width = instruction.width;
    for (unsigned lane = 0; lane < lanes; ++lane)
      result[lane] = wrapTo(static_cast<int64_t>(fn(a[lane], b[lane])), width);
    return true;
  }
  bool runFloat() const;
  bool runInteger() const;
  bool runRandom() const;
  void runOther() const;
};
} // namespace

/// False when the instruction is of another kind.
bool Batch::runFloat() const {
  switch (instruction.op) {
  case OpCode::ProductRe:
  case OpCode::ProductIm:
    return runProduct();
  case OpCode::CopyF:
    return floats1([](double a) { return a; });
  case OpCode::NegF:
    return floats1([](double a) { return -a; });
  case OpCode::AbsF:
    return floats1([](double a) { return std::fabs(a); });
  case OpCode::Exp:
    return floats1([](double a) { return std::exp(a); });
  case OpCode::Exp2:
    return floats1([](double a) { return std::exp2(a); });
  case OpCode::ExpM1:
    return floats1([](double a) { return std::expm1(a); });
  case OpCode::Log:
    return floats1([](double a) { return std::log(a); });
  case OpCode::Log2:
    return floats1([](double a) { return std::log2(a); });
  case OpCode::Log10:
    return floats1([](double a) { return std::log10(a); });
  case OpCode::Log1p:
    return floats1([](double a) { return std::log1p(a); });
  case OpCode::Sqrt:
    return floats1([](double a) { return std::sqrt(a); });
  case OpCode::Rsqrt:
    return floats1([](double a) { return 1 / std::sqrt(a); });
  case OpCode::Cbrt:
    return floats1([](double a) { return std::cbrt(a); });
  case OpCode::Sin:
    return floats1([](double a) { return std::sin(a); });
  case OpCode::Cos:
    return floats1([](double a) { return std::cos(a); });
  case OpCode::Tan:
    return floats1([](double a) { return std::tan(a); });
  case OpCode::Asin:
    return floats1([](double a) { return std::asin(a); });
  case OpCode::Acos:
    return floats1([](double a) { return std::acos(a); });
  case OpCode::Atan:
    return floats1([](double a) { return std::atan(a); });
  case OpCode::Sinh:
    return floats1([](double a) { return std::sinh(a); });
  case OpCode::Cosh:
    return floats1([](double a) { return std::cosh(a); });
  case OpCode::Tanh:
    return floats1([](double a) { return std::tanh(a); });
  case OpCode::Asinh:
    return floats1([](double a) { return std::asinh(a); });
  case OpCode::Acosh:
    return floats1([](double a) { return std::acosh(a); });
  case OpCode::Atanh:
    return floats1([](double a) { return std::atanh(a); });
  case OpCode::Erf:
    return floats1([](double a) { return std::erf(a); });
  case OpCode::Erfc:
    return floats1([](double a) { return std::erfc(a); });
  case OpCode::Floor:
    return floats1([](double a) { return std::floor(a); });
  case OpCode::Ceil:
    return floats1([](double a) { return std::ceil(a); });
  case OpCode::Round:
    return floats1([](double a) { return std::round(a); });
  case OpCode::RoundEven:
    return floats1([](double a) { return std::nearbyint(a); });
  case OpCode::TruncToInt:
    return floats1([](double a) { return std::trunc(a); });
  case OpCode::RoundTo:
    return floats1([&](double a) { return roundTo(a, instruction.type); });
  case OpCode::AddF:
    return floats2([](double a, double b) { return a + b; });
  case OpCode::SubF:
    return floats2([](double a, double b) { return a - b; });
  case OpCode::MulF:
    return floats2([](double a, double b) { return a * b; });
  case OpCode::DivF:
    return floats2([](double a, double b) { return a / b; });
  case OpCode::RemF:
    return floats2([](double a, double b) { return std::fmod(a, b); });
  case OpCode::MaximumF:
    return floats2([](double a, double b) { return extremeOf(true, a, b); });
  case OpCode::MinimumF:
    return floats2([](double a, double b) { return extremeOf(false, a, b); });
  case OpCode::MaxNumF:
    return floats2([](double a, double b) { return std::fmax(a, b); });
  case OpCode::MinNumF:
    return floats2([](double a, double b) { return std::fmin(a, b); });
  case OpCode::PowF:
    return floats2([](double a, double b) { return std::pow(a, b); });
  case OpCode::Atan2:
    return floats2([](double a, double b) { return std::atan2(a, b); });
  case OpCode::CopySign:
    return floats2([](double a, double b) { return std::copysign(a, b); });
  default:
    return false;
  }
}

bool Batch::runInteger() const {
  unsigned width = instruction.width;
  // Sums and products wrap in 64 bits first, without overflow.
  auto wrapping = [&](auto fn) {
    return integers2([&](int64_t a, int64_t b) {
      return fn(static_cast<uint64_t>(a), static_cast<uint64_t>(b));
    });
  };
  auto unsignedOp = [&](auto fn) {
    return integers2([&](int64_t a, int64_t b) {
      return fn(toUnsigned(a, width), toUnsigned(b, width));
    });
  };
  switch (instruction.op) {
  case OpCode::CopyI:
    return integers1([](int64_t a) { return a; });
  case OpCode::AbsI:
    return integers1([&](int64_t a) {
      return wrapTo(a < 0 ? -static_cast<uint64_t>(a) : a, width);
    });
  case OpCode::ExtendUnsigned:
    return integers1([&](int64_t a) { return toUnsigned(a, width); });
  case OpCode::Wrap:
    return integers1([&](int64_t a) { return wrapTo(a, width); });
  case OpCode::AddI:
    return wrapping([](uint64_t a, uint64_t b) { return a + b; });
  case OpCode::SubI:
    return wrapping([](uint64_t a, uint64_t b) { return a - b; });
  case OpCode::MulI:
    return wrapping([](uint64_t a, uint64_t b) { return a * b; });
  case OpCode::DivSI:
    return integers2(signedDivide);
  case OpCode::RemSI:
    return integers2(signedRemainder);
  case OpCode::CeilDivSI:
    return integers2(ceilDivide);
  case OpCode::FloorDivSI:
    return integers2(floorDivide);
  case OpCode::DivUI:
    return unsignedOp([](uint64_t a, uint64_t b) { return b ? a / b : 0; });
  case OpCode::RemUI:
    return unsignedOp([](uint64_t a, uint64_t b) { return b ? a % b : 0; });
  case OpCode::AndI:
    return integers2([](int64_t a, int64_t b) { return a & b; });
  case OpCode::OrI:
    return integers2([](int64_t a, int64_t b) { return a | b; });
  case OpCode::XorI:
    return integers2([](int64_t a, int64_t b) { return a ^ b; });
  case OpCode::ShlI:
    return unsignedOp(
        [&](uint64_t a, uint64_t b) { return b < width ? a << b : 0; });
  case OpCode::ShrUI:
    return unsignedOp(
        [&](uint64_t a, uint64_t b) { return b < width ? a >> b : 0; });
  case OpCode::ShrSI:
    return integers2([&](int64_t a, int64_t b) {
      uint64_t shift = toUnsigned(b, width);
      return a >> std::min<uint64_t>(shift, 63);
    });
  case OpCode::MaxSI:
    return integers2([](int64_t a, int64_t b) { return std::max(a, b); });
  case OpCode::MinSI:
    return integers2([](int64_t a, int64_t b) { return std::min(a, b); });
  case OpCode::MaxUI:
    return unsignedOp([](uint64_t a, uint64_t b) { return std::max(a, b); });
  case OpCode::MinUI:
    return unsignedOp([](uint64_t a, uint64_t b) { return std::min(a, b); });
  case OpCode::PowI:
    return integers2(power);
  default:
    return false;
  }
}

bool Batch::runRandom() const {
  bool isFloat = instruction.op == OpCode::RandomF;
  if (!isFloat && instruction.op != OpCode::RandomI)
    return false;
  const int64_t *counter = registers.integerLanes(instruction.a);
  const int64_t *seed = registers.integerLanes(instruction.b);
  const int64_t *stream = registers.integerLanes(instruction.c);
  auto kind = static_cast<index::RandomKind>(instruction.predicate);
  auto *draw = kind == index::RandomKind::Normal ? normalOf : uniformOf;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    auto words = randomWords(counter[lane], seed[lane], stream[lane]);
    uint64_t bits = uint64_t(words[1]) << 32 | words[0];
    if (isFloat)
      registers.floatLanes(instruction.result)[lane] =
          draw(words, instruction.type);
    else
      registers.integerLanes(instruction.result)[lane] =
          wrapTo(static_cast<int64_t>(bits), instruction.width);
  }
  return true;
}

/// What reads or writes both kinds of registers, or takes three operands.
void Batch::runOther() const {
  double *floatResult = nullptr, *fa = nullptr, *fb = nullptr, *fc = nullptr;
  int64_t *intResult = nullptr, *ia = nullptr, *ib = nullptr, *ic = nullptr;
  auto floatLanes = [&](unsigned index) { return registers.floatLanes(index); };
  auto intLanes = [&](unsigned index) { return registers.integerLanes(index); };
  unsigned width = instruction.width;
  switch (instruction.op) {
  case OpCode::Fma:
    floatResult = floatLanes(instruction.result);
    fa = floatLanes(instruction.a);
    fb = floatLanes(instruction.b);
    fc = floatLanes(instruction.c);
    for (unsigned lane = 0; lane < lanes; ++lane)
      floatResult[lane] = std::fma(fa[lane], fb[lane], fc[lane]);
    return;
  case OpCode::SumF:
  case OpCode::ProductF: {
    auto *step = instruction.op == OpCode::SumF ? addExactly : multiplyExactly;
    step(floatLanes(instruction.result), floatLanes(instruction.b),
         floatLanes(instruction.c), lanes);
    return;
  }
  case OpCode::SelectF:
    floatResult = floatLanes(instruction.result);
    ia = intLanes(instruction.a);
    fb = floatLanes(instruction.b);
    fc = floatLanes(instruction.c);
    for (unsigned lane = 0; lane < lanes; ++lane)
      floatResult[lane] = ia[lane] ? fb[lane] : fc[lane];
    return;
  case OpCode::SelectI:
    intResult = intLanes(instruction.result);
    ia = intLanes(instruction.a);
    ib = intLanes(instruction.b);
    ic = intLanes(instruction.c);
    for (unsigned lane = 0; lane < lanes; ++lane)
      intResult[lane] = ia[lane] ? ib[lane] : ic[lane];
    return;
  case OpCode::CmpF: {
    auto predicate = static_cast<arith::CmpFPredicate>(instruction.predicate);
    intResult = intLanes(instruction.result);
    fa = floatLanes(instruction.a);
    fb = floatLanes(instruction.b);
    for (unsigned lane = 0; lane < lanes; ++lane)
      intResult[lane] = -int64_t(compareFloats(predicate, fa[lane], fb[lane]));
    return;
  }
  case OpCode::CmpI: {
    auto predicate = static_cast<arith::CmpIPredicate>(instruction.predicate);
    intResult = intLanes(instruction.result);
    ia = intLanes(instruction.a);
    ib = intLanes(instruction.b);
    for (unsigned lane = 0; lane < lanes; ++lane)
      intResult[lane] =
          -int64_t(compareIntegers(predicate, ia[lane], ib[lane], width));
    return;
  }
  case OpCode::SIToFP:
  case OpCode::UIToFP: {
    bool isSigned = instruction.op == OpCode::SIToFP;
    floatResult = floatLanes(instruction.result);
    ia = intLanes(instruction.a);
    for (unsigned lane = 0; lane < lanes; ++lane)
      floatResult[lane] = isSigned ? convertInteger(ia[lane], instruction.type)
                                   : convertInteger(toUnsigned(ia[lane], width),
                                                    instruction.type);
    return;
  }
  case OpCode::FPToSI:
  case OpCode::FPToUI: {
    bool isSigned = instruction.op == OpCode::FPToSI;
    intResult = intLanes(instruction.result);
    fa = floatLanes(instruction.a);
    for (unsigned lane = 0; lane < lanes; ++lane)
      intResult[lane] = isSigned ? toInteger(fa[lane], width)
                                 : toUnsignedInteger(fa[lane], width);
    return;
  }
  case OpCode::PowFI:
    floatResult = floatLanes(instruction.result);
    fa = floatLanes(instruction.a);
    ib = intLanes(instruction.b);
    for (unsigned lane = 0; lane < lanes; ++lane)
      floatResult[lane] = std::pow(fa[lane], static_cast<double>(ib[lane]));
    return;
  default:
    llvm_unreachable("all instructions are run");
  }
}

void ScalarProgram::run(Registers &registers, unsigned lanes) const {
  for (const Instruction &instruction : instructions) {
    Batch batch{registers, instruction, lanes};
    if (!batch.runFloat() && !batch.runInteger() && !batch.runRandom())
      batch.runOther();
  }
}
