//===- ScalarCompiler.cpp - From a region to a register program -----------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Dialect/Index/Evaluate/ScalarProgram.h"
#include "tapestry/Dialect/Index/IR/IndexRandom.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Interfaces/Place.h"
#include "tapestry/Support/Error.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include <complex>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::reference;

namespace {
/// Operations whose operands and result have one type, by name.
struct OpRow {
  llvm::StringLiteral name;
  OpCode op;
};
constexpr OpRow opTable[] = {
    {"arith.negf", OpCode::NegF},
    {"arith.addf", OpCode::AddF},
    {"arith.subf", OpCode::SubF},
    {"arith.mulf", OpCode::MulF},
    {"arith.divf", OpCode::DivF},
    {"arith.remf", OpCode::RemF},
    {"arith.maximumf", OpCode::MaximumF},
    {"arith.minimumf", OpCode::MinimumF},
    {"arith.maxnumf", OpCode::MaxNumF},
    {"arith.minnumf", OpCode::MinNumF},
    {"arith.addi", OpCode::AddI},
    {"arith.subi", OpCode::SubI},
    {"arith.muli", OpCode::MulI},
    {"arith.divsi", OpCode::DivSI},
    {"arith.divui", OpCode::DivUI},
    {"arith.remsi", OpCode::RemSI},
    {"arith.remui", OpCode::RemUI},
    {"arith.ceildivsi", OpCode::CeilDivSI},
    {"arith.floordivsi", OpCode::FloorDivSI},
    {"arith.andi", OpCode::AndI},
    {"arith.ori", OpCode::OrI},
    {"arith.xori", OpCode::XorI},
    {"arith.shli", OpCode::ShlI},
    {"arith.shrsi", OpCode::ShrSI},
    {"arith.shrui", OpCode::ShrUI},
    {"arith.maxsi", OpCode::MaxSI},
    {"arith.maxui", OpCode::MaxUI},
    {"arith.minsi", OpCode::MinSI},
    {"arith.minui", OpCode::MinUI},
    {"math.absf", OpCode::AbsF},
    {"math.absi", OpCode::AbsI},
    {"math.exp", OpCode::Exp},
    {"math.exp2", OpCode::Exp2},
    {"math.expm1", OpCode::ExpM1},
    {"math.log", OpCode::Log},
    {"math.log2", OpCode::Log2},
    {"math.log10", OpCode::Log10},
    {"math.log1p", OpCode::Log1p},
    {"math.sqrt", OpCode::Sqrt},
    {"math.rsqrt", OpCode::Rsqrt},
    {"math.cbrt", OpCode::Cbrt},
    {"math.sin", OpCode::Sin},
    {"math.cos", OpCode::Cos},
    {"math.tan", OpCode::Tan},
    {"math.asin", OpCode::Asin},
    {"math.acos", OpCode::Acos},
    {"math.atan", OpCode::Atan},
    {"math.atan2", OpCode::Atan2},
    {"math.sinh", OpCode::Sinh},
    {"math.cosh", OpCode::Cosh},
    {"math.tanh", OpCode::Tanh},
    {"math.asinh", OpCode::Asinh},
    {"math.acosh", OpCode::Acosh},
    {"math.atanh", OpCode::Atanh},
    {"math.erf", OpCode::Erf},
    {"math.erfc", OpCode::Erfc},
    {"math.floor", OpCode::Floor},
    {"math.ceil", OpCode::Ceil},
    {"math.round", OpCode::Round},
    {"math.roundeven", OpCode::RoundEven},
    {"math.trunc", OpCode::TruncToInt},
    {"math.powf", OpCode::PowF},
    {"math.fpowi", OpCode::PowFI},
    {"math.ipowi", OpCode::PowI},
    {"math.copysign", OpCode::CopySign},
    {"math.fma", OpCode::Fma},
};

std::optional<OpCode> lookUp(StringRef name) {
  static const llvm::StringMap<OpCode> map = [] {
    llvm::StringMap<OpCode> result;
    for (const OpRow &row : opTable)
      result[row.name] = row.op;
    return result;
  }();
  auto it = map.find(name);
  if (it == map.end())
    return std::nullopt;
  return it->second;
}
} // namespace

namespace tapestry::reference {

class ScalarCompiler {
public:
  ScalarCompiler(BlockOpInterface op, Combination combination)
      : op(op), combination(std::move(combination)) {}
  llvm::Error compile();
  llvm::Error compile(const ScalarFunction &function);
  llvm::Error compileFold();
  ScalarProgram takeProgram() { return std::move(program); }

private:
  llvm::Error compileOp(Operation &op);
  llvm::Error compileConstant(arith::ConstantOp op);
  llvm::Error compileCast(Operation &op);
  void compileComplex(Operation &op);
  void compileSelect(arith::SelectOp op);
  void compileRandom(index::RandomOp op);
  llvm::Error compileMonoid(Slot value);
  llvm::Error compileCustomMonoid(Slot accumulator, Slot value, Type type);

  llvm::Error unsupported(Operation &op, const llvm::Twine &why);
  /// The bits of an integer or index type; 64 for floats.
  static unsigned widthOf(Type type);
  static bool isScalar(Type type);

  Slot newSlot(Type type) {
    if (isa<ComplexType>(type)) {
      program.numFloats += 2;
      return {true, program.numFloats - 2, true};
    }
    bool isFloat = isa<FloatType>(type);
    return {isFloat, isFloat ? program.numFloats++ : program.numIntegers++};
  }
  Slot define(Value value) { return slots[value] = newSlot(value.getType()); }
  unsigned use(Value value) { return slots.lookup(value).index; }
  Instruction &add(OpCode op, Slot result) {
    Instruction instruction;
    instruction.op = op;
    instruction.result = result.index;
    program.instructions.push_back(instruction);
    return program.instructions.back();
  }
  void add(OpCode op, Slot result, unsigned a, unsigned b = 0) {
    Instruction &instruction = add(op, result);
    instruction.a = a;
    instruction.b = b;
  }
  /// The register of one part of a complex number.
  static Slot partOf(Slot slot, unsigned part) {
    return {true, slot.index + part};
  }
  /// The same for the real parts and the imaginary ones.
  void addParts(OpCode op, Slot result, unsigned a, unsigned b = 0) {
    for (unsigned part : {0, 1})
      add(op, partOf(result, part), a + part, b + part);
  }

  BlockOpInterface op;
  Combination combination;
  ScalarProgram program;
  llvm::DenseMap<Value, Slot> slots;
};

} // namespace tapestry::reference

llvm::Expected<ScalarProgram> ScalarProgram::compile(BlockOpInterface op) {
  ScalarCompiler compiler(
      op, {op.getResultMonoid(/*result=*/0), op.getMonoidIdentity(/*result=*/0),
           [op](OpBuilder &builder, Location loc, Value a, Value b) mutable {
             return op.emitCombine(/*result=*/0, builder, loc, a, b);
           }});
  if (llvm::Error error = compiler.compile())
    return llvm::Expected<ScalarProgram>(std::move(error));
  return compiler.takeProgram();
}

llvm::Expected<ScalarProgram>
ScalarProgram::compile(BlockOpInterface op, const ScalarFunction &function,
                       const Combination &combination) {
  ScalarCompiler compiler(op, combination);
  if (llvm::Error error = compiler.compile(function))
    return llvm::Expected<ScalarProgram>(std::move(error));
  return compiler.takeProgram();
}

llvm::Expected<ScalarProgram>
ScalarProgram::compileFold(BlockOpInterface op,
                           const Combination &combination) {
  ScalarCompiler compiler(op, combination);
  if (llvm::Error error = compiler.compileFold())
    return llvm::Expected<ScalarProgram>(std::move(error));
  return compiler.takeProgram();
}

unsigned ScalarCompiler::widthOf(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? integer.getWidth() : 64;
}

bool ScalarCompiler::isScalar(Type type) {
  if (isa<ComplexType>(type))
    return dtypeOf(type).has_value();
  if (isa<IndexType>(type))
    return true;
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() >= 1 && integer.getWidth() <= 64;
  return type.isF64() || type.isF32() || type.isF16() || type.isBF16();
}

llvm::Error ScalarCompiler::unsupported(Operation &inner,
                                        const llvm::Twine &why) {
  return errorAt(placeOf(inner.getLoc()), "vertex '", op.getVertexName(),
                 "': the reference evaluator does not know '", inner.getName(),
                 "'", why);
}

llvm::Error ScalarCompiler::compile() {
  Region *region = op.getScalarRegion();
  return compile(
      {region, llvm::to_vector_of<Value>(region->getArguments()), {}, 0});
}

llvm::Error ScalarCompiler::compile(const ScalarFunction &function) {
  Block &body = function.region->front();
  for (Value operand : function.operands)
    program.operandSlots.push_back(define(operand));
  for (auto [label, value] : llvm::enumerate(function.labels))
    program.labelSlots.push_back(
        {static_cast<unsigned>(label), define(value).index, /*start=*/0});
  for (Operation &inner : body.without_terminator()) {
    bool isGiven =
        inner.getNumResults() == 1 && slots.contains(inner.getResult(0));
    if (isGiven)
      continue;
    if (llvm::Error error = compileOp(inner))
      return error;
  }
  return compileMonoid(
      slots.lookup(body.getTerminator()->getOperand(function.yielded)));
}

llvm::Error ScalarCompiler::compileFold() {
  Slot value = newSlot(getElementTypeOrSelf(combination.identity));
  program.operandSlots.push_back(value);
  return compileMonoid(value);
}

llvm::Error ScalarCompiler::compileOp(Operation &op) {
  for (Type type : op.getResultTypes())
    if (!isScalar(type)) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return unsupported(op, " of type " + text);
    }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return compileConstant(constant);
  if (std::optional<unsigned> label = this->op.getLabelReadBy(&op)) {
    program.labelSlots.push_back({*label, define(op.getResult(0)).index,
                                  this->op.getLabelStart(*label)});
    return llvm::Error::success();
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    unsigned a = use(compare.getLhs()), b = use(compare.getRhs());
    Instruction &instruction = add(OpCode::CmpF, define(compare));
    instruction.a = a;
    instruction.b = b;
    instruction.predicate = static_cast<uint8_t>(compare.getPredicate());
    return llvm::Error::success();
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    unsigned a = use(compare.getLhs()), b = use(compare.getRhs());
    Instruction &instruction = add(OpCode::CmpI, define(compare));
    instruction.a = a;
    instruction.b = b;
    instruction.predicate = static_cast<uint8_t>(compare.getPredicate());
    instruction.width = widthOf(compare.getLhs().getType());
    return llvm::Error::success();
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    compileSelect(select);
    return llvm::Error::success();
  }
  if (isComplexArithmetic(&op)) {
    compileComplex(op);
    return llvm::Error::success();
  }
  if (auto random = dyn_cast<index::RandomOp>(op)) {
    compileRandom(random);
    return llvm::Error::success();
  }
  std::optional<OpCode> code = lookUp(op.getName().getStringRef());
  if (!code)
    return compileCast(op);
  Instruction &instruction = add(*code, define(op.getResult(0)));
  instruction.width = widthOf(op.getResult(0).getType());
  unsigned *fields[] = {&instruction.a, &instruction.b, &instruction.c};
  for (auto [field, operand] : llvm::zip(fields, op.getOperands()))
    *field = use(operand);
  return llvm::Error::success();
}

void ScalarCompiler::compileSelect(arith::SelectOp op) {
  Slot result = define(op);
  unsigned condition = use(op.getCondition());
  for (unsigned part = 0; part <= result.isComplex; ++part) {
    Slot one{result.isFloat, result.index + part};
    Instruction &instruction =
        add(result.isFloat ? OpCode::SelectF : OpCode::SelectI, one);
    instruction.a = condition;
    instruction.b = use(op.getTrueValue()) + part;
    instruction.c = use(op.getFalseValue()) + part;
  }
}

/// Of parts what is one operation on reals, as their registers know.
void ScalarCompiler::compileComplex(Operation &op) {
  SmallVector<unsigned, 2> operands;
  for (Value operand : op.getOperands())
    operands.push_back(use(operand));
  Slot result = define(op.getResult(0));
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](complex::ConstantOp constant) {
        for (auto [part, value] : llvm::enumerate(constant.getValue()))
          program.constants.push_back(
              {partOf(result, part), cast<FloatAttr>(value).getValueAsDouble(),
               0});
      })
      .Case([&](complex::CreateOp) {
        add(OpCode::CopyF, partOf(result, 0), operands[0]);
        add(OpCode::CopyF, partOf(result, 1), operands[1]);
      })
      .Case([&](complex::ReOp) { add(OpCode::CopyF, result, operands[0]); })
      .Case([&](complex::ImOp) { add(OpCode::CopyF, result, operands[0] + 1); })
      .Case([&](complex::AddOp) {
        addParts(OpCode::AddF, result, operands[0], operands[1]);
      })
      .Case([&](complex::MulOp) {
        add(OpCode::ProductRe, partOf(result, 0), operands[0], operands[1]);
        add(OpCode::ProductIm, partOf(result, 1), operands[0], operands[1]);
      });
}

llvm::Error ScalarCompiler::compileConstant(arith::ConstantOp op) {
  ScalarProgram::ConstantSlot constant{define(op), 0, 0};
  if (auto real = dyn_cast<FloatAttr>(op.getValue())) {
    llvm::APFloat value = real.getValue();
    bool losesInfo = false;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    constant.real = value.convertToDouble();
  } else {
    constant.integer =
        cast<IntegerAttr>(op.getValue()).getValue().getSExtValue();
  }
  program.constants.push_back(constant);
  return llvm::Error::success();
}

void ScalarCompiler::compileRandom(index::RandomOp op) {
  Slot stream = newSlot(op.getCounter().getType());
  program.constants.push_back(
      {stream, 0, static_cast<int64_t>(op.getStream())});
  if (op.getOffset()) {
    Slot sum = newSlot(op.getCounter().getType());
    Instruction &instruction = add(OpCode::AddI, sum);
    instruction.a = stream.index;
    instruction.b = use(op.getOffset());
    instruction.width = widthOf(op.getCounter().getType());
    stream = sum;
  }
  Slot result = define(op.getResult());
  Instruction &instruction =
      add(result.isFloat ? OpCode::RandomF : OpCode::RandomI, result);
  instruction.a = use(op.getCounter());
  instruction.b = use(op.getSeed());
  instruction.c = stream.index;
  instruction.predicate = static_cast<uint8_t>(op.getKind());
  instruction.width = widthOf(op.getType());
  instruction.type = dtypeOf(op.getType()).value_or(DType::I64);
}

/// Conversions; the last resort of compileOp.
llvm::Error ScalarCompiler::compileCast(Operation &op) {
  StringRef name = op.getName().getStringRef();
  if (op.getNumOperands() != 1 || op.getNumResults() != 1 ||
      !isScalar(op.getOperand(0).getType()))
    return unsupported(op, "");
  Type from = op.getOperand(0).getType(), to = op.getResult(0).getType();
  OpCode code;
  unsigned width = widthOf(to);
  if (isa<arith::ExtFOp>(op))
    code = OpCode::CopyF;
  else if (isa<arith::TruncFOp>(op))
    code = OpCode::RoundTo;
  else if (isa<arith::ExtSIOp>(op))
    code = OpCode::CopyI;
  else if (isa<arith::TruncIOp, arith::IndexCastOp>(op))
    code = OpCode::Wrap;
  else if (isa<arith::ExtUIOp>(op) ||
           (isa<arith::IndexCastUIOp>(op) && widthOf(from) < width)) {
    code = OpCode::ExtendUnsigned;
    width = widthOf(from);
  } else if (isa<arith::IndexCastUIOp>(op))
    code = OpCode::Wrap;
  else if (isa<arith::SIToFPOp>(op))
    code = OpCode::SIToFP;
  else if (isa<arith::UIToFPOp>(op)) {
    code = OpCode::UIToFP;
    width = widthOf(from);
  } else if (isa<arith::FPToSIOp>(op))
    code = OpCode::FPToSI;
  else if (isa<arith::FPToUIOp>(op))
    code = OpCode::FPToUI;
  else
    return unsupported(op, " (" + name.split('.').first + ")");
  unsigned operand = use(op.getOperand(0));
  Instruction &instruction = add(code, define(op.getResult(0)));
  instruction.a = operand;
  instruction.width = width;
  instruction.type = dtypeOf(to).value_or(DType::I64);
  return llvm::Error::success();
}

/// accumulator = accumulator (+) value, as is emitted for it: into a block
/// that is compiled and dropped.
llvm::Error ScalarCompiler::compileCustomMonoid(Slot accumulator, Slot value,
                                                Type type) {
  Block scratch;
  Location loc = op.getLoc();
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&scratch);
  Value a = scratch.addArgument(type, loc), b = scratch.addArgument(type, loc);
  slots[a] = accumulator;
  slots[b] = value;
  Value combined = combination.emit(builder, loc, a, b);
  for (Operation &inner : scratch)
    if (llvm::Error error = compileOp(inner))
      return error;
  if (accumulator.isComplex)
    addParts(OpCode::CopyF, accumulator, use(combined));
  else
    add(accumulator.isFloat ? OpCode::CopyF : OpCode::CopyI, accumulator,
        use(combined));
  return llvm::Error::success();
}

/// accumulator = accumulator (+) value.
llvm::Error ScalarCompiler::compileMonoid(Slot value) {
  Monoid monoid = combination.monoid;
  if (monoid == Monoid::None) {
    program.accumulatorSlot = value;
    return llvm::Error::success();
  }
  TypedAttr identity = combination.identity;
  Type type = getElementTypeOrSelf(identity);
  Type partType;
  if (auto complex = dyn_cast<ComplexType>(type))
    partType = complex.getElementType();
  Slot accumulator = newSlot(type);
  program.accumulatorSlot = accumulator;
  if (auto dense = dyn_cast<DenseElementsAttr>(identity)) {
    auto number = dense.getSplatValue<std::complex<APFloat>>();
    for (unsigned part : {0, 1}) {
      APFloat value = part == 0 ? number.real() : number.imag();
      program.identity.push_back(
          {partOf(accumulator, part), value.convertToDouble(), 0});
    }
  } else if (auto real = dyn_cast<FloatAttr>(identity)) {
    program.identity.push_back({accumulator, real.getValueAsDouble(), 0});
  } else {
    int64_t value = cast<IntegerAttr>(identity).getValue().getSExtValue();
    program.identity.push_back({accumulator, 0, value});
  }
  if (accumulator.isComplex && monoid == Monoid::Add) {
    for (unsigned part : {0, 1}) {
      Slot lost = newSlot(partType);
      add(OpCode::SumF, partOf(accumulator, part), accumulator.index + part,
          value.index + part);
      program.instructions.back().c = lost.index;
      program.lostSlots.push_back({accumulator.index + part, lost.index});
    }
    return llvm::Error::success();
  }
  if (accumulator.isComplex)
    monoid = Monoid::Custom;

  bool isFloat = accumulator.isFloat, isBool = type.isInteger(1);
  OpCode code = OpCode::CopyF;
  switch (monoid) {
  case Monoid::Add:
    code = isFloat ? OpCode::SumF : OpCode::AddI;
    break;
  case Monoid::Mul:
    code = isFloat ? OpCode::ProductF : OpCode::MulI;
    break;
  case Monoid::Max:
    // Booleans are ordered false < true, which is -1 here.
    code = isFloat ? OpCode::MaximumF : isBool ? OpCode::OrI : OpCode::MaxSI;
    break;
  case Monoid::Min:
    code = isFloat ? OpCode::MinimumF : isBool ? OpCode::AndI : OpCode::MinSI;
    break;
  case Monoid::And:
    code = OpCode::AndI;
    break;
  case Monoid::Or:
    code = OpCode::OrI;
    break;
  case Monoid::Xor:
    code = OpCode::XorI;
    break;
  case Monoid::None:
  case Monoid::Custom:
    return compileCustomMonoid(accumulator, value, type);
  }
  Instruction &combine = add(code, accumulator);
  combine.a = accumulator.index;
  combine.b = value.index;
  combine.width = widthOf(type);
  if (code == OpCode::SumF || code == OpCode::ProductF) {
    combine.c = newSlot(type).index;
    program.lostSlots.push_back({accumulator.index, combine.c});
  }
  return llvm::Error::success();
}
