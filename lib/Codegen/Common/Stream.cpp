//===- Stream.cpp - Tensors that need not exist as a whole ----------------===//
//
// Follows a contraction's result from reader to reader, and with it which loop
// runs along which of its dimensions.
//
//===----------------------------------------------------------------------===//

#include "Stream.h"
#include "RowGroup.h"
#include "mlir/IR/Matchers.h"
#include "tapestry/Codegen/Common/ExpectedSizes.h"
#include "tapestry/Codegen/Common/NestProblem.h"

using namespace mlir;
using linalg::GenericOp;

namespace tapestry {

int64_t expectedExtent(Value buffer, unsigned dim) {
  int64_t extent = cast<MemRefType>(buffer.getType()).getDimSize(dim);
  return ShapedType::isDynamic(extent)
             ? expectedSize(buffer, dim).value_or(assumedExtent)
             : extent;
}

bool Stream::hasColumn(Value buffer) const {
  const auto *known = written.find(buffer);
  return known != written.end() && llvm::is_contained(known->second, column);
}

const RelativeSum *Stream::findSum(Value buffer) const {
  const auto *known = llvm::find_if(
      sums, [&](const RelativeSum &sum) { return sum.buffer == buffer; });
  return known == sums.end() ? nullptr : known;
}

bool Stream::startsFromZero(Value buffer) const {
  return llvm::any_of(members, [&](const StreamMember &member) {
    GenericOp op = member.op;
    if (!isFill(op) || op.getOutputs()[0] != buffer)
      return false;
    Value value = op.getBody()->getTerminator()->getOperand(0);
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == op.getBody())
      value = op.getInputs()[argument.getArgNumber()];
    return matchPattern(value, m_AnyZeroFloat());
  });
}

bool Stream::isMember(Operation *op) const {
  return llvm::any_of(members, [&](const StreamMember &member) {
    return GenericOp(member.op).getOperation() == op;
  });
}

namespace {

class StreamFinder {
public:
  explicit StreamFinder(const StreamLimits &limits) : limits(limits) {}
  bool begin(GenericOp producer);
  bool grow();
  bool chooseRows();
  bool isLegal();

  Stream stream;

private:
  bool add(GenericOp op);
  bool reads(GenericOp op);
  bool addOutputs(StreamMember &member);
  bool isFinished();
  bool isFine(StreamMember &member);
  bool aliasesWritten(OpOperand &operand);
  int64_t ownPoints(const StreamMember &member);

  const StreamLimits &limits;
  /// Fills whose buffers no member has touched yet.
  SmallVector<GenericOp> fills;
  /// What lies between members, and will run before all of them.
  SmallVector<Operation *> others;
  unsigned numLabels = 0;
};

/// Whether only operations of its block read and write `alloc` as a whole.
bool isPlainLocal(memref::AllocOp alloc) {
  return llvm::all_of(alloc->getUsers(), [&](Operation *user) {
    return isa<GenericOp, memref::DeallocOp>(user) &&
           user->getBlock() == alloc->getBlock();
  });
}

bool StreamFinder::begin(GenericOp producer) {
  if (!producer.hasPureBufferSemantics() ||
      producer.getNumReductionLoops() == 0 || producer.getOutputs().size() != 1)
    return false;
  auto alloc = producer.getOutputs()[0].getDefiningOp<memref::AllocOp>();
  if (!alloc || alloc->getBlock() != producer->getBlock())
    return false;
  MemRefType type = alloc.getType();
  std::optional<int64_t> bytes = storedBytes(type.getElementType());
  AffineMap map = producer.getIndexingMapsArray().back();
  if (!bytes || type.getRank() < 2 || !map.isProjectedPermutation() ||
      map.getNumResults() != producer.getNumParallelLoops())
    return false;
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    *bytes *= expectedExtent(alloc, dim);
  if (*bytes < limits.leastBytes || !isPlainLocal(alloc))
    return false;

  stream.tensor = alloc;
  numLabels = type.getRank();
  StreamMember member{producer, {}};
  member.labels.assign(producer.getNumLoops(), -1);
  for (auto [label, expr] : llvm::enumerate(map.getResults()))
    member.labels[cast<AffineDimExpr>(expr).getPosition()] = label;
  // Fills stand right before the first that needs them.
  for (Operation *at = producer->getPrevNode(); at; at = at->getPrevNode()) {
    auto fill = dyn_cast<GenericOp>(at);
    if (fill && isFill(fill) && fill.getOutputs()[0] == alloc.getMemref()) {
      fills.push_back(fill);
      break;
    }
    if (!(fill && isFill(fill)) && !isMemoryEffectFree(at) &&
        !isa<memref::AllocOp>(at))
      break;
  }
  return addOutputs(member);
}

/// Adds `member`, whose labels are known, with the fills of what it writes.
bool StreamFinder::addOutputs(StreamMember &member) {
  GenericOp op = member.op;
  for (OpOperand &operand : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation())
      return false;
    SmallVector<int> dims;
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        return false;
      dims.push_back(member.labels[dim.getPosition()]);
    }
    auto [known, isNew] = stream.written.insert({operand.get(), dims});
    if (!isNew && known->second != dims)
      return false;
    // What has a value per point of the tensor must not be needed as a whole.
    if (isNew && dims.size() == numLabels && !llvm::is_contained(dims, -1)) {
      auto alloc = operand.get().getDefiningOp<memref::AllocOp>();
      if (!alloc || !isPlainLocal(alloc))
        return false;
    }
    for (GenericOp &fill : fills) {
      if (!fill || fill.getOutputs()[0] != operand.get())
        continue;
      StreamMember first{fill, {}};
      first.labels.assign(fill.getNumLoops(), -1);
      AffineMap places = fill.getIndexingMapsArray().back();
      if (!places.isPermutation())
        return false;
      for (auto [label, expr] : llvm::zip_equal(dims, places.getResults()))
        first.labels[cast<AffineDimExpr>(expr).getPosition()] = label;
      stream.members.push_back(first);
      fill = GenericOp();
    }
  }
  stream.members.push_back(member);
  return true;
}

bool StreamFinder::reads(GenericOp op) {
  return llvm::any_of(op.getInputs(), [&](Value input) {
    return stream.written.contains(input);
  });
}

/// Adds a reader of what members wrote.
bool StreamFinder::add(GenericOp op) {
  StreamMember member{op, {}};
  member.labels.assign(op.getNumLoops(), -1);
  for (OpOperand &operand : op->getOpOperands()) {
    const auto *known = stream.written.find(operand.get());
    if (known == stream.written.end())
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [label, expr] :
         llvm::zip_equal(known->second, map.getResults())) {
      if (label < 0)
        continue;
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        return false;
      int &here = member.labels[dim.getPosition()];
      if (here >= 0 && here != label)
        return false;
      here = label;
    }
  }
  for (int label : llvm::seq<int>(0, numLabels))
    if (llvm::count(member.labels, label) > 1)
      return false;
  return addOutputs(member);
}

/// Whether members alone use what has a value per point of the tensor.
bool StreamFinder::isFinished() {
  return llvm::all_of(stream.written, [&](const auto &entry) {
    if (llvm::is_contained(entry.second, -1) ||
        entry.second.size() != numLabels)
      return true;
    auto alloc = entry.first.template getDefiningOp<memref::AllocOp>();
    return alloc && llvm::all_of(alloc->getUsers(), [&](Operation *user) {
             return isa<memref::DeallocOp>(user) || stream.isMember(user);
           });
  });
}

/// Readers this far behind their producer are not looked for: time must not
/// grow with the square of a program's length.
static constexpr unsigned farthestReader = 256;

bool StreamFinder::grow() {
  Operation *first = stream.members.front().op;
  unsigned distance = 0;
  for (Operation *at = stream.members.back().op->getNextNode(); at;
       at = at->getNextNode()) {
    if (++distance > farthestReader || at->hasTrait<OpTrait::IsTerminator>())
      return false;
    auto generic = dyn_cast<GenericOp>(at);
    if (generic && isFill(generic)) {
      fills.push_back(generic);
    } else if (generic && reads(generic)) {
      if (!add(generic))
        return false;
    } else if (!isLocalFree(at)) {
      others.push_back(at);
    }
    if (generic && stream.isMember(generic) && isFinished())
      break;
  }
  // Fills that are no member's run before.
  for (GenericOp fill : fills)
    if (fill && first->isBeforeInBlock(fill))
      others.push_back(fill);
  Operation *last = stream.members.back().op;
  for (Operation *other : others)
    for (const StreamMember &member : stream.members)
      if (other->isBeforeInBlock(last) && member.op->isBeforeInBlock(other) &&
          conflict(member.op, other))
        return false;
  return true;
}

/// Rows are what every result has.
bool StreamFinder::chooseRows() {
  SmallVector<int> columns;
  for (int label : llvm::seq<int>(0, numLabels)) {
    bool everywhere = llvm::all_of(stream.written, [&](const auto &entry) {
      return llvm::is_contained(entry.second, label);
    });
    (everywhere ? stream.rows : columns).push_back(label);
  }
  if (stream.rows.empty() || columns.size() != 1)
    return false;
  stream.column = columns.front();
  // Blocks are cut of rows that share what they read.
  GenericOp producer;
  ArrayRef<int> labels;
  for (const StreamMember &member : stream.members)
    if (!producer && !isFill(member.op)) {
      producer = member.op;
      labels = member.labels;
    }
  auto isShared = [&](int label) {
    unsigned loop = llvm::find(labels, label) - labels.begin();
    return llvm::any_of(producer.getDpsInputOperands(), [&](OpOperand *input) {
      return isa<MemRefType>(input->get().getType()) &&
             !producer.getMatchingIndexingMap(input).isFunctionOfDim(loop);
    });
  };
  int best = -1;
  for (int label : stream.rows)
    if (isShared(label) &&
        (best < 0 || expectedExtent(stream.tensor, label) >=
                         expectedExtent(stream.tensor, best)))
      best = label;
  if (best < 0)
    return false;
  llvm::erase(stream.rows, best);
  stream.rows.push_back(best);
  return true;
}

/// Points of a member per point of the tensor.
int64_t StreamFinder::ownPoints(const StreamMember &member) {
  GenericOp op = member.op;
  int64_t points = 1;
  for (auto [loop, label] : llvm::enumerate(member.labels)) {
    if (label >= 0)
      continue;
    int64_t extent = assumedExtent;
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      if (!type)
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [at, expr] : llvm::enumerate(map.getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(expr);
            dim && dim.getPosition() == loop)
          extent = expectedExtent(operand.get(), at);
    }
    if (llvm::MulOverflow(points, extent, points))
      return std::numeric_limits<int64_t>::max();
  }
  return points;
}

/// Whether memory of `operand` is written through another value.
bool StreamFinder::aliasesWritten(OpOperand &operand) {
  return llvm::any_of(stream.written, [&](const auto &entry) {
    return entry.first != operand.get() && mayAlias(entry.first, operand.get());
  });
}

bool StreamFinder::isFine(StreamMember &member) {
  GenericOp op = member.op;
  if (!op.hasPureBufferSemantics() || !hasPureBody(op) ||
      ownPoints(member) > limits.mostPoints)
    return false;
  // All rows, each in parallel.
  auto kinds = op.getIteratorTypesArray();
  for (int row : stream.rows) {
    auto *loop = llvm::find(member.labels, row);
    if (loop == member.labels.end() ||
        kinds[loop - member.labels.begin()] != utils::IteratorType::parallel)
      return false;
  }
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    if (!storedBytes(type.getElementType()) ||
        llvm::is_contained(type.getShape(), 0) || aliasesWritten(operand))
      return false;
    SmallVector<unsigned> uses(op.getNumLoops(), 0);
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      for (auto [loop, label] : llvm::enumerate(member.labels)) {
        if (label < 0 || !expr.isFunctionOfDim(loop))
          continue;
        if (!isa<AffineDimExpr>(expr) || ++uses[loop] > 1)
          return false;
      }
  }
  return true;
}

bool StreamFinder::isLegal() {
  for (StreamMember &member : stream.members)
    if (!isFine(member))
      return false;
  return llvm::all_of(stream.written, [&](const auto &entry) {
    if (!stream.hasColumn(entry.first))
      return isDistinct(rootOf(entry.first));
    auto alloc = entry.first.template getDefiningOp<memref::AllocOp>();
    return alloc && alloc->getBlock() == stream.tensor->getBlock() &&
           llvm::all_of(alloc->getUsers(), [&](Operation *user) {
             return isa<memref::DeallocOp>(user) || stream.isMember(user);
           });
  });
}

} // namespace

std::optional<Stream> findStream(GenericOp producer,
                                 const StreamLimits &limits) {
  StreamFinder finder(limits);
  if (!finder.begin(producer) || !finder.grow() || !finder.chooseRows() ||
      !finder.isLegal())
    return std::nullopt;
  findPhases(finder.stream);
  return std::move(finder.stream);
}

} // namespace tapestry
