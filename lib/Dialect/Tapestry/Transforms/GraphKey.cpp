//===- GraphKey.cpp - Equal graphs have equal keys ------------------------===//

#include "GraphKey.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryFused.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

/// Writes a graph in one form, operands before those who read them.
class Writer {
public:
  std::string write(GraphOp graph);

private:
  void writeOp(Operation *op);
  void writeSource(SourceOp op);
  void writeEinsum(EinsumOp op);
  void writeBody(Region &region, ArrayRef<unsigned> labelNumbers, EinsumOp op);
  void writeLoop(GraphLoopInterface op);
  void writeFused(FusedOp op);
  void writeOther(Operation *op);
  void writeOperand(Value operand);
  using WriteAttributes = llvm::function_ref<void(Operation *)>;
  void writeRegion(Region &region, llvm::DenseMap<Value, unsigned> &values,
                   WriteAttributes writeAttributes);

  std::string text;
  llvm::raw_string_ostream os{text};
  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::DenseMap<Value, unsigned> arguments;
};

} // namespace

/// Numbers labels as they occur in the result, then in the operands.
static SmallVector<unsigned> numberLabels(EinsumOp op) {
  unsigned count = op.getExtents().size();
  SmallVector<unsigned> numbers(count, count);
  unsigned next = 0;
  auto take = [&](AffineMap map) {
    for (AffineExpr subscript : map.getResults())
      subscript.walk([&](AffineExpr part) {
        if (auto label = dyn_cast<AffineDimExpr>(part))
          if (numbers[label.getPosition()] == count)
            numbers[label.getPosition()] = next++;
      });
  };
  take(op.getResultMap());
  for (unsigned operand = 0; operand < op.getInputs().size(); ++operand)
    take(op.getOperandMap(operand));
  for (unsigned &number : numbers)
    if (number == count)
      number = next++;
  return numbers;
}

void Writer::writeRegion(Region &region,
                         llvm::DenseMap<Value, unsigned> &values,
                         WriteAttributes writeAttributes) {
  os << '{';
  for (Block &block : region) {
    for (BlockArgument argument : block.getArguments()) {
      values.try_emplace(argument, values.size());
      os << '^' << argument.getType();
    }
    for (Operation &inner : block) {
      os << inner.getName() << '(';
      for (Value operand : inner.getOperands())
        os << values.lookup(operand) << ',';
      os << ')';
      writeAttributes(&inner);
      for (Value result : inner.getResults()) {
        values.try_emplace(result, values.size());
        os << ':' << result.getType();
      }
      for (Region &nested : inner.getRegions())
        writeRegion(nested, values, writeAttributes);
      os << '\n';
    }
  }
  os << '}';
}

void Writer::writeBody(Region &region, ArrayRef<unsigned> labelNumbers,
                       EinsumOp op) {
  llvm::DenseMap<Value, unsigned> values;
  writeRegion(region, values, [&](Operation *inner) {
    if (auto use = dyn_cast<LabelOp>(inner))
      os << labelNumbers[*op.getLabelIndex(use.getLabel())];
    else
      os << inner->getAttrDictionary();
  });
}

/// What is written where it stands; operators are where they are read.
static bool isRoot(Operation &op) {
  return !isa<BlockOpInterface>(op) || isa<SinkOp>(op);
}

/// A loop and what a pass of it makes and stops by; its body's other operators
/// are written where they are read.
void Writer::writeLoop(GraphLoopInterface op) {
  os << op->getName() << op->getAttrDictionary();
  for (Value operand : op->getOperands())
    writeOperand(operand);
  Block &body = op.getLoopBody();
  for (BlockArgument argument : body.getArguments())
    arguments.try_emplace(argument, arguments.size());
  os << " {\n";
  for (Operation &inner : body)
    if (isRoot(inner))
      writeOp(&inner);
  os << "}\n";
}

/// Whose body's operators are written one after another.
void Writer::writeFused(FusedOp op) {
  os << op->getName() << op->getDiscardableAttrDictionary();
  for (Value operand : op.getInputs())
    writeOperand(operand);
  for (BlockArgument argument : op.getBody().getArguments())
    arguments.try_emplace(argument, arguments.size());
  os << " {\n";
  for (Operation &held : op.getBody().front().without_terminator())
    writeOp(&held);
  os << "}\n";
}

/// Operators of other dialects and points: all that they say, labels by name.
void Writer::writeOther(Operation *op) {
  os << op->getName() << op->getAttrDictionary();
  for (Value operand : op->getOperands())
    writeOperand(operand);
  llvm::DenseMap<Value, unsigned> values;
  for (Region &region : op->getRegions())
    writeRegion(region, values,
                [&](Operation *inner) { os << inner->getAttrDictionary(); });
  os << ':' << op->getResultTypes() << '\n';
}

void Writer::writeOperand(Value operand) {
  // What a loop carries.
  if (isa<BlockArgument>(operand)) {
    os << " ^" << arguments.lookup(operand);
    return;
  }
  os << ' ' << numbers.lookup(operand.getDefiningOp()) << '#'
     << cast<OpResult>(operand).getResultNumber();
}

void Writer::writeEinsum(EinsumOp op) {
  SmallVector<unsigned> labelNumbers = numberLabels(op);
  SmallVector<AffineExpr> renamed;
  SmallVector<int64_t> extents(labelNumbers.size());
  for (auto [label, number] : llvm::enumerate(labelNumbers)) {
    renamed.push_back(getAffineDimExpr(number, op.getContext()));
    extents[number] = op.getExtents()[label];
  }
  auto writeMap = [&](AffineMap map) {
    os << map.replaceDimsAndSymbols(renamed, {}, renamed.size(), 0);
  };
  os << "einsum [";
  llvm::interleaveComma(extents, os);
  os << "] ";
  for (unsigned operand = 0; operand < op.getInputs().size(); ++operand) {
    writeOperand(op.getInputs()[operand]);
    writeMap(op.getOperandMap(operand));
    os << op.getPads()[operand] << ' ';
  }
  writeMap(op.getResultMap());
  os << stringifyMonoid(op.getMonoid()) << ' ' << op.getResultType()
     << op->getDiscardableAttrDictionary();
  if (TypedAttr identity = op.getCustomIdentityAttr())
    os << identity;
  os << '\n';
  writeBody(op.getBody(), labelNumbers, op);
  writeBody(op.getCombiner(), labelNumbers, op);
}

void Writer::writeSource(SourceOp op) {
  os << "source " << op.getNameAttr() << op.getType();
  if (Attribute target = op.getTargetAttr())
    os << target;
  if (Attribute device = op.getDeviceAttr())
    os << device;
  for (Value point : op.getPoints())
    writeOperand(point);
  os << op->getDiscardableAttrDictionary() << '\n';
}

/// What has to be written before an operation: of a loop also what its body
/// reads from outside.
static SmallVector<Value> readBy(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (auto loop = dyn_cast<GraphLoopInterface>(op)) {
    llvm::SetVector<Value> outside;
    getUsedValuesDefinedAbove(*loop.getLoopBody().getParent(), outside);
    llvm::append_range(values, outside);
  }
  return values;
}

void Writer::writeOp(Operation *top) {
  // Operands first, without recursion: graphs may be deep.
  SmallVector<Operation *> open = {top};
  while (!open.empty()) {
    Operation *op = open.back();
    if (numbers.contains(op)) {
      open.pop_back();
      continue;
    }
    bool isReady = true;
    SmallVector<Value> reads = readBy(op);
    for (Value read : llvm::reverse(reads))
      if (Operation *producer = read.getDefiningOp();
          producer && !numbers.contains(producer)) {
        open.push_back(producer);
        isReady = false;
      }
    if (!isReady)
      continue;
    open.pop_back();
    if (auto source = dyn_cast<SourceOp>(op)) {
      writeSource(source);
    } else if (auto einsum = dyn_cast<EinsumOp>(op)) {
      writeEinsum(einsum);
    } else if (auto loop = dyn_cast<GraphLoopInterface>(op)) {
      writeLoop(loop);
    } else if (auto fused = dyn_cast<FusedOp>(op)) {
      writeFused(fused);
    } else {
      writeOther(op);
    }
    numbers.try_emplace(op, numbers.size());
  }
}

std::string Writer::write(GraphOp graph) {
  for (Operation &op : graph.getBody().front())
    if (isRoot(op))
      writeOp(&op);
  return std::move(text);
}

GraphKey teg::keyOf(GraphOp graph) {
  std::string text = Writer().write(graph);
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  return {hash.high64, hash.low64};
}
