//===- IndexNames.cpp - What messages call an index -----------------------===//

#include "IndexNames.h"

using namespace tapestry::ein;

static const Vertex *producerOf(const Graph &graph, unsigned tensor) {
  std::optional<unsigned> vertex = graph.tensors[tensor].vertex;
  return vertex ? &graph.vertices[*vertex] : nullptr;
}

/// The label that a subscript is, if it has all points of a dimension.
static std::optional<unsigned>
wholeLabel(const LinearForm &form, const Vertex &vertex, int64_t extent) {
  if (form.constant != 0 || form.floordiv != 1 || form.mod != 0 ||
      form.terms.size() != 1 || form.terms[0].coefficient != 1 ||
      vertex.labels[form.terms[0].label].extent != extent)
    return std::nullopt;
  return form.terms[0].label;
}

/// What a subscript casts as a whole such that what lies outside of a dimension
/// still does.
static std::optional<unsigned> castOf(const Graph &graph, unsigned tensor) {
  const Vertex *vertex = producerOf(graph, tensor);
  if (!vertex || vertex->text.empty() || vertex->operands.size() != 1 ||
      vertex->nodes.size() != 2 ||
      vertex->nodes.back().kind != NodeKind::Cast || vertex->gather ||
      vertex->scatter || vertex->scanned || vertex->sort || vertex->macro ||
      vertex->numParallel != vertex->labels.size())
    return std::nullopt;
  const Operand &read = vertex->operands.front();
  ElementType from = graph.tensors[read.tensor].type;
  ElementType to = graph.tensors[tensor].type;
  if (!isInteger(from) || isUnsigned(to) || bitWidth(to) < bitWidth(from) ||
      read.pad || read.fold)
    return std::nullopt;
  llvm::ArrayRef<int64_t> shape = graph.tensors[read.tensor].shape;
  llvm::SmallVector<bool> seen(vertex->labels.size(), false);
  for (auto [form, extent] : llvm::zip_equal(read.subscripts, shape)) {
    std::optional<unsigned> label = wholeLabel(form, *vertex, extent);
    if (!label || std::exchange(seen[*label], true))
      return std::nullopt;
  }
  return read.tensor;
}

/// The dimensions of the tensor of which `vertex` reads what the counters of
/// loops name, and else all.
static std::optional<llvm::SmallVector<NamedIndex::Dim>>
passesOf(const Graph &graph, const Vertex &vertex) {
  if (!vertex.gather || vertex.gather->pad)
    return std::nullopt;
  llvm::SmallVector<NamedIndex::Dim> dims;
  llvm::SmallVector<bool> seen(vertex.numParallel, false);
  llvm::ArrayRef<int64_t> shape = graph.tensors[vertex.gather->table].shape;
  for (auto [subscript, extent] :
       llvm::zip_equal(vertex.gather->subscripts, shape)) {
    if (subscript.isIndex) {
      unsigned counter = vertex.operands[subscript.number].tensor;
      if (!graph.tensors[counter].passes)
        return std::nullopt;
      dims.push_back({extent, 0, counter});
      continue;
    }
    std::optional<unsigned> label =
        wholeLabel(vertex.forms[subscript.number], vertex, extent);
    if (!label || std::exchange(seen[*label], true))
      return std::nullopt;
    dims.push_back({extent, *label, std::nullopt});
  }
  if (llvm::is_contained(seen, false))
    return std::nullopt;
  return dims;
}

NamedIndex tapestry::ein::nameIndex(const Graph &graph, unsigned tensor) {
  NamedIndex named;
  named.tensor = tensor;
  if (std::optional<unsigned> cast = castOf(graph, tensor))
    named.tensor = *cast;
  unsigned source = named.tensor;
  const Vertex *vertex = producerOf(graph, source);
  if (auto dims = vertex ? passesOf(graph, *vertex) : std::nullopt) {
    named.dims = std::move(*dims);
    source = vertex->gather->table;
    vertex = producerOf(graph, source);
  } else {
    for (auto [dim, extent] : llvm::enumerate(graph.tensors[source].shape))
      named.dims.push_back({extent, static_cast<unsigned>(dim), std::nullopt});
  }
  named.name = graph.tensors[source].name;
  if (vertex && !vertex->text.empty())
    named.name = "'" + vertex->text + (named.dims.empty() ? "'" : "' at ");
  return named;
}
