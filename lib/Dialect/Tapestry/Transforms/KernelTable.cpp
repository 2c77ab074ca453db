//===- KernelTable.cpp - The kernels of a task graph ----------------------===//
//
// A kernel is a graph of one operator. Shards that compute equally share one,
// wherever they are.
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryFused.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static void append(std::vector<int64_t> &form, llvm::ArrayRef<ZRange> box) {
  form.push_back(box.size());
  for (const ZRange &range : box)
    form.insert(form.end(), {range.lo, range.hi});
}

static void append(std::vector<int64_t> &form, const Projection &projection) {
  for (const ProjectionDim &dim : projection.dims) {
    form.push_back(dim.terms.size());
    for (const AffineTerm &term : dim.terms)
      form.insert(form.end(), {term.dim, term.coefficient});
    form.insert(form.end(), {dim.constant, dim.size, dim.stride, dim.floordiv,
                             dim.mod, static_cast<int64_t>(dim.fold)});
  }
}

/// What makes a shard compute otherwise than another of the same: of its place
/// only what it computes by.
static std::vector<int64_t> formOf(ShardOp shard, ArrayRef<Value> inputs) {
  std::vector<int64_t> form;
  auto block = cast<BlockOpInterface>(shard.getOperation());
  for (auto [label, range] : llvm::enumerate(shard.getBox()))
    form.insert(form.end(),
                {range.size(), shard.readsPlaceAlong(label) ? range.lo : -1});
  for (Value input : shard.getInputs()) {
    form.push_back(llvm::find(inputs, input) - inputs.begin());
    llvm::append_range(form, typeOf(input).getShape());
  }
  for (auto &[operand, access] : block.getReads()) {
    form.insert(form.end(), {operand, static_cast<int64_t>(access.kind),
                             static_cast<int64_t>(access.fallback)});
    append(form, access.projection);
    append(form, access.guard);
  }
  for (unsigned result = 0; result < shard.getNumResults(); ++result)
    for (const Write &write : shard.getWrites(result)) {
      form.push_back(result);
      append(form, write.projection);
      append(form, write.guard);
    }
  return form;
}

/// An operator without a name, of which kernels are shared.
Operation *KernelTable::cloneInto(Operation *op, IRMapping &mapping) {
  auto unname = [&](Operation *named) {
    if (named->getInherentAttr("name"))
      named->setAttr("name", builder.getStringAttr("kernel"));
  };
  if (auto shard = dyn_cast<ShardOp>(op)) {
    auto operands = llvm::map_to_vector(shard.getInputs(), [&](Value tensor) {
      return mapping.lookup(tensor);
    });
    auto made = ShardOp::create(builder, op->getLoc(), "kernel",
                                shard.getWholeOp(), shard.getBox(), operands);
    made.getWhole().walk(unname);
    return made;
  }
  Operation *made = builder.clone(*op, mapping);
  if (isa<EinsumOp, FusedOp>(made))
    made->walk(unname);
  return made;
}

/// A program is given of an input what it reads; a kernel, all.
static void keepWhole(SourceOp source) {
  ShardingConstraint whole;
  for (int64_t dim = 0, rank = typeOf(source).getRank(); dim < rank; ++dim)
    whole.cuts.push_back({std::to_string(dim), /*parts=*/1, {}});
  MLIRContext *context = source.getContext();
  source->setAttr(
      constraintsAttrName,
      ArrayAttr::get(context, ConstraintAttr::get(context, whole,
                                                  /*isHome=*/false)));
}

GraphOp KernelTable::makeGraph(Operation *op, ArrayRef<Value> inputs) {
  builder.setInsertionPointToEnd(module->getBody());
  Location loc = module->getLoc();
  auto graph = GraphOp::create(builder, loc, "kernel");
  builder.setInsertionPointToEnd(&graph.getBody().front());
  IRMapping mapping;
  for (auto [number, input] : llvm::enumerate(inputs)) {
    auto source = SourceOp::create(builder, loc, "i" + std::to_string(number),
                                   typeOf(input));
    keepWhole(source);
    mapping.map(input, source.getResult());
  }
  for (Value operand : op->getOperands())
    if (!isa<RankedTensorType>(operand.getType()) && !mapping.contains(operand))
      mapping.map(
          operand,
          SequencePointOp::create(builder, loc, ValueRange()).getPoint());
  Operation *made = cloneInto(op, mapping);
  for (auto [number, result] : llvm::enumerate(made->getResults()))
    SinkOp::create(builder, loc, "o" + std::to_string(number), result);
  return graph;
}

int32_t KernelTable::numberOf(Operation *op, ArrayRef<Value> inputs) {
  if (auto shard = dyn_cast<ShardOp>(op)) {
    auto [known, isNew] =
        shards[Computation(op)].try_emplace(formOf(shard, inputs), count);
    if (isNew)
      nameKernel(makeGraph(op, inputs));
    return known->second;
  }
  GraphOp graph = makeGraph(op, inputs);
  std::string text;
  llvm::raw_string_ostream os(text);
  graph->print(os, OpPrintingFlags().useLocalScope());
  auto [known, isNew] = texts.try_emplace(text, count);
  if (isNew)
    nameKernel(graph);
  else
    graph->erase();
  return known->second;
}
