//===- FuseRewrite.cpp - Fusing and recomputing producers -----------------===//

#include "Inlining.h"
#include "RewriteKinds.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::teg;

/// The einsums that read a value, in the order of the graph.
static SmallVector<EinsumOp> readersOf(EinsumOp producer) {
  SmallVector<EinsumOp> readers;
  for (Operation *user : producer.getResult().getUsers())
    if (auto reader = dyn_cast<EinsumOp>(user);
        reader && !llvm::is_contained(readers, reader))
      readers.push_back(reader);
  llvm::sort(readers, [](EinsumOp a, EinsumOp b) { return isBefore(a, b); });
  return readers;
}

//===----------------------------------------------------------------------===//
// fuse
//===----------------------------------------------------------------------===//

llvm::Expected<EinsumOp> teg::fuseInto(EinsumOp producer, EinsumOp reader) {
  if (producer.getMonoid() != Monoid::None)
    return planError("'", producer.getName(),
                     "' reduces, so its body would be "
                     "no function of single elements");
  if (llvm::Error error = checkUnasked(producer))
    return std::move(error);
  return inlineProducer(reader, producer, reader.getMonoid());
}

static llvm::Error applyFuse(RewrittenGraph &graph, const Rewrite &rewrite) {
  llvm::Expected<EinsumOp> producer = graph.einsumNamed(rewrite.vertex);
  if (!producer)
    return producer.takeError();
  SmallVector<EinsumOp> readers;
  for (const std::string &name : rewrite.arguments) {
    llvm::Expected<EinsumOp> reader = graph.einsumNamed(name);
    if (!reader)
      return reader.takeError();
    if (llvm::is_contained(readers, *reader))
      return planError("reader '", name, "' is named twice");
    readers.push_back(*reader);
  }
  if (rewrite.arguments.empty())
    readers = readersOf(*producer);
  if (readers.empty())
    return planError("no einsum reads it");
  // All or none.
  SmallVector<EinsumOp> fused;
  for (EinsumOp reader : readers) {
    llvm::Expected<EinsumOp> op = fuseInto(*producer, reader);
    if (!op) {
      for (EinsumOp made : fused)
        made->erase();
      return op.takeError();
    }
    fused.push_back(*op);
  }
  for (auto [reader, op] : llvm::zip_equal(readers, fused))
    graph.substitute(reader, op);
  return llvm::Error::success();
}

static void listFusions(EinsumOp op, std::vector<Rewrite> &rewrites) {
  if (op.getMonoid() != Monoid::None)
    return;
  SmallVector<EinsumOp> readers = readersOf(op);
  size_t numFusible = 0;
  for (EinsumOp reader : readers) {
    llvm::Expected<EinsumOp> fused = fuseInto(op, reader);
    if (!fused) {
      llvm::consumeError(fused.takeError());
      continue;
    }
    (*fused)->erase();
    ++numFusible;
    rewrites.push_back({"fuse", op.getName().str(), {reader.getName().str()}});
  }
  if (readers.size() > 1 && numFusible == readers.size())
    rewrites.push_back({"fuse", op.getName().str(), {}});
}

const RewriteKind teg::fuseKind = {"fuse", applyFuse, listFusions};

//===----------------------------------------------------------------------===//
// recompute
//===----------------------------------------------------------------------===//

static llvm::Error applyRecompute(RewrittenGraph &graph,
                                  const Rewrite &rewrite) {
  llvm::Expected<EinsumOp> producer = graph.einsumNamed(rewrite.vertex);
  if (!producer)
    return producer.takeError();
  if (rewrite.arguments.size() != 1)
    return planError("expected one reader, not ", rewrite.arguments.size());
  llvm::Expected<EinsumOp> reader = graph.einsumNamed(rewrite.arguments[0]);
  if (!reader)
    return reader.takeError();
  Value result = producer->getResult();
  if (!llvm::is_contained(reader->getInputs(), result))
    return planError("'", reader->getName(), "' does not read it");
  if (llvm::all_of(result.getUsers(),
                   [&](Operation *user) { return user == *reader; }))
    return planError("nobody but '", reader->getName(), "' reads it");
  // After the original, which others may read before it.
  auto copy = cast<EinsumOp>((*producer)->clone());
  copy.setName(graph.freshName(rewrite.vertex));
  OpBuilder builder = graph.builder();
  builder.setInsertionPointAfter(*producer);
  builder.insert(copy);
  result.replaceUsesWithIf(copy.getResult(), [&](OpOperand &use) {
    return use.getOwner() == reader->getOperation();
  });
  return llvm::Error::success();
}

static void listRecomputations(EinsumOp op, std::vector<Rewrite> &rewrites) {
  SmallVector<EinsumOp> readers = readersOf(op);
  llvm::SmallPtrSet<Operation *, 4> users(llvm::from_range,
                                          op.getResult().getUsers());
  if (users.size() < 2)
    return;
  for (EinsumOp reader : readers)
    rewrites.push_back(
        {"recompute", op.getName().str(), {reader.getName().str()}});
}

const RewriteKind teg::recomputeKind = {"recompute", applyRecompute,
                                        listRecomputations};
