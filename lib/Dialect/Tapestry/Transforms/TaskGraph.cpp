//===- TaskGraph.cpp - A graph as shards on chunks ------------------------===//
//
// Operators that compute become shards: each makes chunks by a call of a
// kernel, a graph of the one operator, which shards that compute equally share.
// What selectors make are views of chunks.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Dialect/Tapestry/Transforms/TaskGraph.h"
#include "GraphViews.h"
#include "KernelTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tapestry-rt/Signs.h"
#include "tapestry/Dialect/Tapestry/IR/ElementBytes.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryAwait.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Dialect/Tapestry/IR/Unsigned.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"
#include "tapestry/Interfaces/SelectorInterface.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The runtime's number of an element type; of a file's where it has no sign.
static int32_t dtypeNumber(Type type, bool isUnsigned = false) {
  return rt::typeInFile(static_cast<int32_t>(*dtypeOf(type)), isUnsigned);
}

//===----------------------------------------------------------------------===//
// Shards and views
//===----------------------------------------------------------------------===//

namespace {

/// What a point happens after.
struct Order {
  llvm::SetVector<int32_t> shards, sinks;
};

class TaskGraphBuilder {
public:
  explicit TaskGraphBuilder(GraphOp graph)
      : graph(graph), kernels(graph.getLoc()) {}

  FailureOr<TaskGraph> build();

private:
  LogicalResult add(Operation &op);
  LogicalResult addShard(Operation &op);
  void addSource(GraphNodeInterface source);
  void addSink(GraphNodeInterface sink);
  void addPoint(Operation &point);
  void waitFor(Value awaited, Order &order);
  template <typename Follower> void follow(Operation &op, Follower &made);
  bool isView(Operation &op);
  unsigned fillOf(std::vector<uint8_t> bytes);
  std::optional<TensorView> paddedView(Operation *op);
  bool isStrided(const TensorView &view) const;
  StringRef vertexOf(Operation *op, StringRef name);
  int32_t viewOf(Value value);
  void addPiece(const ViewPiece &piece, std::vector<rt::TaskPiece> &pieces);
  int32_t addChunk(Value value, std::string name, int32_t input);

  GraphOp graph;
  rt::TaskProgram program;
  KernelTable kernels;
  GraphViews views;
  /// The constants around padded tensors, which views see as scalars: by the
  /// number of the tensor, the bytes of the element.
  std::map<unsigned, std::vector<uint8_t>> fills;
  llvm::DenseMap<Value, int32_t> chunks;
  /// Per chunk the shard that makes it; -1: an input.
  std::vector<int32_t> producers;
  /// What is equal is one view.
  std::map<std::vector<int64_t>, int32_t> numbers;
  /// The vertices that shards are of.
  llvm::DenseSet<StringRef> cut;
  llvm::DenseMap<Value, Order> points;
};

} // namespace

/// A view of no more boxes is put together of them.
static constexpr int64_t mostBoxes = 4096;

/// How many cells of a piece there are along a dimension in which they do not
/// lie side by side; 1 elsewhere.
static int64_t cellsApart(const ViewPiece &piece, unsigned dim) {
  if (piece.steps.empty() || piece.steps[dim] == 1)
    return 1;
  return ceilDiv(piece.cells[dim].size(), piece.steps[dim]);
}

/// How many boxes the cells of a piece are of which strides say where in memory
/// they lie; nothing where strides do not.
static std::optional<int64_t> countBoxes(const ViewPiece &piece) {
  int64_t boxes = 1;
  for (unsigned dim = 0; dim < piece.cells.size(); ++dim) {
    int64_t apart = cellsApart(piece, dim);
    // Not one element at a time.
    bool isLast = dim + 1 == piece.cells.size();
    if ((isLast && apart > 1) || apart > mostBoxes / boxes)
      return std::nullopt;
    boxes *= apart;
  }
  auto isOneCell = [&](const AffineTerm &term) {
    return piece.cells[term.dim].size() == 1 || cellsApart(piece, term.dim) > 1;
  };
  for (const ProjectionDim &dim : piece.projection.dims)
    if (dim.size != 1 ||
        (!dim.isLinear() && !llvm::all_of(dim.terms, isOneCell)))
      return std::nullopt;
  return boxes;
}

/// Whether a view can be said as boxes in strides on one fill.
bool TaskGraphBuilder::isStrided(const TensorView &view) const {
  int64_t boxes = 0;
  std::optional<unsigned> fill;
  for (const ViewPiece &piece : view.pieces) {
    if (fills.count(piece.tensor)) {
      if (fill.value_or(piece.tensor) != piece.tensor)
        return false;
      fill = piece.tensor;
      continue;
    }
    std::optional<int64_t> more = countBoxes(piece);
    if (!more)
      return false;
    // As many tensors as there are may be put together.
    boxes += *more - 1;
  }
  return boxes <= mostBoxes;
}

/// The number of the scalar that has these bytes.
unsigned TaskGraphBuilder::fillOf(std::vector<uint8_t> bytes) {
  for (const auto &[number, known] : fills)
    if (known == bytes)
      return number;
  unsigned number = views.addTensor(Value());
  fills[number] = std::move(bytes);
  return number;
}

/// What a selector sees that reads a constant around a tensor; nothing of
/// others.
std::optional<TensorView> TaskGraphBuilder::paddedView(Operation *op) {
  auto block = cast<BlockOpInterface>(op);
  auto reads = block.getReads();
  if (reads.size() != 1 || !cast<SelectorInterface>(op).isTransparent() ||
      reads[0].second.fallback != AccessFallback::Pad)
    return std::nullopt;
  auto &[operand, access] = reads[0];
  TensorView view;
  view.shape.assign(tensorType(op->getResult(0)).getShape().begin(),
                    tensorType(op->getResult(0)).getShape().end());
  ZBox space = boxOfShape(view.shape), inside = access.guarded(space);
  TensorView read = views.of(block.getTensorOperands()[operand]);
  if (!view.add(read, access.projection, inside))
    return std::nullopt;
  Type element = tensorType(op->getResult(0)).getElementType();
  unsigned fill = fillOf(bytesOf(block.getPad(operand), storedSize(element)));
  // Beside the tensor in one dimension, level with it in those before.
  for (unsigned dim = 0; dim < space.size(); ++dim) {
    ZRange all = space[dim], own = inside[dim];
    for (ZRange outside : {ZRange{all.lo, own.lo}, ZRange{own.hi, all.hi}}) {
      space[dim] = outside;
      if (!isEmpty(space))
        view.pieces.push_back({space, fill, Projection()});
    }
    space[dim] = own;
  }
  view.merge();
  return view;
}

/// Whether an operation only says how others are seen. Selectors of which that
/// cannot be said in strides are shards.
bool TaskGraphBuilder::isView(Operation &op) {
  if (!isa<SelectorInterface>(op))
    return false;
  Value result = op.getResult(0);
  if (std::optional<TensorView> padded = paddedView(&op))
    views.set(result, std::move(*padded));
  const TensorView &view = views.of(result);
  if (view.pieces.size() == 1 && views.tensor(view.pieces[0].tensor) == result)
    return false;
  if (isStrided(view))
    return true;
  views.set(result, TensorView::of(views.addTensor(result), view.shape));
  return false;
}

/// Adds the boxes of a piece, of which there is one for each of those cells
/// that do not lie side by side.
void TaskGraphBuilder::addPiece(const ViewPiece &piece,
                                std::vector<rt::TaskPiece> &pieces) {
  Value tensor = views.tensor(piece.tensor);
  llvm::ArrayRef<int64_t> shape = tensorType(tensor).getShape();
  rt::TaskPiece made{chunks.lookup(tensor), 0, {}, {}, {}};
  made.strides.assign(piece.cells.size(), 0);
  int64_t stride = 1;
  SmallVector<int64_t> chunkStrides(shape.size(), 1);
  for (unsigned dim = shape.size(); dim-- > 0; stride *= shape[dim]) {
    chunkStrides[dim] = stride;
    // Where the cells divide them there is one.
    if (piece.projection.dims[dim].isLinear())
      for (const AffineTerm &term : piece.projection.dims[dim].terms)
        made.strides[term.dim] += term.coefficient * stride;
  }
  SmallVector<int64_t> apart, at(piece.cells.size(), 0);
  for (auto [dim, range] : llvm::enumerate(piece.cells)) {
    apart.push_back(cellsApart(piece, dim));
    made.sizes.push_back(apart[dim] > 1 ? 1 : range.size());
  }
  while (true) {
    ZBox first;
    made.lo.clear();
    for (auto [dim, range] : llvm::enumerate(piece.cells)) {
      int64_t step = piece.steps.empty() ? 1 : piece.steps[dim];
      made.lo.push_back(range.lo + at[dim] * step);
      first.push_back({made.lo[dim], made.lo[dim] + 1});
    }
    made.offset = 0;
    for (auto [place, along] :
         llvm::zip_equal(piece.projection.image(first), chunkStrides))
      made.offset += place.lo * along;
    pieces.push_back(made);
    size_t dim = at.size();
    while (dim > 0 && ++at[dim - 1] == apart[dim - 1])
      at[--dim] = 0;
    if (dim == 0)
      return;
  }
}

int32_t TaskGraphBuilder::viewOf(Value value) {
  rt::TaskView view;
  view.dtype = dtypeNumber(tensorType(value).getElementType());
  view.shape = shapeOfTensor(value).vec();
  for (const ViewPiece &piece : views.of(value).pieces)
    if (auto fill = fills.find(piece.tensor); fill != fills.end())
      view.fill.assign(fill->second.begin(), fill->second.end());
    else
      addPiece(piece, view.pieces);
  std::vector<int64_t> key = {view.dtype};
  auto add = [&](const std::vector<int64_t> &more) {
    key.insert(key.end(), more.begin(), more.end());
  };
  add(view.shape);
  key.insert(key.end(), view.fill.begin(), view.fill.end());
  for (const rt::TaskPiece &piece : view.pieces) {
    key.push_back(piece.chunk);
    key.push_back(piece.offset);
    add(piece.strides);
    add(piece.sizes);
    add(piece.lo);
  }
  auto [known, isNew] =
      numbers.try_emplace(std::move(key), program.views.size());
  if (isNew)
    program.views.push_back(std::move(view));
  return known->second;
}

int32_t TaskGraphBuilder::addChunk(Value value, std::string name,
                                   int32_t input) {
  auto number = static_cast<int32_t>(program.chunks.size());
  program.chunks.push_back({std::move(name),
                            dtypeNumber(tensorType(value).getElementType()),
                            shapeOfTensor(value).vec(), input});
  chunks[value] = number;
  producers.push_back(input < 0 ? static_cast<int32_t>(program.shards.size())
                                : -1);
  return number;
}

/// What a source or a sink is in where a run names no file.
static std::string fileOf(GraphNodeInterface node) {
  auto file = node->getAttrOfType<FileAttr>("target");
  return file ? file.getPath().str() : "";
}

void TaskGraphBuilder::addSource(GraphNodeInterface source) {
  Value tensor = source.getNodeTensor();
  std::string name = source.getTensorName().str();
  int32_t dtype =
      dtypeNumber(tensorType(tensor).getElementType(), isUnsigned(source));
  auto number = static_cast<int32_t>(program.inputs.size());
  program.inputs.push_back(
      {name, dtype, shapeOfTensor(tensor).vec(), fileOf(source)});
  follow(*source, program.inputs.back());
  addChunk(tensor, name, number);
}

void TaskGraphBuilder::addSink(GraphNodeInterface sink) {
  Value tensor = sink.getNodeTensor();
  if (sink->getNumResults() != 0)
    points[sink->getResult(0)].sinks.insert(program.sinks.size());
  program.sinks.push_back(
      {sink.getTensorName().str(),
       dtypeNumber(tensorType(tensor).getElementType(), isUnsigned(sink)),
       shapeOfTensor(tensor).vec(), viewOf(tensor), fileOf(sink)});
  follow(*sink, program.sinks.back());
}

void TaskGraphBuilder::waitFor(Value awaited, Order &order) {
  if (!isa<RankedTensorType>(awaited.getType())) {
    const Order &earlier = points[awaited];
    order.shards.insert_range(earlier.shards);
    order.sinks.insert_range(earlier.sinks);
    return;
  }
  for (const ViewPiece &piece : views.of(awaited).pieces) {
    if (fills.count(piece.tensor))
      continue;
    int32_t chunk = chunks.lookup(views.tensor(piece.tensor));
    if (producers[chunk] >= 0) {
      order.shards.insert(producers[chunk]);
      continue;
    }
    const rt::TaskInput &input = program.inputs[program.chunks[chunk].input];
    order.shards.insert_range(input.after);
    order.sinks.insert_range(input.afterSinks);
  }
}

/// The points that an operation follows: among its operands or, where it reads
/// nothing, those behind it. Which later selectors are views is not known yet:
/// as if all were, which orders no less.
static SmallVector<Value> pointsBefore(Operation &op) {
  SmallVector<Value> awaited =
      pointsBehind(&op, [](Operation *) { return true; });
  if (auto node = dyn_cast<GraphNodeInterface>(op))
    llvm::append_range(awaited, node.getAwaitedValues());
  else
    llvm::append_range(awaited, op.getOperands());
  llvm::erase_if(awaited, [](Value each) {
    return isa<RankedTensorType>(each.getType());
  });
  return awaited;
}

/// Has what is made of an operation follow its points.
template <typename Follower>
void TaskGraphBuilder::follow(Operation &op, Follower &made) {
  Order order;
  for (Value each : pointsBefore(op))
    waitFor(each, order);
  made.after.assign(order.shards.begin(), order.shards.end());
  made.afterSinks.assign(order.sinks.begin(), order.sinks.end());
}

void TaskGraphBuilder::addPoint(Operation &point) {
  Order order;
  for (Value awaited : point.getOperands())
    waitFor(awaited, order);
  for (Value result : point.getResults())
    points[result] = order;
}

/// The vertex that an operation is of, by what tapestry-shard calls shards and
/// what puts them together: "T.3" and "T.total.2" are of "T".
StringRef TaskGraphBuilder::vertexOf(Operation *op, StringRef name) {
  if (isa<ShardOp>(op)) {
    auto [vertex, number] = name.rsplit('.');
    int64_t value;
    if (!number.getAsInteger(10, value))
      return *cut.insert(vertex).first;
  }
  for (StringRef vertex = name; !vertex.empty();
       vertex = vertex.rsplit('.').first) {
    if (cut.contains(vertex))
      return vertex;
    if (!vertex.contains('.'))
      break;
  }
  return name;
}

static double flopsOf(BlockOpInterface op) {
  return op.getNumPoints() * static_cast<double>(op.getWork().flops);
}

LogicalResult TaskGraphBuilder::addShard(Operation &op) {
  auto vertex = dyn_cast<BlockOpInterface>(op);
  auto loop = dyn_cast<GraphLoopInterface>(op);
  if (!vertex && !loop)
    return op.emitError("'") << op.getName() << "' is nothing that computes";
  rt::TaskShard shard;
  StringRef name = vertex ? vertex.getVertexName() : loop.getLoopName();
  shard.name = name.str();
  shard.vertex = vertexOf(&op, name).str();
  double flops = vertex ? flopsOf(vertex) : 0;
  if (loop) {
    double pass = 0;
    loop.getLoopBody().walk<WalkOrder::PreOrder>([&](Operation *inner) {
      auto computes = dyn_cast<BlockOpInterface>(inner);
      pass += computes ? flopsOf(computes) : 0;
      return computes ? WalkResult::skip() : WalkResult::advance();
    });
    flops = pass * static_cast<double>(loop.getMostPasses());
  }
  shard.flops = static_cast<int64_t>(std::min(flops, 9e18));
  follow(op, shard);
  llvm::SetVector<Value> read;
  for (Value operand : op.getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      read.insert(operand);
  getUsedValuesDefinedAbove(op.getRegions(), read);
  for (Value value : read)
    shard.views.push_back(viewOf(value));
  shard.kernel = kernels.numberOf(&op, read.getArrayRef());
  for (OpResult result : op.getResults()) {
    std::string chunk =
        vertex ? vertex.getResultName(result.getResultNumber())
               : (name + "#" + Twine(result.getResultNumber())).str();
    shard.chunks.push_back(addChunk(result, std::move(chunk), /*input=*/-1));
  }
  program.shards.push_back(std::move(shard));
  return success();
}

LogicalResult TaskGraphBuilder::add(Operation &op) {
  if (auto node = dyn_cast<GraphNodeInterface>(op)) {
    switch (node.getNodeKind()) {
    case GraphNodeKind::Source:
      addSource(node);
      return success();
    case GraphNodeKind::Sink:
      addSink(node);
      return success();
    case GraphNodeKind::Point:
      addPoint(op);
      return success();
    }
  }
  return isView(op) ? success() : addShard(op);
}

FailureOr<TaskGraph> TaskGraphBuilder::build() {
  program.name = graph.getSymName().str();
  if (auto unread = graph->getAttrOfType<ArrayAttr>(unreadInputsAttrName))
    for (auto name : unread.getAsRange<StringAttr>())
      program.unreadInputs.push_back(name.str());
  for (Operation &op : graph.getBody().front())
    if (failed(add(op)))
      return failure();
  TaskGraph made;
  made.kernels = kernels.take();
  program.kernels.resize(llvm::range_size(made.kernels->getOps<GraphOp>()));
  made.program = std::move(program);
  return made;
}

FailureOr<TaskGraph> teg::buildTaskGraph(GraphOp graph) {
  return TaskGraphBuilder(graph).build();
}
