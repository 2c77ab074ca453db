//===- Graph.cpp - Checks of the graph that is planned --------------------===//

#include "tapestry/Planner/Model/Graph.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <limits>

using namespace tapestry;
using namespace tapestry::model;

PlanVertex PlanVertex::input(llvm::StringRef name,
                             llvm::ArrayRef<int64_t> shape,
                             int64_t elementBytes) {
  PlanVertex vertex;
  vertex.name = name.str();
  vertex.shape.assign(shape.begin(), shape.end());
  vertex.elementBytes = elementBytes;
  vertex.isInput = true;
  vertex.output = Projection::identity(shape.size());
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    vertex.labels.push_back({std::to_string(dim), shape[dim], false});
  return vertex;
}

llvm::SmallVector<int64_t, 4> PlanVertex::extents() const {
  llvm::SmallVector<int64_t, 4> result;
  for (const PlanLabel &label : labels)
    result.push_back(label.extent);
  return result;
}

std::optional<unsigned> PlanVertex::labelNamed(llvm::StringRef label) const {
  for (unsigned number = 0; number < labels.size(); ++number)
    if (labels[number].name == label)
      return number;
  return std::nullopt;
}

std::optional<unsigned> PlanVertex::scannedLabel() const {
  for (unsigned number = 0; number < labels.size(); ++number)
    if (labels[number].scanned)
      return number;
  return std::nullopt;
}

int64_t PlanVertex::elements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::vector<llvm::SmallVector<PlanUse, 2>> PlanGraph::uses() const {
  std::vector<llvm::SmallVector<PlanUse, 2>> result(vertices.size());
  for (unsigned v = 0; v < vertices.size(); ++v)
    for (unsigned o = 0; o < vertices[v].operands.size(); ++o)
      result[vertices[v].operands[o].producer].push_back({v, o});
  return result;
}

std::optional<unsigned> PlanGraph::vertexNamed(llvm::StringRef name) const {
  for (unsigned v = 0; v < vertices.size(); ++v)
    if (vertices[v].name == name)
      return v;
  return std::nullopt;
}

void PlanGraph::resolveStorage() {
  auto uses = this->uses();
  for (unsigned v = 0; v < vertices.size(); ++v) {
    PlanVertex &vertex = vertices[v];
    vertex.storedFor.reset();
    if (vertex.isInput && !vertex.isOutput && uses[v].size() == 1 &&
        vertex.constraints.empty())
      vertex.storedFor = uses[v].front();
  }
}

llvm::ArrayRef<PlanVertex> PlanGraph::companionsOf(unsigned vertex) const {
  llvm::ArrayRef<PlanVertex> behind =
      llvm::ArrayRef(vertices).drop_front(vertex + 1);
  return behind.take_while(
      [&](const PlanVertex &other) { return other.cutAs == vertex; });
}

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

/// Extents are positive and the count of points stays within int64_t, with room
/// for a few tensors of bytes.
static llvm::Error checkExtents(const PlanVertex &vertex) {
  llvm::StringMap<unsigned> seen;
  for (const PlanLabel &label : vertex.labels) {
    if (label.extent < 1)
      return planError("vertex '", vertex.name, "': label '", label.name,
                       "' has extent ", label.extent,
                       ", the least that can be planned is 1");
    if (!seen.try_emplace(label.name, 0).second)
      return planError("vertex '", vertex.name, "': label '", label.name,
                       "' is declared twice");
  }
  if (vertex.accumulatorBytes < 0)
    return planError("vertex '", vertex.name, "' has partial values of ",
                     countOf(vertex.accumulatorBytes, "byte"),
                     ", the least is 0");
  if (vertex.elementBytes < 1)
    return planError("vertex '", vertex.name, "' has elements of ",
                     countOf(vertex.elementBytes, "byte"), ", the least is 1");
  std::optional<int64_t> bytes =
      llvm::checkedMul<int64_t>(16, vertex.elementBytes);
  for (unsigned dim = 0; dim < vertex.shape.size(); ++dim) {
    int64_t extent = vertex.shape[dim];
    if (extent < 1)
      return planError("vertex '", vertex.name, "': dimension ", dim,
                       " of its result has extent ", extent,
                       ", the least that can be planned is 1");
    if (bytes)
      bytes = llvm::checkedMul(*bytes, extent);
    if (!bytes)
      return planError("vertex '", vertex.name,
                       "': its result has more bytes than ",
                       std::numeric_limits<int64_t>::max() / 16);
  }
  return llvm::Error::success();
}

/// The output's dimensions are distinct plain labels or written whole, and the
/// labels that it lacks are the reduced ones.
static llvm::Error checkOutput(const PlanVertex &vertex) {
  if (vertex.output.rank() != vertex.shape.size())
    return planError("vertex '", vertex.name, "': its output projection has ",
                     countOf(vertex.output.rank(), "dimension"),
                     ", its result has ", vertex.shape.size());
  llvm::SmallVector<bool> written(vertex.labels.size(), false);
  for (unsigned dim = 0; dim < vertex.shape.size(); ++dim) {
    const ProjectionDim &entry = vertex.output.dims[dim];
    int64_t extent = vertex.shape[dim];
    if (entry.terms.empty()) {
      if (entry.constant != 0 || entry.stride != 1 || entry.size != extent)
        return planError("vertex '", vertex.name, "': dimension ", dim,
                         " of its result has no label and is written from ",
                         entry.constant, " for ",
                         countOf(entry.size, "element"), ", its extent is ",
                         extent);
      continue;
    }
    if (!entry.isPlainDim())
      return planError("vertex '", vertex.name, "': dimension ", dim,
                       " of its result is not one plain label");
    unsigned label = entry.terms[0].dim;
    if (label >= vertex.labels.size())
      return planError("vertex '", vertex.name, "': dimension ", dim,
                       " of its result names label number ", label,
                       ", the vertex has ",
                       countOf(vertex.labels.size(), "label"));
    if (written[label])
      return planError("vertex '", vertex.name, "': label '",
                       vertex.labels[label].name,
                       "' occurs twice in its output");
    written[label] = true;
    if (vertex.labels[label].extent != extent)
      return planError("vertex '", vertex.name, "': label '",
                       vertex.labels[label].name, "' has extent ",
                       vertex.labels[label].extent, ", dimension ", dim,
                       " of its result has ", extent);
  }
  if (std::optional<unsigned> scanned = vertex.scannedLabel())
    for (auto [number, label] : llvm::enumerate(vertex.labels))
      if (label.reduced || (label.scanned && number != *scanned))
        return planError("vertex '", vertex.name, "': values run on along '",
                         vertex.labels[*scanned].name, "', but also along '",
                         label.name, "' or are reduced there");
  for (unsigned label = 0; label < vertex.labels.size(); ++label)
    if (vertex.labels[label].reduced == written[label] &&
        !vertex.labels[label].scanned && !vertex.isUnread)
      return planError(
          "vertex '", vertex.name, "': label '", vertex.labels[label].name,
          written[label] ? "' is reduced and yet in the output"
                         : "' is neither reduced nor in the output");
  return llvm::Error::success();
}

/// A guard has one range per label, within its extent and not empty.
static llvm::Error checkGuard(const PlanVertex &vertex,
                              const PlanOperand &operand,
                              const std::string &place) {
  if (operand.guard.empty())
    return llvm::Error::success();
  if (operand.guard.size() != vertex.labels.size())
    return planError(
        place, ": its guard has ", countOf(operand.guard.size(), "range"),
        ", the vertex has ", countOf(vertex.labels.size(), "label"));
  for (auto [range, label] : llvm::zip_equal(operand.guard, vertex.labels))
    if (range.empty() || !ZRange{0, label.extent}.contains(range))
      return planError(place, ": its guard on label '", label.name, "' is [",
                       range.lo, ", ", range.hi, "), the extent is ",
                       label.extent);
  return llvm::Error::success();
}

static llvm::Error checkOperand(const PlanGraph &graph, unsigned number,
                                unsigned operandNumber) {
  const PlanVertex &vertex = graph.vertices[number];
  const PlanOperand &operand = vertex.operands[operandNumber];
  std::string place =
      "vertex '" + vertex.name + "', operand " + std::to_string(operandNumber);
  if (operand.producer >= number)
    return planError(place, " reads vertex number ", operand.producer,
                     ", which does not come before vertex number ", number);
  const PlanVertex &producer = graph.vertices[operand.producer];
  place += " ('" + producer.name + "')";
  if (operand.projection.rank() != producer.shape.size())
    return planError(place, ": the projection has ",
                     countOf(operand.projection.rank(), "dimension"),
                     ", the tensor has ", producer.shape.size());
  if (llvm::Error error = checkGuard(vertex, operand, place))
    return error;
  ZBox space =
      operand.guard.empty() ? boxOfShape(vertex.extents()) : operand.guard;
  for (unsigned dim = 0; dim < producer.shape.size(); ++dim) {
    const ProjectionDim &entry = operand.projection.dims[dim];
    if (entry.arms.before < 0 || entry.arms.behind < 0 ||
        (entry.arms.any() &&
         (entry.stride != 1 ||
          entry.arms.before >= entry.size - entry.arms.behind)))
      return planError(place, ": dimension ", dim, " has arms of ",
                       entry.arms.before, " and ", entry.arms.behind,
                       " of size ", entry.size, " and stride ", entry.stride,
                       ", expected a point between them and stride 1");
    if (entry.size < 1 || entry.stride < 1)
      return planError(place, ": dimension ", dim, " has size ", entry.size,
                       " and stride ", entry.stride, ", the least is 1");
    if (entry.floordiv < 1 || entry.mod < 0)
      return planError(place, ": dimension ", dim, " has floordiv ",
                       entry.floordiv, " and ", stringifyFold(entry.fold), " ",
                       entry.mod, ", the least are 1 and 0");
    for (unsigned term = 0; term < entry.terms.size(); ++term) {
      unsigned label = entry.terms[term].dim;
      if (label >= vertex.labels.size())
        return planError(place, ": dimension ", dim, " names label number ",
                         label, ", the vertex has ",
                         countOf(vertex.labels.size(), "label"));
      if (term > 0 && entry.terms[term - 1].dim >= label)
        return planError(place, ": dimension ", dim, " names label number ",
                         label, " after ", entry.terms[term - 1].dim,
                         ", terms must ascend");
      if (entry.terms[term].coefficient == 0)
        return planError(place, ": dimension ", dim, " has coefficient 0 for '",
                         vertex.labels[label].name, "'");
    }
    ZRange image = imageOfDim(entry, space);
    ZRange tensor{0, producer.shape[dim]};
    if (!operand.padded && !tensor.contains(image))
      return planError(place, ": dimension ", dim, " is read in [", image.lo,
                       ", ", image.hi, "), the tensor has [0, ", tensor.hi,
                       ")");
  }
  return llvm::Error::success();
}

static llvm::Error checkInput(const PlanVertex &vertex) {
  if (!vertex.operands.empty())
    return planError("input '", vertex.name, "' has ",
                     countOf(vertex.operands.size(), "operand"),
                     ", inputs have 0");
  if (vertex.labels.size() != vertex.shape.size())
    return planError("input '", vertex.name, "' has ",
                     countOf(vertex.labels.size(), "label"), ", its rank is ",
                     vertex.shape.size());
  for (unsigned dim = 0; dim < vertex.labels.size(); ++dim)
    if (vertex.labels[dim].name != std::to_string(dim))
      return planError("input '", vertex.name, "': label number ", dim, " is '",
                       vertex.labels[dim].name, "', expected '", dim, "'");
  if (!(vertex.output == Projection::identity(vertex.shape.size())))
    return planError("input '", vertex.name,
                     "': its output projection is not the identity");
  return llvm::Error::success();
}

static llvm::Error checkCompanion(const PlanGraph &graph, unsigned number) {
  const PlanVertex &vertex = graph.vertices[number];
  std::string place = "vertex '" + vertex.name + "'";
  unsigned lead = *vertex.cutAs;
  if (lead >= number || number > lead + graph.companionsOf(lead).size() ||
      !graph.vertices[lead].hasWork())
    return planError(place, " is vertex number ", number,
                     " and a companion of number ", lead,
                     ", which is no vertex with work straight before it");
  if (vertex.isInput || !vertex.operands.empty() || vertex.flops != 0 ||
      vertex.extraBytes != 0 || !vertex.constraints.work.empty() ||
      !vertex.constraints.layoutGroup.empty())
    return planError(place, " is a companion with ",
                     countOf(vertex.operands.size(), "operand"), " and ",
                     countOf(vertex.flops, "operation"),
                     "; it has neither, nor constraints but those "
                     "on its home");
  const PlanVertex &other = graph.vertices[lead];
  if (vertex.labels.size() != other.labels.size())
    return planError(place, " has ", countOf(vertex.labels.size(), "label"),
                     ", '", other.name, "', whose companion it is, has ",
                     other.labels.size());
  for (auto [own, leads] : llvm::zip_equal(vertex.labels, other.labels))
    if (own.name != leads.name || own.extent != leads.extent)
      return planError(place, " has a label '", own.name, "' of extent ",
                       own.extent, ", '", other.name,
                       "', whose companion it is, '", leads.name,
                       "' of extent ", leads.extent);
  return llvm::Error::success();
}

llvm::Error PlanGraph::validate() const {
  llvm::StringMap<unsigned> names;
  for (unsigned number = 0; number < vertices.size(); ++number) {
    const PlanVertex &vertex = vertices[number];
    auto [first, isNew] = names.try_emplace(vertex.name, number);
    if (!isNew)
      return planError("vertices number ", first->second, " and ", number,
                       " are both named '", vertex.name, "'");
    if (llvm::Error error = checkExtents(vertex))
      return error;
    if (vertex.isInput)
      if (llvm::Error error = checkInput(vertex))
        return error;
    if (vertex.cutAs)
      if (llvm::Error error = checkCompanion(*this, number))
        return error;
    if (llvm::Error error = checkOutput(vertex))
      return error;
    for (unsigned operand = 0; operand < vertex.operands.size(); ++operand)
      if (llvm::Error error = checkOperand(*this, number, operand))
        return error;
  }
  return llvm::Error::success();
}
