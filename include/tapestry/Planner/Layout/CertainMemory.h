//===- CertainMemory.h - What programs of any plan hold ---------*- C++ -*-===//
//
// The planner's lower bound on memory: bytes that a device certainly holds at
// once, however the program is lowered. Lowering may leave buffers out (results
// are computed where they are read, over inputs that end there, row by row, or
// right into an output) and adds others (scratch of kernels and collectives);
// neither is followed here, nor is anything counted from which no output
// follows, as a padded read wholly outside its tensor. What no lowering can
// leave out is:
//
// 1. The runtime holds a device's parts of all inputs and outputs throughout.
// 2. A collective runs where the plan says: before the vertex that fetches, or
//    after the vertex whose result comes home. It takes a buffer with all that
//    the device has and fills another with all that the device gets. A loop
//    nest cannot be moved into a collective, so neither buffer can be left out,
//    and what the runtime has filled is never computed over.
// 3. So what a vertex fetched is held from then on until its loop nest runs, or
//    a later nest that it was made a part of: at the moment at which its last
//    fetch is done, all its fetched operands are held.
// 4. Values of a vertex that are still partial are the source of the collective
//    that combines them: its nest writes them while all operands are held, and
//    they are held beside what they are combined into, which need not be the
//    home yet.
// 5. A result is `sure` to have a buffer of its own although it may never meet
//    a collective, if its nest reduces and is not one that runs row by row with
//    others: its rows read another matrix again and again, which row kernels
//    refuse, and no operand has a value per point of the nest. Nests that
//    reduce are never computed in their readers, and are not computed over an
//    operand. Its buffer may still be an output's where elementwise readers (or
//    operators that are no nests) lead to one: such results are not sure. It
//    ends with its last reader, which may be an elementwise one whose result
//    takes the buffer over: the reader's own result is counted after its step
//    only. Nor are large ones sure that may be computed block by block, as
//    scores of attention are: contractions of few points per result that are
//    all summed up.
//
// Every device's part is at least counted as that of device 0, whose blocks are
// the first of every cut and as large as any: then sums over tensors are sums
// of one device. All else (alignment, scratch, copies of slices) only adds. So
// no plan's program has a smaller peak than the largest sum over steps.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_LAYOUT_CERTAINMEMORY_H
#define TAPESTRY_PLANNER_LAYOUT_CERTAINMEMORY_H

#include "tapestry/Planner/Model/Graph.h"

namespace tapestry::layout {

/// Bytes that a device certainly holds over a range of steps, both ends
/// included. How many depends on how the vertices are cut and kept.
struct CertainBytes {
  enum class Of {
    /// The home of `vertex`.
    Home,
    /// The same where its values are combined from partial ones, else nothing.
    CombinedHome,
    /// What its nest writes, partial or not.
    Written,
    /// The same where it is partial, else nothing.
    Partial,
    /// What partial values are combined into, where there are any.
    Combined,
    /// Operand `operand` of it, as it is read.
    Operand,
    /// The same where that takes a collective, else nothing. Where the
    /// operand's home is held at that step, too, both may be one buffer.
    Fetched,
  };
  Of of = Of::Home;
  unsigned vertex = 0;
  unsigned operand = 0;
  unsigned first = 0;
  unsigned last = 0;
};

/// What messages call the tensor whose bytes these are: what is read of an
/// input is the input's, all else its vertex' ("input 'A'", "'C'").
std::string heldTensor(const model::PlanGraph &graph, const CertainBytes &held);

/// Three steps per vertex of the graph: its nest runs, partial values are
/// combined, its result is at home.
inline unsigned stepOfNest(unsigned vertex) { return 3 * vertex; }
inline unsigned stepOfCombining(unsigned vertex) { return 3 * vertex + 1; }
inline unsigned stepOfHome(unsigned vertex) { return 3 * vertex + 2; }

/// All of them.
std::vector<CertainBytes> certainBytes(const model::PlanGraph &graph);

/// What Planner/Layout/Memory.h counts, in the same words: closer to most
/// programs, but no bound. A guide to plans that need little.
std::vector<CertainBytes> expectedBytes(const model::PlanGraph &graph);

} // namespace tapestry::layout

#endif // TAPESTRY_PLANNER_LAYOUT_CERTAINMEMORY_H
