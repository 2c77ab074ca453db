//===- PhaseRewrite.cpp - Windows in phases -------------------------------===//
//
// The white paper's dense variants of strided and dilated convolutions: what
// phases are cut over needs no halo. Einsums in a row may stay in phases.
//
//===----------------------------------------------------------------------===//

#include "Phaser.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// Chains: what stays in phases between einsums
//===----------------------------------------------------------------------===//

/// The subscripts of the operands; nothing where they are too long.
static SmallVector<std::pair<Value, Projection>> readsOf(EinsumOp op) {
  SmallVector<std::pair<Value, Projection>> reads;
  for (auto [number, tensor] : llvm::enumerate(op.getInputs()))
    if (FailureOr<Projection> subscripts =
            index::getSubscripts(op.getOperandMap(number));
        succeeded(subscripts))
      reads.emplace_back(tensor, std::move(*subscripts));
  return reads;
}

/// Whether windows of an einsum call for these phases of a label.
static bool hasWindows(EinsumOp op, unsigned label, int64_t count) {
  return llvm::any_of(readsOf(op), [&](const auto &read) {
    return llvm::any_of(read.second.dims, [&](const ProjectionDim &dim) {
      return dim.terms.size() > 1 &&
             phasesOf(dim, label, op.getExtents()) == count;
    });
  });
}

namespace {

/// An einsum with the label that is put in phases.
using PhasedLabel = std::pair<EinsumOp, unsigned>;

/// The einsums before one that can be put in as many phases, so that what it
/// reads of them need not be interleaved: those with windows, and what lies
/// between.
class Chain {
public:
  explicit Chain(int64_t count) : count(count) {}

  /// Looks at `op` and all before it.
  void follow(EinsumOp op, unsigned label);
  /// In the order of the graph, without the one that it was followed from.
  SmallVector<PhasedLabel> before(EinsumOp op) const;

private:
  /// One that is being looked at.
  struct Step {
    PhasedLabel part;
    /// Whether it, or one before it, has windows of that many phases.
    bool isPart;
    /// What it reads in as many phases, the last first.
    SmallVector<PhasedLabel> unseen;
  };
  Step stepTo(PhasedLabel part);
  /// The einsum of which an operand reads a label in phases.
  std::optional<PhasedLabel> producerOf(EinsumOp op, unsigned label,
                                        Value tensor,
                                        const Projection &read) const;
  bool canBePhased(PhasedLabel part) const;

  int64_t count;
  /// The labels of those that have been looked at; nothing where they are no
  /// part of it.
  llvm::MapVector<Operation *, std::optional<unsigned>> labels;
};

} // namespace

std::optional<PhasedLabel> Chain::producerOf(EinsumOp op, unsigned label,
                                             Value tensor,
                                             const Projection &read) const {
  auto producer = tensor.getDefiningOp<EinsumOp>();
  if (!producer || isView(producer))
    return std::nullopt;
  Phases phases = Phases::of(label, count, op.getExtents()[label]);
  for (auto [number, dim] : llvm::enumerate(read.dims)) {
    std::optional<PhasedDim> apart = takeApart(dim, phases, op.getExtents());
    if (apart && apart->view.isLinear() &&
        apart->view.terms == SmallVector<AffineTerm, 2>{{0, count}, {1, 1}} &&
        apart->view.constant % count == 0)
      return PhasedLabel(producer,
                         producer.getResultMap().getDimPosition(number));
  }
  return std::nullopt;
}

bool Chain::canBePhased(PhasedLabel part) const {
  auto [op, label] = part;
  if (count >= op.getExtents()[label])
    return false;
  llvm::Error error = Phaser(op, label, count).prepare();
  bool isGood = !error;
  llvm::consumeError(std::move(error));
  return isGood;
}

Chain::Step Chain::stepTo(PhasedLabel part) {
  auto [op, label] = part;
  labels[op] = label;
  Step step{part, hasWindows(op, label, count), {}};
  for (auto &[tensor, read] : readsOf(op))
    if (auto producer = producerOf(op, label, tensor, read))
      step.unseen.push_back(*producer);
  std::reverse(step.unseen.begin(), step.unseen.end());
  return step;
}

void Chain::follow(EinsumOp op, unsigned label) {
  // Chains are as long as graphs: deeper than the stack of calls.
  std::vector<Step> path = {stepTo({op, label})};
  while (true) {
    Step &step = path.back();
    if (!step.unseen.empty()) {
      PhasedLabel next = step.unseen.pop_back_val();
      if (auto *known = labels.find(next.first); known != labels.end())
        step.isPart |= known->second == next.second;
      else if (canBePhased(next))
        path.push_back(stepTo(next));
      continue;
    }
    bool isPart = step.isPart;
    if (!isPart)
      labels[step.part.first] = std::nullopt;
    path.pop_back();
    if (path.empty())
      return;
    path.back().isPart |= isPart;
  }
}

SmallVector<PhasedLabel> Chain::before(EinsumOp op) const {
  SmallVector<PhasedLabel> parts;
  for (auto [part, label] : labels)
    if (label && part != op)
      parts.emplace_back(cast<EinsumOp>(part), *label);
  llvm::sort(parts, [](PhasedLabel a, PhasedLabel b) {
    return isBefore(a.first, b.first);
  });
  return parts;
}

static SmallVector<PhasedLabel> chainBefore(EinsumOp op, unsigned label,
                                            int64_t count) {
  Chain chain(count);
  if (count == 1 || op.getLabelKinds()[label] != LabelKind::Parallel)
    return {};
  chain.follow(op, label);
  return chain.before(op);
}

//===----------------------------------------------------------------------===//
// phase
//===----------------------------------------------------------------------===//

/// Those of a chain that are named, or an error.
static llvm::Expected<SmallVector<PhasedLabel>>
namedIn(ArrayRef<PhasedLabel> chain, ArrayRef<std::string> names) {
  SmallVector<PhasedLabel> named;
  for (PhasedLabel part : chain)
    if (llvm::is_contained(names, part.first.getName()))
      named.push_back(part);
  for (StringRef name : names)
    if (llvm::none_of(named, [&](PhasedLabel part) {
          return part.first.getName() == name;
        }))
      return planError("it reads no einsum '", name, "' in as many phases");
  return named;
}

static llvm::Error applyPhases(RewrittenGraph &graph, const Rewrite &rewrite) {
  llvm::Expected<EinsumOp> op = graph.einsumNamed(rewrite.vertex);
  if (!op)
    return op.takeError();
  int64_t count = 0;
  if (rewrite.arguments.size() < 2 ||
      StringRef(rewrite.arguments[1]).getAsInteger(10, count))
    return planError("expected a label, the number of its phases, and einsums "
                     "before it that stay in them");
  std::optional<unsigned> label = op->getLabelIndex(rewrite.arguments[0]);
  if (!label)
    return planError("it has no label '", rewrite.arguments[0], "'");
  int64_t extent = op->getExtents()[*label];
  if (count < 1 || count > extent)
    return planError("expected 1 to ", extent, " phases of '",
                     rewrite.arguments[0], "', not ", count);
  if (llvm::Error error = Phaser(*op, *label, count).prepare())
    return error;
  auto parts = namedIn(chainBefore(*op, *label, count),
                       ArrayRef(rewrite.arguments).drop_front(2));
  if (!parts)
    return parts.takeError();
  parts->emplace_back(*op, *label);
  for (auto [part, inPhases] : *parts) {
    Phaser rewriter(part, inPhases, count);
    llvm::cantFail(rewriter.prepare(), "what can be put in phases still can");
    rewriter.emit(graph);
  }
  return llvm::Error::success();
}

static void listPhases(EinsumOp op, std::vector<Rewrite> &rewrites) {
  llvm::SmallSetVector<std::pair<unsigned, int64_t>, 4> found;
  // Labels alone are dense, and most subscripts are such.
  if (llvm::all_of(op.getIndexingMaps().getAsValueRange<AffineMapAttr>(),
                   [](AffineMap map) { return map.isProjectedPermutation(); }))
    return;
  for (auto &[tensor, read] : readsOf(op))
    for (const ProjectionDim &dim : read.dims)
      for (const AffineTerm &term : dim.terms)
        if (auto count = phasesOf(dim, term.dim, op.getExtents()))
          found.insert({term.dim, *count});
  for (auto [label, count] : found) {
    if (llvm::Error error = Phaser(op, label, count).prepare()) {
      llvm::consumeError(std::move(error));
      continue;
    }
    Rewrite rewrite{"phase",
                    op.getName().str(),
                    {op.getLabelNames()[label], std::to_string(count)}};
    rewrites.push_back(rewrite);
    for (auto [part, inPhases] : chainBefore(op, label, count))
      rewrite.arguments.push_back(part.getName().str());
    if (rewrite.arguments.size() > 2)
      rewrites.push_back(std::move(rewrite));
  }
}

const RewriteKind teg::phaseKind = {"phase", applyPhases, listPhases};
