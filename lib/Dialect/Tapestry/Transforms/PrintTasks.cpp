//===- PrintTasks.cpp - Print a graph as shards on chunks -----------------===//

#include "tapestry-rt/Signs.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Dialect/Tapestry/Transforms/TaskGraph.h"
#include "tapestry/Support/HostTensor.h"
#include "llvm/ADT/StringExtras.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYPRINTTASKS
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

class TaskPrinter {
public:
  TaskPrinter(llvm::raw_ostream &os, const rt::TaskProgram &program)
      : os(os), program(program), isSeen(program.views.size()) {}

  void print();

private:
  template <typename T> void printList(const std::vector<T> &numbers) {
    os << '[';
    llvm::interleaveComma(numbers, os);
    os << ']';
  }
  /// What something is after.
  template <typename Follower> void printOrder(const Follower &follower) {
    if (!follower.after.empty()) {
      os << ", after ";
      printList(follower.after);
    }
    if (!follower.afterSinks.empty()) {
      os << ", after outputs ";
      printList(follower.afterSinks);
    }
  }
  void printType(int32_t dtype, const std::vector<int64_t> &shape);
  void printChunk(int32_t number);
  void printPiece(const rt::TaskPiece &piece);
  void printView(int32_t number);

  llvm::raw_ostream &os;
  const rt::TaskProgram &program;
  std::vector<bool> isSeen;
};

} // namespace

void TaskPrinter::printType(int32_t dtype, const std::vector<int64_t> &shape) {
  llvm::StringRef name = stringify(static_cast<DType>(rt::typeInMemory(dtype)));
  if (rt::isUnsignedType(dtype))
    os << 'u' << name.drop_front();
  else
    os << name;
  printList(shape);
}

void TaskPrinter::printChunk(int32_t number) {
  const rt::TaskChunk &chunk = program.chunks[number];
  os << "chunk " << number << ": ";
  printType(chunk.input < 0 ? chunk.dtype : program.inputs[chunk.input].dtype,
            chunk.shape);
  os << (chunk.input < 0 ? " '" : " input '") << chunk.name << '\'';
  if (chunk.input >= 0)
    printOrder(program.inputs[chunk.input]);
  os << '\n';
}

void TaskPrinter::printPiece(const rt::TaskPiece &piece) {
  os << " of chunk " << piece.chunk << " from " << piece.offset << " by ";
  printList(piece.strides);
  os << '\n';
}

void TaskPrinter::printView(int32_t number) {
  if (isSeen[number])
    return;
  isSeen[number] = true;
  const rt::TaskView &view = program.views[number];
  bool isWhole = view.pieces.size() == 1 && view.pieces[0].sizes == view.shape;
  os << (isWhole ? "view " : "copy ") << number << ": ";
  printType(view.dtype, view.shape);
  if (isWhole)
    return printPiece(view.pieces[0]);
  if (!view.fill.empty())
    os << " on bytes "
       << llvm::toHex(StringRef(view.fill.data(), view.fill.size()));
  os << '\n';
  for (const rt::TaskPiece &piece : view.pieces) {
    std::vector<int64_t> ends = piece.lo;
    for (auto [end, size] : llvm::zip_equal(ends, piece.sizes))
      end += size;
    os << "  ";
    printList(piece.lo);
    os << " to ";
    printList(ends);
    printPiece(piece);
  }
}

void TaskPrinter::print() {
  os << "tasks of " << program.name << ": " << program.shards.size()
     << (program.shards.size() == 1 ? " shard, " : " shards, ")
     << program.kernels.size()
     << (program.kernels.size() == 1 ? " kernel\n" : " kernels\n");
  for (auto [number, chunk] : llvm::enumerate(program.chunks))
    if (chunk.input >= 0)
      printChunk(number);
  for (const rt::TaskShard &shard : program.shards) {
    for (int32_t view : shard.views)
      printView(view);
    for (int32_t chunk : shard.chunks)
      printChunk(chunk);
    os << "shard '" << shard.name << "' of '" << shard.vertex << "': kernel "
       << shard.kernel << ", views ";
    printList(shard.views);
    os << ", chunks ";
    printList(shard.chunks);
    printOrder(shard);
    os << ", " << shard.flops << " operations\n";
  }
  for (const rt::TaskSink &sink : program.sinks) {
    printView(sink.view);
    os << "output '" << sink.name << "': view " << sink.view;
    printOrder(sink);
    os << '\n';
  }
}

void teg::printTasks(llvm::raw_ostream &os, const rt::TaskProgram &program) {
  TaskPrinter(os, program).print();
}

namespace {
struct TapestryPrintTasks
    : tapestry::teg::impl::TapestryPrintTasksBase<TapestryPrintTasks> {
  void runOnOperation() override {
    FailureOr<TaskGraph> tasks = buildTaskGraph(getOperation());
    if (failed(tasks))
      return signalPassFailure();
    printTasks(llvm::outs(), tasks->program);
    markAllAnalysesPreserved();
  }
};
} // namespace
