//===- ShardedOperator.cpp - What is asked of what is sharded -------------===//
//
// Of any operator with an index space: which blocks it has, what they read and
// write, its plan, and whether two compute the same.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryFused.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Dialect/Tapestry/IR/Unsigned.h"
#include "tapestry/Interfaces/SelectorInterface.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/Error.h"
#include "tapestry/Support/Sharding.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static bool isNamed(const Projection &projection, unsigned label) {
  return llvm::any_of(projection.dims, [&](const ProjectionDim &dim) {
    return llvm::any_of(
        dim.terms, [&](const AffineTerm &term) { return term.dim == label; });
  });
}

/// Whether a source or a sink has blocks: it waits for nothing, nothing waits
/// for it, and no device has the whole of its tensor.
static bool isFree(GraphNodeInterface node) {
  return node.getAwaitedValues().empty() && !node.getNodeDevice() &&
         (!isGraphSink(node) || node->getNumResults() == 0);
}

bool teg::hasBlocks(Operation *op) {
  auto block = dyn_cast<BlockOpInterface>(op);
  if (auto node = dyn_cast<GraphNodeInterface>(op); node && !isFree(node))
    return false;
  if (!block || op->hasTrait<OpTrait::ConstantLike>() ||
      !block.getAwaited().empty() ||
      ValueRange(block.getTensorOperands()) != op->getOperands())
    return false;
  auto selector = dyn_cast<SelectorInterface>(op);
  return !selector || !selector.isTransparent();
}

llvm::SmallBitVector teg::getShardedLabels(Operation *op) {
  if (!hasBlocks(op))
    return {};
  auto block = cast<BlockOpInterface>(op);
  std::vector<Projection> results = block.getResultProjections();
  llvm::SmallBitVector labels(block.getIndexRank(), true);
  for (auto [label, kind] : llvm::enumerate(block.getLabelKinds()))
    if (kind == LabelKind::Parallel && !results.empty() &&
        llvm::none_of(results, [&, label = label](const Projection &written) {
          return isNamed(written, label);
        }))
      labels.reset(label);
  if (auto scan = dyn_cast<ScanInterface>(op))
    if (std::optional<unsigned> scanned = scan.getScannedLabel())
      labels.reset(*scanned);
  return labels;
}

bool teg::isComplete(BlockOpInterface op, unsigned result,
                     llvm::ArrayRef<ZRange> range) {
  Projection written = op.getResultProjections()[result];
  for (auto [label, extent] : llvm::enumerate(op.getLabelExtents()))
    if (!isNamed(written, label) && range[label] != ZRange{0, extent})
      return false;
  return true;
}

RankedTensorType teg::getTypeOfPart(BlockOpInterface op, unsigned result,
                                    llvm::ArrayRef<ZRange> range) {
  RankedTensorType type = tensorType(op->getResult(result));
  TypedAttr identity = op.getMonoidIdentity(result);
  Type element = identity && !isComplete(op, result, range)
                     ? getElementTypeOrSelf(identity)
                     : type.getElementType();
  return RankedTensorType::get(
      shapeOf(partOfResult(op.getResultProjections()[result], range)), element);
}

ZBox teg::getSliceOf(BlockOpInterface op, unsigned operand,
                     llvm::ArrayRef<ZRange> range) {
  return sliceOfReads(op.getAccesses(operand), range,
                      tensorType(op.getTensorOperands()[operand]).getShape());
}

LogicalResult
teg::forEachVertex(GraphOp graph,
                   function_ref<LogicalResult(BlockOpInterface)> fn) {
  WalkResult walked = graph.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto vertex = dyn_cast<BlockOpInterface>(op);
    if (vertex && !isGraphSink(op) && failed(fn(vertex)))
      return WalkResult::interrupt();
    return vertex ? WalkResult::skip() : WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

bool teg::hasPlan(BlockOpInterface op) {
  auto isGiven = [](const Route &route) { return !route.empty(); };
  if (op.hasPartition() || llvm::any_of(op.getOperandRouteLayouts(), isGiven))
    return true;
  for (unsigned result = 0; result < op->getNumResults(); ++result)
    if (op.getHomeLayout(result) || isGiven(op.getHomeRouteLayouts(result)))
      return true;
  return false;
}

/// Gives an operator a plan that says as much as one can, on a grid of one
/// axis.
static void setSomePlan(BlockOpInterface op, StringRef axis) {
  DeviceGrid grid;
  grid.axes.push_back({axis.str(), 1});
  Partition partition;
  partition.cuts.resize(op.getIndexRank());
  if (!partition.cuts.empty())
    partition.cuts.front().push_back(0);
  op.setPartitionOn(grid, partition);
  auto layoutOf = [](Value tensor) {
    return Layout::replicated(tensorType(tensor).getShape());
  };
  llvm::SmallVector<Route> homeRoutes, operandRoutes;
  for (OpResult result : op->getResults()) {
    op.setHomeLayout(result.getResultNumber(), grid, layoutOf(result));
    homeRoutes.push_back({layoutOf(result)});
  }
  for (auto &[operand, access] : op.getReads())
    operandRoutes.push_back({layoutOf(op.getTensorOperands()[operand])});
  op.setRoutes(grid, homeRoutes, operandRoutes);
}

void teg::forgetPlan(BlockOpInterface op) {
  // Which attributes say it is what the operator knows: those that it sets. On
  // no label, all partitions are equal.
  setSomePlan(op, "a");
  NamedAttrList first(op->getAttrDictionary());
  setSomePlan(op, "b");
  for (NamedAttribute second : op->getAttrDictionary())
    if (isa<index::PartitionAttr>(second.getValue()) ||
        first.get(second.getName()) != second.getValue())
      op->removeAttr(second.getName());
}

//===----------------------------------------------------------------------===//
// Computations
//===----------------------------------------------------------------------===//

/// What labels are called where it does not matter how.
static std::string numberedLabel(unsigned number) {
  return "l" + std::to_string(number);
}

using Numbers = llvm::StringMap<std::string>;

/// A kernel with numbers for labels.
static KernelAttr renamed(KernelAttr signature, const Numbers &numbers) {
  Kernel kernel = signature.getKernel();
  for (std::string &label : kernel.labels)
    label = numbers.lookup(label);
  for (KernelCost &cost : kernel.costs)
    if (!cost.label.empty())
      cost.label = numbers.lookup(cost.label);
  return KernelAttr::get(signature.getContext(), kernel);
}

/// What an attribute names by labels, by their numbers: where it is a kernel,
/// the name of a label or of all, or subscripts.
static Attribute renamed(NamedAttribute said, const Numbers &numbers) {
  Builder builder(said.getValue().getContext());
  auto rename = [&](Attribute name) -> Attribute {
    auto text = dyn_cast<StringAttr>(name);
    auto known = text ? numbers.find(text.getValue()) : numbers.end();
    return known == numbers.end() ? name : builder.getStringAttr(known->second);
  };
  if (auto kernel = dyn_cast<KernelAttr>(said.getValue()))
    return renamed(kernel, numbers);
  // However subscripts are written.
  if (auto maps = dyn_cast<ArrayAttr>(said.getValue());
      maps && said.getName() == "indexing_maps")
    return builder.getArrayAttr(llvm::map_to_vector(maps, [](Attribute map) {
      return cast<Attribute>(AffineMapAttr::get(
          index::canonicalSubscripts(cast<AffineMapAttr>(map).getValue())));
    }));
  if (said.getName() == "along")
    return rename(said.getValue());
  if (auto names = dyn_cast<ArrayAttr>(said.getValue());
      names && said.getName() == "labels")
    return builder.getArrayAttr(llvm::map_to_vector(names, rename));
  return said.getValue();
}

/// Gives the labels of an operator their numbers for names.
static void numberLabels(BlockOpInterface op) {
  Numbers numbers;
  for (auto [number, label] : llvm::enumerate(op.getLabelNames()))
    numbers[label] = numberedLabel(number);
  // Where their values are read, while it knows them by their names.
  SmallVector<std::pair<Operation *, unsigned>> reads;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      if (std::optional<unsigned> label = op.getLabelReadBy(inner))
        reads.emplace_back(inner, *label);
    });
  for (auto [inner, label] : reads)
    inner->setAttr("label",
                   StringAttr::get(op->getContext(), numberedLabel(label)));
  for (NamedAttribute said : op->getAttrs())
    if (Attribute made = renamed(said, numbers); made != said.getValue())
      op->setAttr(said.getName(), made);
}

/// What an operator says of itself, but for its name and what others say of it.
static DictionaryAttr getMeaning(Operation *op) {
  NamedAttrList said(op->getAttrDictionary());
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (attribute.getName() != unsignedAttrName)
      said.erase(attribute.getName());
  // Of sources and sinks it says which tensor they are of.
  if (!isa<GraphNodeInterface>(op))
    said.erase("name");
  return said.getDictionary(op->getContext());
}

Computation::Computation(Operation *of) {
  if (auto shard = dyn_cast<ShardOp>(of)) {
    range = shard.getRange();
    of = shard.getWholeOp();
  }
  op = std::shared_ptr<Operation>(of->clone(),
                                  [](Operation *copy) { copy->destroy(); });
  llvm::append_range(operandTypes, op->getOperandTypes());
  if (auto block = dyn_cast<BlockOpInterface>(op.get())) {
    // All that are compared have the same plan.
    setSomePlan(block, "a");
    numberLabels(block);
  }
  op->setOperands({});
  meaning = getMeaning(op.get());
}

/// Whether the regions of two operators of one kind compute the same.
static bool areRegionsEqual(Operation *a, Operation *b) {
  auto first = dyn_cast<FusedOp>(a);
  if (!first)
    return llvm::all_of(llvm::zip_equal(a->getRegions(), b->getRegions()),
                        [](auto pair) {
                          return OperationEquivalence::isRegionEquivalentTo(
                              &std::get<0>(pair), &std::get<1>(pair),
                              OperationEquivalence::IgnoreLocations);
                        });
  // What it holds has names and may have had plans, too. Arguments are taken in
  // their order.
  auto second = cast<FusedOp>(b);
  return Computation(first.getProducer()) ==
             Computation(second.getProducer()) &&
         Computation(first.getConsumer()) ==
             Computation(second.getConsumer()) &&
         llvm::equal(
             first.getConsumer()->getOperands(),
             second.getConsumer()->getOperands(), [](Value one, Value other) {
               return isa<BlockArgument>(one) == isa<BlockArgument>(other);
             });
}

bool Computation::operator==(const Computation &other) const {
  return range == other.range && isOf(other);
}

bool Computation::isOf(const Computation &other) const {
  Operation *a = op.get(), *b = other.op.get();
  return meaning == other.meaning && a->getName() == b->getName() &&
         a->getResultTypes() == b->getResultTypes() &&
         operandTypes == other.operandTypes && areRegionsEqual(a, b);
}

//===----------------------------------------------------------------------===//
// What differs
//===----------------------------------------------------------------------===//

/// The first of two lists of types that is not the other's.
static std::string typeDifference(StringRef what, TypeRange got,
                                  TypeRange expected) {
  if (got.size() != expected.size())
    return joinedText("it has ", countOf(got.size(), what.str()), ", expected ",
                      expected.size());
  for (auto [number, pair] : llvm::enumerate(llvm::zip(got, expected)))
    if (auto [own, wanted] = pair; own != wanted)
      return joinedText(what, " ", number, " is ", own, ", expected ", wanted);
  return "";
}

static std::string text(Attribute said) {
  if (!said)
    return "not given";
  std::string text;
  llvm::raw_string_ostream os(text);
  said.print(os, /*elideType=*/false);
  return text;
}

/// The first of two lists of what is said that is not the other's.
static std::string saidDifference(StringRef of, DictionaryAttr got,
                                  DictionaryAttr expected) {
  NamedAttrList names(expected);
  for (NamedAttribute said : got)
    names.set(said.getName(), said.getValue());
  for (NamedAttribute said : names.getDictionary(got.getContext())) {
    Attribute own = got.get(said.getName()),
              wanted = expected.get(said.getName());
    if (own != wanted)
      return joinedText(of, "'", said.getName().getValue(), "' is ", text(own),
                        ", expected ", text(wanted));
  }
  return "";
}

/// The first operation of two bodies that is not the other's.
static std::string bodyDifference(Operation *got, Operation *expected) {
  auto inside = [](Operation *op) {
    SmallVector<Operation *> inner;
    for (Region &region : op->getRegions())
      region.walk<WalkOrder::PreOrder>(
          [&](Operation *op) { inner.push_back(op); });
    return inner;
  };
  auto own = inside(got), wanted = inside(expected);
  for (auto [a, b] : llvm::zip(own, wanted)) {
    if (a->getName() != b->getName())
      return joinedText("its body has '", a->getName(), "', expected '",
                        b->getName(), "'");
    std::string said = joinedText("in its body, of '", a->getName(), "', ");
    if (std::string found = saidDifference(said, getMeaning(a), getMeaning(b));
        !found.empty())
      return found;
  }
  if (own.size() != wanted.size())
    return joinedText("its body has ", countOf(own.size(), "operation"),
                      ", expected ", wanted.size());
  return "its body computes of other values";
}

std::string Computation::differenceFrom(const Computation &expected) const {
  Operation *a = op.get(), *b = expected.op.get();
  if (a->getName() != b->getName())
    return joinedText("it is '", a->getName(), "', expected '", b->getName(),
                      "'");
  std::string found =
      typeDifference("operand", operandTypes, expected.operandTypes);
  if (found.empty())
    found = typeDifference("result", a->getResultTypes(), b->getResultTypes());
  if (found.empty())
    found = saidDifference("its ", meaning, expected.meaning);
  return found.empty() ? bodyDifference(a, b) : found;
}
