//===- TestGraphs.cpp - Graphs that the planner's tests plan --------------===//

#include "TestGraphs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::test;

namespace {
/// "2*y+r-1" as coefficients of label names, "" for the constant.
std::map<std::string, int64_t> parseSubscript(llvm::StringRef text) {
  std::map<std::string, int64_t> terms;
  std::string spaced;
  for (char c : text)
    spaced += c == '-' ? std::string("+-") : std::string(1, c);
  llvm::SmallVector<llvm::StringRef> summands;
  llvm::StringRef(spaced).split(summands, '+', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef summand : summands) {
    int64_t sign = summand.consume_front("-") ? -1 : 1;
    int64_t factor = 1;
    llvm::StringRef name = summand;
    if (summand.contains('*')) {
      auto [number, label] = summand.split('*');
      number.getAsInteger(10, factor);
      name = label;
    } else if (!summand.getAsInteger(10, factor)) {
      name = "";
    }
    terms[name.str()] += sign * factor;
  }
  return terms;
}

llvm::SmallVector<llvm::StringRef> words(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> result;
  llvm::SplitString(text, result);
  return result;
}
} // namespace

GraphBuilder &GraphBuilder::input(llvm::StringRef name,
                                  llvm::ArrayRef<int64_t> shape) {
  numbers[name.str()] = graph.vertices.size();
  graph.vertices.push_back(PlanVertex::input(name, shape));
  graph.resolveStorage();
  return *this;
}

GraphBuilder &GraphBuilder::vertex(llvm::StringRef name, llvm::StringRef output,
                                   std::vector<Read> reads,
                                   std::map<std::string, int64_t> extents) {
  PlanVertex vertex;
  vertex.name = name.str();
  auto labelNumber = [&](const std::string &label) {
    if (auto number = vertex.labelNamed(label))
      return *number;
    vertex.labels.push_back({label, 0, true});
    return unsigned(vertex.labels.size() - 1);
  };
  for (llvm::StringRef word : words(output)) {
    unsigned number = labelNumber(word.str());
    vertex.labels[number].reduced = false;
    ProjectionDim dim;
    dim.terms.push_back({number, 1});
    vertex.output.dims.push_back(dim);
  }
  for (Read read : reads) {
    PlanOperand operand;
    if (read.tensor[0] == '~') {
      operand.padded = true;
      read.tensor.erase(0, 1);
    }
    operand.producer = numbers.at(read.tensor);
    const PlanVertex &producer = graph.vertices[operand.producer];
    for (auto [position, word] : llvm::enumerate(words(read.subscripts))) {
      ProjectionDim dim;
      for (auto &[label, coefficient] : parseSubscript(word)) {
        if (label.empty())
          dim.constant = coefficient;
        else
          dim.terms.push_back({labelNumber(label), coefficient});
      }
      llvm::sort(dim.terms, [](const AffineTerm &a, const AffineTerm &b) {
        return a.dim < b.dim;
      });
      if (dim.isPlainDim() && vertex.labels[dim.terms[0].dim].extent == 0)
        vertex.labels[dim.terms[0].dim].extent = producer.shape[position];
      operand.projection.dims.push_back(dim);
    }
    bool isKnown = llvm::any_of(vertex.operands, [&](const PlanOperand &o) {
      return o.producer == operand.producer &&
             o.projection == operand.projection;
    });
    if (!isKnown)
      vertex.operands.push_back(operand);
  }
  for (PlanLabel &label : vertex.labels)
    if (extents.count(label.name))
      label.extent = extents[label.name];
  double points = 1;
  for (const PlanLabel &label : vertex.labels)
    points *= label.extent;
  vertex.flops = 2 * points;
  for (const ProjectionDim &dim : vertex.output.dims)
    vertex.shape.push_back(vertex.labels[dim.terms[0].dim].extent);
  numbers[vertex.name] = graph.vertices.size();
  graph.vertices.push_back(std::move(vertex));
  graph.resolveStorage();
  return *this;
}

GraphBuilder &GraphBuilder::softmax(llvm::StringRef name,
                                    llvm::StringRef labels,
                                    llvm::StringRef over,
                                    llvm::StringRef tensor) {
  std::string kept, all = labels.str(), base = name.str();
  for (llvm::StringRef word : words(labels))
    if (word != over)
      kept += (kept.empty() ? "" : " ") + word.str();
  vertex(base + ".max", kept, {{tensor.str(), all}});
  vertex(base + ".exp", all, {{tensor.str(), all}, {base + ".max", kept}});
  vertex(base + ".sum", kept, {{base + ".exp", all}});
  return vertex(base, all, {{base + ".exp", all}, {base + ".sum", kept}});
}

PlanGraph tapestry::test::chainGraph(int64_t n) {
  GraphBuilder b;
  for (const char *name : {"A", "B", "C", "D", "E"})
    b.input(name, {n, n});
  b.vertex("AB", "i k", {{"A", "i j"}, {"B", "j k"}});
  b.vertex("DE", "i k", {{"D", "i j"}, {"E", "j k"}});
  b.vertex("CDE", "i k", {{"C", "i j"}, {"DE", "j k"}});
  b.vertex("Z", "i k", {{"AB", "i k"}, {"CDE", "i k"}});
  b.graph.vertices.back().isOutput = true;
  return b.graph;
}

PlanGraph tapestry::test::classifierGraph() {
  GraphBuilder b;
  b.input("X", {512, 65536}).input("W1", {65536, 8192});
  b.input("W2", {8192, 16384}).input("Y", {512, 16384});
  b.vertex("Hd", "b h", {{"X", "b f"}, {"W1", "f h"}});
  b.vertex("Ac", "b h", {{"Hd", "b h"}});
  b.vertex("Lo", "b o", {{"Ac", "b h"}, {"W2", "h o"}});
  b.softmax("Pr", "b o", "o", "Lo");
  b.vertex("dO", "b o", {{"Pr", "b o"}, {"Y", "b o"}});
  b.vertex("dW2", "h o", {{"Ac", "b h"}, {"dO", "b o"}});
  b.vertex("dA", "b h", {{"dO", "b o"}, {"W2", "h o"}});
  b.vertex("dH", "b h", {{"Hd", "b h"}, {"dA", "b h"}});
  b.vertex("dW1", "f h", {{"X", "b f"}, {"dH", "b h"}});
  b.vertex("W1n", "f h", {{"W1", "f h"}, {"dW1", "f h"}});
  b.vertex("W2n", "h o", {{"W2", "h o"}, {"dW2", "h o"}});
  return b.graph;
}

PlanGraph tapestry::test::llamaGraph(unsigned layers, int64_t scale) {
  int64_t B = std::max<int64_t>(1, 8 / scale), S = 1024 / scale,
          A = 4096 / scale, H = std::max<int64_t>(1, 32 / scale),
          D = 128 / scale, F = 11008 / scale;
  GraphBuilder b;
  b.input("X0", {B, S, A});
  for (unsigned layer = 0; layer < layers; ++layer) {
    std::string l = std::to_string(layer);
    std::string x = "X" + l, n1 = "N1_" + l, n2 = "N2_" + l, r = "R" + l;
    for (const char *w : {"Wq", "Wk", "Wv"})
      b.input(w + l, {A, H, D});
    b.input("Rope" + l, {S, D}).input("Wo" + l, {A, H, D});
    b.input("Wg" + l, {A, F}).input("Wu" + l, {A, F}).input("Wd" + l, {F, A});
    b.input("G1_" + l, {A});
    b.vertex(n1 + "sq", "b s", {{x, "b s a"}});
    b.vertex(n1 + "sc", "b s a", {{x, "b s a"}, {n1 + "sq", "b s"}});
    b.vertex(n1, "b s a", {{n1 + "sc", "b s a"}, {"G1_" + l, "a"}});
    b.vertex("Q" + l, "b s h d", {{n1, "b s a"}, {"Wq" + l, "a h d"}});
    b.vertex("K" + l, "b t h d", {{n1, "b t a"}, {"Wk" + l, "a h d"}});
    b.vertex("V" + l, "b t h d", {{n1, "b t a"}, {"Wv" + l, "a h d"}});
    b.vertex("Qr" + l, "b s h d", {{"Q" + l, "b s h d"}, {"Rope" + l, "s d"}});
    b.vertex("Kr" + l, "b t h d", {{"K" + l, "b t h d"}, {"Rope" + l, "t d"}});
    b.vertex("T" + l, "b h s t",
             {{"Qr" + l, "b s h d"}, {"Kr" + l, "b t h d"}});
    b.softmax("P" + l, "b h s t", "t", "T" + l);
    b.vertex("O" + l, "b s h d", {{"P" + l, "b h s t"}, {"V" + l, "b t h d"}});
    b.vertex("Y" + l, "b s a", {{"O" + l, "b s h d"}, {"Wo" + l, "a h d"}});
    b.vertex(r, "b s a", {{x, "b s a"}, {"Y" + l, "b s a"}});
    b.input("G2_" + l, {A});
    b.vertex(n2 + "sq", "b s", {{r, "b s a"}});
    b.vertex(n2 + "sc", "b s a", {{r, "b s a"}, {n2 + "sq", "b s"}});
    b.vertex(n2, "b s a", {{n2 + "sc", "b s a"}, {"G2_" + l, "a"}});
    b.vertex("Ga" + l, "b s f", {{n2, "b s a"}, {"Wg" + l, "a f"}});
    b.vertex("Up" + l, "b s f", {{n2, "b s a"}, {"Wu" + l, "a f"}});
    b.vertex("Si" + l, "b s f", {{"Ga" + l, "b s f"}, {"Up" + l, "b s f"}});
    b.vertex("Dn" + l, "b s a", {{"Si" + l, "b s f"}, {"Wd" + l, "f a"}});
    b.vertex("X" + std::to_string(layer + 1), "b s a",
             {{r, "b s a"}, {"Dn" + l, "b s a"}});
  }
  return b.graph;
}

PlanGraph tapestry::test::randomGraph(std::mt19937 &random, unsigned vertices) {
  auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  GraphBuilder b;
  llvm::SmallVector<std::string> names;
  unsigned numInputs = 1 + below(3);
  for (unsigned i = 0; i < numInputs; ++i) {
    llvm::SmallVector<int64_t> shape;
    for (int64_t rank = 1 + below(3); rank > 0; --rank)
      shape.push_back(1 + below(13));
    names.push_back("I" + std::to_string(i));
    b.input(names.back(), shape);
  }
  const char *letters[] = {"i", "j", "k", "l"};
  for (unsigned v = 0; v < vertices; ++v) {
    std::map<std::string, int64_t> extents;
    std::vector<GraphBuilder::Read> reads;
    for (int64_t count = 1 + below(3); count > 0; --count) {
      unsigned producer = below(b.graph.vertices.size());
      const PlanVertex &vertex = b.graph.vertices[producer];
      std::string subscripts, tensor = vertex.name;
      for (int64_t extent : vertex.shape) {
        // Prefer a label that fits alone; else a window over a label and "r".
        llvm::SmallVector<std::string> fitting;
        for (const char *letter : letters)
          if (!extents.count(letter) || extents[letter] == extent)
            fitting.push_back(letter);
        std::string label = letters[below(4)];
        if (below(5) != 0 && !fitting.empty()) {
          label = fitting[below(fitting.size())];
          extents.emplace(label, extent);
          subscripts += label + " ";
          continue;
        }
        int64_t known = extents.emplace(label, 1 + below(extent)).first->second;
        int64_t reach = extents.emplace("r", 1 + below(3)).first->second;
        int64_t stride = 1 + below(2);
        if (stride * (known - 1) + reach > extent || below(3) == 0) {
          tensor = "~" + vertex.name;
          subscripts += std::to_string(stride) + "*" + label + "+r-1 ";
        } else {
          subscripts += std::to_string(stride) + "*" + label + "+r ";
        }
      }
      reads.push_back({tensor, subscripts});
    }
    std::string output;
    for (auto &[label, extent] : extents)
      if (label != "r" && below(3) != 0)
        output += label + " ";
    names.push_back("V" + std::to_string(v));
    b.vertex(names.back(), output, reads, extents);
  }
  return b.graph;
}
