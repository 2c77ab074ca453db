//===- GraphPicture.cpp - Graphs in the white paper's visual language -----===//

#include "tapestry/Export/GraphPicture.h"
#include "ViewNames.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryBlock.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryFused.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOperator.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Interfaces/BlockOpInterface.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"
#include "tapestry/Interfaces/GraphNodeInterface.h"
#include "tapestry/Interfaces/SelectorInterface.h"
#include "tapestry/Support/Markup.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <map>

using namespace mlir;
using namespace tapestry;

namespace {

/// A shape of Graphviz with the colour that it is filled with.
struct Style {
  StringRef shape;
  StringRef color;
};
constexpr Style tensorStyle = {"box3d", "#d0d0ff"};
constexpr Style selectorStyle = {"parallelogram", "#a0d0d0"};
constexpr Style blockStyle = {"rarrow", "#e5e8e8"};
constexpr Style borderStyle = {"cds", "#e5e8e8"};
constexpr Style signatureStyle = {"component", "#ffffd0"};
constexpr Style pointStyle = {"octagon", "#b4f8c8"};

using Lines = llvm::SmallVector<std::string>;

class PictureWriter {
public:
  explicit PictureWriter(llvm::raw_ostream &os) : os(os) {}
  void write(teg::GraphOp graph);

private:
  void writeBlock(Block &block);
  void writeOp(Operation *op);
  void writeOperator(Operation *op);
  void writeSelector(Operation *op, StringRef title);
  void writeResults(Operation *op, unsigned number);
  void writeBorder(GraphNodeInterface node, teg::ShardOp shard = {});
  void writeLoop(GraphLoopInterface loop);
  void writeTensor(Value tensor, StringRef name);
  void writeSignature(BlockOpInterface op, unsigned user);
  /// A node of these lines; returns its number.
  unsigned node(const Style &style, ArrayRef<std::string> lines,
                StringRef more = "");
  void edge(unsigned from, unsigned to, StringRef attributes = "");
  /// From a node to those of the tensors and points that it takes.
  void edgesTo(unsigned from, ValueRange operands);

  llvm::raw_ostream &os;
  unsigned nodes = 0;
  llvm::DenseMap<Value, unsigned> numbers;
  /// Of equal text there is one signature.
  std::map<std::string, unsigned> signatures;
};

} // namespace

/// "[97, 41]".
static std::string listText(ArrayRef<int64_t> numbers) {
  return "[" +
         llvm::join(llvm::map_range(
                        numbers, [](int64_t n) { return std::to_string(n); }),
                    ", ") +
         "]";
}

/// "[0, 0] => [97, 41]": the index points that an operator counts.
static std::string rangeText(ArrayRef<ZRange> box) {
  llvm::SmallVector<int64_t> starts, ends;
  for (const ZRange &range : box) {
    starts.push_back(range.lo);
    ends.push_back(range.hi);
  }
  return listText(starts) + " => " + listText(ends);
}

/// "[i, 2 * j + k:+3]": the region of a tensor at an index point.
static std::string projectionText(const Projection &projection,
                                  ArrayRef<std::string> labels) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(projection.dims, os, [&](const ProjectionDim &dim) {
    index::printSubscript(os, dim,
                          [&](unsigned label) { os << labels[label]; });
    if (dim.size != 1)
      os << ":+" << dim.size;
    if (dim.stride != 1)
      os << " by " << dim.stride;
  });
  os << ']';
  return text;
}

/// The name under which a tensor is known: its vertex' or its source's.
static std::string nameOf(Value tensor) {
  if (auto result = dyn_cast<OpResult>(tensor)) {
    if (auto known = dyn_cast<teg::OperatorOp>(result.getOwner()))
      return known.getName().str();
    if (auto node = dyn_cast<GraphNodeInterface>(result.getOwner()))
      return node.getTensorName().str();
    if (auto op = dyn_cast<BlockOpInterface>(result.getOwner()))
      return op.getResultName(result.getResultNumber());
  }
  return "";
}

unsigned PictureWriter::node(const Style &style, ArrayRef<std::string> lines,
                             StringRef more) {
  os << "  n" << nodes << " [shape=" << style.shape << ", fillcolor=\""
     << style.color << "\"" << more << ", label=<";
  llvm::interleave(
      lines, os, [&](const std::string &line) { os << line; }, "<br/>");
  os << ">];\n";
  return nodes++;
}

void PictureWriter::edge(unsigned from, unsigned to, StringRef attributes) {
  os << "  n" << from << " -> n" << to << attributes << ";\n";
}

void PictureWriter::edgesTo(unsigned from, ValueRange operands) {
  llvm::SmallDenseSet<unsigned> drawn;
  for (Value operand : operands)
    if (auto found = numbers.find(operand); found != numbers.end())
      if (drawn.insert(found->second).second)
        edge(from, found->second);
}

void PictureWriter::writeTensor(Value tensor, StringRef name) {
  Lines lines;
  if (!name.empty())
    lines.push_back("<b>" + escapedMarkup(name) + "</b>");
  if (auto type = dyn_cast<RankedTensorType>(tensor.getType())) {
    std::string element;
    llvm::raw_string_ostream(element) << type.getElementType();
    lines.push_back(escapedMarkup(listText(type.getShape()) + " " + element));
  }
  numbers[tensor] = node(tensorStyle, lines);
}

/// The block whose kernel says what its points take, and of which `op` may be a
/// shard. Null where there is none.
static teg::BlockOp costlyBlockOf(Operation *op) {
  if (auto shard = dyn_cast<teg::ShardOp>(op))
    op = shard.getWholeOp();
  auto block = dyn_cast<teg::BlockOp>(op);
  bool costs = block && (!block.getSignature().costs.empty() ||
                         (block.getCosts() && !block.getCosts()->empty()));
  return costs ? block : nullptr;
}

/// "batch: 1 gpu, 1 ram": what one step more along a label takes, "point: 12
/// flops": each point.
static Lines marginalCostsOf(Operation *op) {
  llvm::MapVector<StringRef, std::string> labels;
  if (teg::BlockOp block = costlyBlockOf(op))
    for (const teg::KernelCost &cost : block.getSignature().costs) {
      std::string &line = labels[cost.label];
      std::string label = cost.label.empty() ? "point" : cost.label;
      line += (line.empty() ? label + ": " : ", ") +
              std::to_string(cost.amount) + " " + cost.resource;
    }
  Lines lines;
  for (auto &[label, line] : labels)
    lines.push_back("<i>" + escapedMarkup(line) + "</i>");
  return lines;
}

/// "costs: 16498 gpu, 8370 ram": what these points of a block take of each
/// resource that it or its kernel knows.
static Lines costsOf(Operation *op, ArrayRef<ZRange> points) {
  teg::BlockOp block = costlyBlockOf(op);
  if (!block)
    return {};
  llvm::SetVector<StringRef> resources;
  for (const teg::KernelCost &cost : block.getSignature().costs)
    resources.insert(cost.resource);
  if (DictionaryAttr own = block.getCostsAttr())
    for (NamedAttribute cost : own)
      resources.insert(cost.getName().getValue());
  llvm::SmallVector<int64_t> steps;
  for (ZRange range : points)
    steps.push_back(range.size());
  std::string line;
  for (StringRef resource : resources)
    line += (line.empty() ? "costs: " : ", ") +
            std::to_string(std::llround(block.getCost(resource, steps))) + " " +
            resource.str();
  return {"<i>" + escapedMarkup(line) + "</i>"};
}

void PictureWriter::writeSignature(BlockOpInterface op, unsigned user) {
  llvm::SmallVector<std::string> labels = op.getLabelNames();
  Lines lines = {"Signature"};
  for (auto [number, tensor] : llvm::enumerate(op.getTensorOperands()))
    for (const Access &access : op.getAccesses(number))
      lines.push_back("P" + std::to_string(number) + " = " +
                      escapedMarkup(projectionText(access.projection, labels)));
  for (const Projection &projection : op.getResultProjections())
    lines.push_back("&#8594; " +
                    escapedMarkup(projectionText(projection, labels)));
  for (std::string &line : marginalCostsOf(op))
    lines.push_back(std::move(line));
  if (int64_t flops = op.getWork().flops)
    lines.push_back("<i>" + std::to_string(flops) + " flops a point</i>");
  auto [found, isNew] = signatures.try_emplace(llvm::join(lines, "\n"), nodes);
  if (isNew) {
    unsigned number = node(signatureStyle, lines);
    os << "  { rank=same; n" << user << "; n" << number << "; }\n";
  }
  edge(user, found->second, " [style=dotted, constraint=false]");
}

/// "Linear => ReLU": the vertices that a fused operator is instead of.
static std::string chainOf(teg::FusedOp op) {
  std::string chain;
  for (BlockOpInterface held : {op.getProducer(), op.getConsumer()}) {
    auto inner = dyn_cast<teg::FusedOp>(held.getOperation());
    chain += (chain.empty() ? "" : " => ") +
             (inner ? chainOf(inner) : held.getVertexName().str());
  }
  return chain;
}

/// "einsum mulf, negf": the kind of an operator and, where they are few, what
/// it computes at an index point.
static std::string titleOf(Operation *op) {
  constexpr size_t mostWords = 3;
  llvm::SmallVector<StringRef> words;
  if (auto block = dyn_cast<BlockOpInterface>(op))
    if (Region *scalar = block.getScalarRegion())
      for (Operation &step : scalar->front().without_terminator())
        if (!step.hasTrait<OpTrait::ConstantLike>())
          words.push_back(step.getName().stripDialect());
  if (auto shard = dyn_cast<teg::ShardOp>(op))
    op = shard.getWholeOp();
  StringRef kind = op->getName().stripDialect();
  if (auto known = dyn_cast<teg::OperatorOp>(op))
    kind = known.getKind();
  std::string title = "<b>" + escapedMarkup(kind) + "</b>";
  // What a function from outside, or a body, computes is its name.
  if (auto block = dyn_cast<teg::BlockOp>(op))
    return title + " " + escapedMarkup(block.getKernel().getKernel().symbol);
  if (auto fused = dyn_cast<teg::FusedOp>(op))
    return title + " " + escapedMarkup(chainOf(fused));
  return words.empty() || words.size() > mostWords
             ? title
             : title + " " + escapedMarkup(llvm::join(words, ", "));
}

/// "starts: [0, 0]" and the like: what an operation is given beside its name
/// and its placement.
static Lines parametersOf(Operation *op) {
  Lines lines;
  for (NamedAttribute entry : op->getAttrs()) {
    StringRef name = entry.getName().getValue();
    if (auto list = dyn_cast<DenseI64ArrayAttr>(entry.getValue()))
      lines.push_back((name + ": ").str() + listText(list));
    else if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
      lines.push_back((name + ": ").str() +
                      std::to_string(number.getValue().getSExtValue()));
  }
  return lines;
}

/// The index points of the whole operator that this one computes.
static ZBox pointsOf(BlockOpInterface op) {
  auto shard = dyn_cast<teg::ShardOp>(op.getOperation());
  return shard ? shard.getBox() : op.getIndexSpace();
}

/// An operator that computes: its kind, its name for labels, the index points
/// that it counts, and how it reduces.
void PictureWriter::writeOperator(Operation *op) {
  Lines lines = {titleOf(op)};
  auto block = dyn_cast<BlockOpInterface>(op);
  if (block) {
    lines.push_back(
        escapedMarkup("[" + llvm::join(block.getLabelNames(), ", ") + "]"));
    lines.push_back(escapedMarkup(rangeText(pointsOf(block))));
    for (unsigned result = 0; result < op->getNumResults(); ++result)
      if (Monoid monoid = block.getResultMonoid(result); monoid != Monoid::None)
        lines.push_back("reduce " + stringifyMonoid(monoid).str());
    for (std::string &line : costsOf(op, pointsOf(block)))
      lines.push_back(std::move(line));
  } else if (auto call = dyn_cast<CallOpInterface>(op)) {
    if (auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
      lines.push_back(escapedMarkup(callee.getLeafReference().getValue()));
  }
  unsigned number = node(blockStyle, lines, ", margin=\"0.3,0.12\"");
  edgesTo(number, op->getOperands());
  if (block)
    writeSignature(block, number);
  writeResults(op, number);
}

/// The selector that an operation is: one that computes nothing, or chooses
/// among the elements of its operands. Empty where it is none.
static StringRef selectorOf(Operation *op) {
  if (isa<SelectorInterface>(op))
    return op->getName().stripDialect();
  if (auto known = dyn_cast<teg::OperatorOp>(op)) {
    StringRef kind = known.getKind();
    bool chooses =
        kind == teg::whereKind || kind == teg::maxKind || kind == teg::minKind;
    return chooses ? kind : StringRef();
  }
  auto block = dyn_cast<BlockOpInterface>(op);
  Region *scalar = block ? block.getScalarRegion() : nullptr;
  if (!scalar || block.getResultMonoid(0) != Monoid::None)
    return {};
  if (StringRef view = viewName(block); !view.empty())
    return view;
  // At every point the elements of the result's place.
  Projection written = block.getResultProjections().front();
  for (auto &[operand, read] : block.getReads())
    if (read.projection != written)
      return {};
  StringRef chosen;
  for (Operation &step : scalar->front().without_terminator()) {
    if (step.hasTrait<OpTrait::ConstantLike>())
      continue;
    StringRef word = step.getName().stripDialect();
    StringRef kind;
    if (word == "select")
      kind = teg::whereKind;
    else if (word.starts_with("max"))
      kind = teg::maxKind;
    else if (word.starts_with("min"))
      kind = teg::minKind;
    if (kind.empty() || (!chosen.empty() && chosen != kind))
      return {};
    chosen = kind;
  }
  return chosen;
}

void PictureWriter::writeSelector(Operation *op, StringRef title) {
  Lines lines = {"<b>" + title.str() + "</b>"};
  if (isa<SelectorInterface>(op))
    llvm::append_range(lines, parametersOf(op));
  unsigned number = node(selectorStyle, lines, ", margin=0");
  edgesTo(number, op->getOperands());
  writeResults(op, number);
}

void PictureWriter::writeResults(Operation *op, unsigned number) {
  for (Value result : op->getResults()) {
    writeTensor(result, nameOf(result));
    edge(numbers[result], number);
  }
}

/// "file b.npy": what a source comes from or a sink leads to.
static std::string targetText(Attribute target) {
  if (auto file = dyn_cast<teg::FileAttr>(target))
    return "file " + escapedMarkup(file.getPath());
  // "#tapestry.generator<normal seed 7>"
  std::string text;
  llvm::raw_string_ostream(text) << target;
  StringRef said(text);
  said.consume_front("#tapestry.");
  auto [kind, rest] = said.split('<');
  rest.consume_back(">");
  return escapedMarkup((kind + " " + rest).str());
}

/// A source, a sink or a point; with `shard` a part of a source or a sink.
void PictureWriter::writeBorder(GraphNodeInterface node, teg::ShardOp shard) {
  Operation *op = shard ? shard.getOperation() : node.getOperation();
  if (node.getNodeKind() == GraphNodeKind::Point) {
    unsigned number = this->node(pointStyle, {"Sequence", "Point"});
    edgesTo(number, op->getOperands());
    for (Value point : op->getResults())
      numbers[point] = number;
    return;
  }
  bool isSource = node.getNodeKind() == GraphNodeKind::Source;
  std::vector<std::string> lines = {(isSource ? "Source: " : "Sink: ") +
                                    escapedMarkup(node.getTensorName())};
  if (shard)
    lines.push_back(escapedMarkup(rangeText(shard.getBox())));
  if (Attribute target = node->getAttr("target"))
    lines.push_back((isSource ? "from " : "to ") + targetText(target));
  if (std::optional<int64_t> device = node.getNodeDevice())
    lines.push_back("on device " + std::to_string(*device));
  unsigned number = this->node(borderStyle, lines);
  edgesTo(number, op->getOperands());
  if (!isSource) {
    for (Value done : op->getResults())
      numbers[done] = number;
    return;
  }
  Value tensor = op->getResult(0);
  writeTensor(tensor, nameOf(tensor));
  edge(numbers[tensor], number);
}

void PictureWriter::writeLoop(GraphLoopInterface loop) {
  Operation *op = loop;
  Block &body = loop.getLoopBody();
  os << "  subgraph cluster_" << nodes << " {\n"
     << "  style=\"rounded\"; color=\"#6b7280\"; label=<"
     << escapedMarkup(op->getName().stripDialect().str() + " " +
                      loop.getLoopName().str() + ": at most " +
                      std::to_string(loop.getMostPasses()) + " passes")
     << ">;\n";
  auto carried = op->getOperands().take_front(body.getNumArguments());
  for (auto [argument, operand] : llvm::zip(body.getArguments(), carried)) {
    writeTensor(argument, nameOf(operand));
    edgesTo(numbers[argument], operand);
  }
  writeBlock(body);
  // The way back to the next pass.
  for (auto [argument, next] : llvm::zip(body.getArguments(), loop.getNexts()))
    if (auto found = numbers.find(next); found != numbers.end())
      edge(numbers[argument], found->second,
           " [style=dashed, constraint=false]");
  os << "  }\n";
  for (auto [result, next] : llvm::zip(op->getResults(), loop.getNexts())) {
    writeTensor(result, nameOf(next));
    edgesTo(numbers[result], next);
  }
}

void PictureWriter::writeOp(Operation *op) {
  if (auto node = dyn_cast<GraphNodeInterface>(op))
    return writeBorder(node);
  if (auto loop = dyn_cast<GraphLoopInterface>(op))
    return writeLoop(loop);
  if (auto shard = dyn_cast<teg::ShardOp>(op))
    if (auto node =
            dyn_cast<GraphNodeInterface>(shard.getWholeOp().getOperation()))
      return writeBorder(node, shard);
  if (StringRef selector = selectorOf(op); !selector.empty())
    return writeSelector(op, selector);
  if (!op->hasTrait<OpTrait::IsTerminator>())
    writeOperator(op);
}

void PictureWriter::writeBlock(Block &block) {
  for (Operation &op : block)
    writeOp(&op);
}

void PictureWriter::write(teg::GraphOp graph) {
  os << "digraph \"" << escapedMarkup(graph.getSymName()) << "\" {\n"
     << "  graph [rankdir=RL, nodesep=0.25, ranksep=0.35, "
        "fontname=\"Helvetica,Arial,sans-serif\", fontsize=11];\n"
     << "  node [style=filled, fontname=\"Helvetica,Arial,sans-serif\", "
        "fontsize=9, margin=\"0.12,0.06\"];\n"
     << "  edge [color=\"#6b7280\", arrowsize=0.6];\n";
  writeBlock(graph.getBody().front());
  os << "}\n";
}

void tapestry::writeGraphPicture(llvm::raw_ostream &os, teg::GraphOp graph) {
  PictureWriter(os).write(graph);
}
