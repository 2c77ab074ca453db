//===- Reference.h - Direct evaluation of a graph: the oracle ---*- C++ -*-===//
//
// Evaluates a tapestry.graph on one device by its definition, point by point,
// and shares nothing with the lowerings that it is compared with.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_REFERENCE_REFERENCE_H
#define TAPESTRY_REFERENCE_REFERENCE_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Interfaces/GraphNodeInterface.h"
#include "tapestry/Support/HostTensor.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <optional>

namespace tapestry {

/// The value of every sink of `graph`, by name, for the given sources.
///
/// Floats of any width are computed in double, and rounded where a vertex's
/// result is stored and where the body converts them; sums and products of many
/// keep what their steps lose, so that their error does not grow with the
/// number of terms. Integers wrap at their width. Reductions run in row-major
/// order of the reduced labels. What would be undefined has a value: x / 0 is
/// 0, the least integer / -1 wraps, float to integer saturates and takes NaN to
/// 0, shifts by the width and more give 0 (or the sign).
///
/// Uses up to `threads` threads (0: as many as there are processors); the
/// result does not depend on how many. Fails, naming the tensor or the
/// operation, where a source is missing or of another type or shape, where
/// `inputs` has a name that is no source, and where a body uses an operation
/// that is not known.
llvm::Expected<llvm::StringMap<HostTensor>>
evaluateGraph(teg::GraphOp graph, const llvm::StringMap<HostTensor> &inputs,
              unsigned threads = 0);

class GraphEvaluator;

/// The same in steps, for who hands sinks out before what follows them is
/// computed, and knows sources only when what they follow has been. The graph
/// stays as it is until its end, and so do inputs, once they are used.
class GraphEvaluation {
public:
  GraphEvaluation(teg::GraphOp graph, const llvm::StringMap<HostTensor> &inputs,
                  unsigned threads = 0);
  ~GraphEvaluation();

  /// Evaluates up to the next sink that points follow or source that follows
  /// points, which is used when it goes on, and returns that, or to the end of
  /// the graph: null.
  llvm::Expected<GraphNodeInterface> goOn();
  /// The values of the sinks that it has come to.
  llvm::StringMap<HostTensor> &outputs();

private:
  std::unique_ptr<GraphEvaluator> evaluator;
};

} // namespace tapestry

#endif // TAPESTRY_REFERENCE_REFERENCE_H
