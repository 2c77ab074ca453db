//===- Inlining.cpp - A producer's body inside its reader's ---------------===//

#include "Inlining.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/Constraints.h"
#include "tapestry/Dialect/Tapestry/IR/EinsumLabels.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Planner/Model/Graph.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// Longer bodies are not made: each reader pays for them, and searches would
/// let them grow without end.
static constexpr size_t maxBodyLength = 96;

/// Whether a point of the reader may see what is not in the operand.
static bool isPadSeen(EinsumOp reader, unsigned operand) {
  if (reader.getFold(operand))
    return true;
  if (!reader.getPad(operand))
    return false;
  return !contains(
      boxOfShape(reader.getInputType(operand).getShape()),
      reader.getSubscripts(operand).image(pointsThatSee(reader, operand)));
}

namespace {

class Inliner {
public:
  Inliner(EinsumOp reader, EinsumOp producer, Monoid monoid)
      : reader(reader), producer(producer), monoid(monoid),
        context(reader.getContext()) {}

  llvm::Expected<EinsumOp> run();

private:
  /// An operand of the new einsum.
  struct Read {
    Value tensor;
    AffineMap map;
    Attribute pad;
    bool operator==(const Read &o) const {
      return tensor == o.tensor && map == o.map && pad == o.pad;
    }
  };

  void nameLabels();
  llvm::Error addReads(unsigned operand);
  unsigned addRead(const Read &read);
  llvm::Error checkLabels() const;
  EinsumOp build();
  void buildBody(EinsumOp op);
  Value inlineBody(OpBuilder &builder, unsigned operand,
                   ArrayRef<Value> arguments);

  EinsumOp reader, producer;
  Monoid monoid;
  MLIRContext *context;
  /// All labels of the new einsum: the reader's, then what the producer
  /// reduces.
  SmallVector<std::string> labels;
  SmallVector<int64_t> extents;
  /// Per label of the producer: what stands for it at the current read.
  SmallVector<AffineExpr> substitutes;
  /// Per read of the producer that: the substitutes of all its labels.
  llvm::DenseMap<unsigned, SmallVector<AffineExpr>> substitutesOf;
  SmallVector<Read> reads;
  /// Per operand of the reader: its read or, for the producer, the reads of the
  /// producer's operands.
  SmallVector<SmallVector<unsigned>> readsOf;
};

} // namespace

void Inliner::nameLabels() {
  labels = reader.getLabelNames();
  extents = llvm::to_vector(reader.getExtents());
  SmallVector<std::string> names = producer.getLabelNames();
  substitutes.assign(names.size(), AffineExpr());
  for (auto [label, kind] : llvm::enumerate(producer.getLabelKinds())) {
    if (kind == LabelKind::Parallel)
      continue;
    std::string name = names[label];
    for (unsigned number = 2; llvm::is_contained(labels, name); ++number)
      name = names[label] + std::to_string(number);
    substitutes[label] = getAffineDimExpr(labels.size(), context);
    labels.push_back(name);
    extents.push_back(producer.getExtents()[label]);
  }
}

unsigned Inliner::addRead(const Read &read) {
  auto *known = llvm::find(reads, read);
  if (known != reads.end())
    return known - reads.begin();
  reads.push_back(read);
  return reads.size() - 1;
}

llvm::Error Inliner::addReads(unsigned operand) {
  SmallVector<unsigned> &numbers = readsOf.emplace_back();
  AffineMap map = reader.getOperandMap(operand);
  if (reader.getInputs()[operand] != producer.getResult()) {
    map = AffineMap::get(labels.size(), 0, map.getResults(), context);
    numbers.push_back(
        addRead({reader.getInputs()[operand], map, reader.getPads()[operand]}));
    return llvm::Error::success();
  }
  if (isPadSeen(reader, operand))
    return planError("'", reader.getName(), "' reads '", producer.getName(),
                     "' with a pad, which its body knows nothing of");
  AffineMap result = producer.getResultMap();
  for (auto [dim, subscript] : llvm::enumerate(map.getResults()))
    substitutes[result.getDimPosition(dim)] = subscript;
  for (auto use : producer.getBody().getOps<LabelOp>())
    if (!isa<AffineDimExpr>(
            substitutes[*producer.getLabelIndex(use.getLabel())]))
      return planError("the body of '", producer.getName(), "' uses label '",
                       use.getLabel(), "', for which '", reader.getName(),
                       "' has no single label");
  for (unsigned inner = 0; inner < producer.getInputs().size(); ++inner) {
    AffineMap composed = producer.getOperandMap(inner).replaceDimsAndSymbols(
        substitutes, {}, labels.size(), 0);
    FailureOr<Projection> projection = index::getSubscripts(composed);
    std::optional<Fold> fold = producer.getFold(inner);
    if (failed(projection) ||
        (fold && foldInto(*projection, extents,
                          producer.getInputType(inner).getShape(), *fold)))
      return planError("what '", reader.getName(), "' reads of '",
                       producer.getName(),
                       "' has subscripts which cannot be "
                       "put into those of its operand ",
                       inner);
    Attribute pad = producer.getPads()[inner];
    // What lies outside then is not seen.
    ArrayRef<int64_t> shape = producer.getInputType(inner).getShape();
    if (!isa<TypedAttr>(pad) && !fold &&
        !contains(boxOfShape(shape),
                  projection->image(boxOfShape(ArrayRef<int64_t>(extents)))))
      pad = zeroValue(producer.getInputType(inner).getElementType());
    numbers.push_back(addRead({producer.getInputs()[inner], composed, pad}));
  }
  substitutesOf[operand] = substitutes;
  return llvm::Error::success();
}

llvm::Error Inliner::checkLabels() const {
  EinsumOp op = reader;
  llvm::SmallBitVector seen(labels.size());
  auto see = [&](AffineMap map) {
    for (unsigned label = 0; label < map.getNumDims(); ++label)
      if (map.isFunctionOfDim(label))
        seen.set(label);
  };
  see(op.getResultMap());
  for (const Read &read : reads)
    see(read.map);
  for (auto use : op.getBody().getOps<LabelOp>())
    seen.set(*op.getLabelIndex(use.getLabel()));
  for (const auto &entry : substitutesOf)
    for (auto use : EinsumOp(producer).getBody().getOps<LabelOp>())
      seen.set(
          cast<AffineDimExpr>(
              entry.second[*EinsumOp(producer).getLabelIndex(use.getLabel())])
              .getPosition());
  double points = 1;
  for (int64_t extent : extents)
    points *= extent;
  if (points >= 0x1p62)
    return planError("the index space of '", op.getName(),
                     "' would have 2^62 points or more");
  for (unsigned label = 0; label < labels.size(); ++label)
    if (!seen.test(label))
      return planError("label '", labels[label], "' of '", op.getName(),
                       "' would occur nowhere but in the reduction");
  return llvm::Error::success();
}

Value Inliner::inlineBody(OpBuilder &builder, unsigned operand,
                          ArrayRef<Value> arguments) {
  IRMapping mapping;
  Block &body = producer.getBody().front();
  for (auto [inner, read] : llvm::enumerate(readsOf[operand]))
    mapping.map(body.getArgument(inner), arguments[read]);
  for (Operation &op : body.without_terminator()) {
    auto use = dyn_cast<LabelOp>(op);
    if (!use) {
      builder.clone(op, mapping);
      continue;
    }
    unsigned label = *producer.getLabelIndex(use.getLabel());
    unsigned position =
        cast<AffineDimExpr>(substitutesOf[operand][label]).getPosition();
    mapping.map(use.getResult(),
                LabelOp::create(builder, use.getLoc(), use.getType(),
                                builder.getStringAttr(labels[position]))
                    .getResult());
  }
  Value value =
      mapping.lookupOrDefault(cast<YieldOp>(body.getTerminator()).getValue());
  // What was stored was rounded.
  Type stored = producer.getResultType().getElementType();
  if (value.getType() != stored)
    value = arith::TruncFOp::create(builder, producer.getLoc(), stored, value);
  return value;
}

void Inliner::buildBody(EinsumOp op) {
  OpBuilder builder(context);
  Block *block = builder.createBlock(&op.getBody());
  SmallVector<Value> arguments;
  for (const Read &read : reads)
    arguments.push_back(block->addArgument(
        cast<RankedTensorType>(read.tensor.getType()).getElementType(),
        read.tensor.getLoc()));
  IRMapping mapping;
  Block &old = reader.getBody().front();
  for (unsigned operand = 0; operand < old.getNumArguments(); ++operand) {
    bool inlined = substitutesOf.contains(operand);
    mapping.map(old.getArgument(operand),
                inlined ? inlineBody(builder, operand, arguments)
                        : arguments[readsOf[operand].front()]);
  }
  for (Operation &inner : old)
    builder.clone(inner, mapping);
}

EinsumOp Inliner::build() {
  OpBuilder builder(context);
  SmallVector<StringRef> names(labels.begin(), labels.end());
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  SmallVector<TypedAttr> pads;
  for (const Read &read : reads) {
    operands.push_back(read.tensor);
    maps.push_back(read.map);
    pads.push_back(dyn_cast<TypedAttr>(read.pad));
  }
  maps.push_back(AffineMap::get(labels.size(), 0,
                                reader.getResultMap().getResults(), context));
  auto op = EinsumOp::create(builder, reader.getLoc(), reader.getName(), names,
                             extents, operands, maps, pads, monoid,
                             reader.getResultType());
  if (TypedAttr identity = reader.getCustomIdentityAttr()) {
    op.setCustomIdentityAttr(identity);
    reader.getCombiner().cloneInto(&op.getCombiner(),
                                   *std::make_unique<IRMapping>());
  }
  // What a user asks of the reader is about labels that it keeps.
  op->setDiscardableAttrs(reader->getDiscardableAttrDictionary());
  buildBody(op);
  return op;
}

llvm::Expected<EinsumOp> Inliner::run() {
  size_t length = 0;
  for (Value operand : reader.getInputs())
    if (operand == producer.getResult())
      length += producer.getBody().front().getOperations().size();
  if (length == 0)
    return planError("'", reader.getName(), "' does not read '",
                     producer.getName(), "'");
  length += reader.getBody().front().getOperations().size();
  if (length > maxBodyLength)
    return planError("the body would have ", length,
                     " operations; the most is ", maxBodyLength);
  nameLabels();
  for (unsigned operand = 0; operand < reader.getInputs().size(); ++operand)
    if (llvm::Error error = addReads(operand))
      return std::move(error);
  if (llvm::Error error = checkLabels())
    return std::move(error);
  return build();
}

llvm::Expected<EinsumOp> teg::inlineProducer(EinsumOp reader, EinsumOp producer,
                                             Monoid monoid) {
  return Inliner(reader, producer, monoid).run();
}

llvm::Error teg::checkUnasked(EinsumOp op) {
  for (NamedAttribute attr : op->getDiscardableAttrs())
    if (attr.getName() != madeAttrName)
      return planError("'", op.getName(), "' has '", attr.getName().getValue(),
                       "', which is about it as it is");
  return llvm::Error::success();
}
