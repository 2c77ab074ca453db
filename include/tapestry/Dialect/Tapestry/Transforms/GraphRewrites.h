//===- GraphRewrites.h - Equivalent graphs in IR ----------------*- C++ -*-===//
//
// The rewrites that a search over equivalent graphs may try, on the tapestry
// dialect. Each says in words what it does (Planner/Rewrites.h), so that a plan
// can carry them and they can be replayed on the program.
//
//   kind         vertex  arguments
//   order        Z       steps of a tree: Z, a reduced product, is computed as
//                        several einsums; "0 2" multiplies tensors 0 and 2,
//                        "1" sums what tensor 1 alone has; tensors are numbered
//                        as in Planner/Contraction/ContractionOrder.h
//   reassociate  Z       a producer P of Z, then the steps of a tree or none:
//                        the reduced product P becomes part of the product Z,
//                        which is then ordered: (AB)C to A(BC)
//   fuse         P       readers, or none for all: the elementwise P becomes
//                        part of their bodies
//   unfuse       Z       the number of a factor of the reduced product Z, such
//                        as 0 in exp(A) * B: it becomes an einsum of its own;
//                        nothing of a fused operator, whose producer does
//   recompute    P       a reader: it gets a P of its own
//   phase        Z       a label and a number m: label y = m*q + p is two, so
//                        that strided and dilated windows read strided views
//                        of their tensors densely (Support/Phases.h); results
//                        are interleaved. Then einsums before it that are put
//                        in phases first, so that between them nothing is
//   expand       Y       a local rule: the operator Y becomes what it means
//   rule         Z       a global rule, applied with Z as its root
//
// The last two are open: Transforms/RewriteRules.h says how rules are added. A
// space of graphs knows how operators were expanded and offers their other
// expansions all along.
//
// Values are equal up to the rounding of sums and products in another order;
// with integers, booleans, max and min they are equal to the bit.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_GRAPHREWRITES_H
#define TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_GRAPHREWRITES_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Planner/Model/Rewrites.h"
#include <memory>

namespace tapestry::teg {

/// Applies rewrites in order, erases what nobody observes any more, and writes
/// the rewrites down on the graph. Fails with a reason where one does not
/// apply; the graph is then as those before it have left it. The graph must
/// have no partition yet.
llvm::Error applyInPlace(GraphOp graph,
                         llvm::ArrayRef<model::Rewrite> rewrites);

/// The same, but all or none are applied.
llvm::Error applyRewrites(GraphOp graph,
                          llvm::ArrayRef<model::Rewrite> rewrites);

/// The rewrites that have been applied to a graph, in order.
std::vector<model::Rewrite> recordedRewrites(GraphOp graph);

/// What applyRewrite() can do to a graph, in the order of its operations. Of
/// the trees of a product only the cheapest few are offered.
std::vector<model::Rewrite> applicableRewrites(GraphOp graph);

/// The graphs that rewrites of `program` lead to, the first of them after those
/// of `first` and with its operators expanded; graphs that differ only in the
/// names of vertices, or in the order of independent ones, are equal. Keeps
/// a copy of `program`. Calls may come from several threads, as long as nobody
/// else uses the context meanwhile.
llvm::Expected<std::unique_ptr<model::RewriteSpace>>
createRewriteSpace(GraphOp program, llvm::ArrayRef<model::Rewrite> first = {});

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_GRAPHREWRITES_H
