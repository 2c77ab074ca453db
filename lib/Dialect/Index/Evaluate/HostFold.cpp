//===- HostFold.cpp - Elements combined in host memory --------------------===//

#include "tapestry/Dialect/Index/Evaluate/HostFold.h"
#include "tapestry/Support/HostNumbers.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::reference;

HostFold::HostFold(ScalarProgram compiled)
    : program(std::move(compiled)), registers(program.makeRegisters()),
      slots(program.state()) {
  // What is not combined is the last value.
  Slot value = program.accumulator();
  if (!program.combines()) {
    slots = {value};
    if (value.isComplex)
      slots.push_back({true, value.index + 1});
  }
}

llvm::Expected<HostFold> HostFold::compile(BlockOpInterface op,
                                           const Combination &combination) {
  llvm::Expected<ScalarProgram> program =
      ScalarProgram::compileFold(op, combination);
  if (!program)
    return program.takeError();
  return HostFold(std::move(*program));
}

llvm::Expected<HostFold> HostFold::compile(BlockOpInterface op,
                                           const ScalarFunction &function,
                                           const Combination &combination) {
  llvm::Expected<ScalarProgram> program =
      ScalarProgram::compile(op, function, combination);
  if (!program)
    return program.takeError();
  return HostFold(std::move(*program));
}

void HostFold::reset(int64_t count) {
  program.reset(registers, /*lanes=*/1);
  bool isFloat = program.accumulator().isFloat;
  floats.resize(isFloat ? count * slots.size() : 0);
  integers.resize(isFloat ? 0 : count * slots.size());
  for (int64_t at = 0; at < count; ++at)
    save(at);
}

/// Between the registers and the values.
void HostFold::save(int64_t at) {
  for (auto [number, slot] : llvm::enumerate(slots)) {
    int64_t place = at * slots.size() + number;
    if (slot.isFloat)
      floats[place] = *registers.floatLanes(slot.index);
    else
      integers[place] = *registers.integerLanes(slot.index);
  }
}

void HostFold::load(int64_t at) {
  for (auto [number, slot] : llvm::enumerate(slots)) {
    int64_t place = at * slots.size() + number;
    if (slot.isFloat)
      *registers.floatLanes(slot.index) = floats[place];
    else
      *registers.integerLanes(slot.index) = integers[place];
  }
}

void HostFold::set(unsigned number, const HostTensor &tensor, int64_t from) {
  Slot operand = program.operands()[number];
  if (operand.isComplex) {
    std::complex<double> value = complexAt(tensor, from);
    *registers.floatLanes(operand.index) = value.real();
    *registers.floatLanes(operand.index + 1) = value.imag();
  } else if (operand.isFloat) {
    *registers.floatLanes(operand.index) = tensor.asDouble(from);
  } else {
    // True is -1, the sign-extended i1.
    int64_t value = integerAt(tensor, from);
    *registers.integerLanes(operand.index) =
        tensor.dtype == DType::Bool ? -value : value;
  }
}

void HostFold::setLabels(llvm::ArrayRef<int64_t> point) {
  for (ScalarProgram::LabelSlot slot : program.labels())
    *registers.integerLanes(slot.index) = slot.start + point[slot.label];
}

void HostFold::step(int64_t at) {
  if (program.combines())
    load(at);
  program.run(registers, /*lanes=*/1);
  save(at);
}

void HostFold::store(int64_t at, HostTensor &tensor, int64_t to) {
  load(at);
  program.finish(registers, /*lanes=*/1);
  Slot result = program.accumulator();
  if (!result.isFloat) {
    int64_t value = *registers.integerLanes(result.index);
    return storeInteger(tensor, to,
                        tensor.dtype == DType::Bool ? value & 1 : value);
  }
  double value = *registers.floatLanes(result.index);
  if (!result.isComplex)
    return storeReal(tensor, to, value);
  storeComplex(tensor, to, {value, *registers.floatLanes(result.index + 1)});
}
