//===- ReferenceCommand.cpp - tapestry reference --------------------------===//
//
// Evaluates the graph by interpretation. To the runtime the evaluation looks
// like a program of one device, so that files, options and errors are those of
// a run.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "tapestry-rt/Signs.h"
#include "tapestry/Dialect/Tapestry/IR/Unsigned.h"
#include "tapestry/Driver/BlockObjects.h"
#include "tapestry/Driver/Compilation.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Interfaces/GraphNodeInterface.h"
#include "tapestry/Reference/Reference.h"
#include "tapestry/Support/Error.h"

using namespace tapestry;
using namespace tapestry::driver;

namespace {

/// A tensor that the evaluation reads or writes, with the tables that describe
/// it.
struct TensorTable {
  std::string name;
  DType dtype = DType::F32;
  bool isUnsigned;
  std::vector<int64_t> shape;
  std::vector<TapestryRange> box;
  uint8_t owner = 1;
  /// What the program says of it; empty: nothing.
  std::string file;
  /// Of an input: whether it is read when the points before it have happened.
  bool isTakenIn = false;

  TensorTable(llvm::StringRef name, mlir::RankedTensorType type,
              bool isUnsigned)
      : name(name), dtype(*dtypeOf(type.getElementType())),
        isUnsigned(isUnsigned), shape(type.getShape()) {
    for (int64_t extent : shape)
      box.push_back({0, extent});
  }
  TapestryTensor describe() const {
    return {name.c_str(),
            rt::typeInFile(static_cast<int32_t>(dtype), isUnsigned),
            static_cast<int32_t>(shape.size()),
            shape.data(),
            box.data(),
            &owner};
  }
};

/// The graph under evaluation. The runtime's entry point carries no data of its
/// caller, and one process evaluates one program.
struct Evaluation {
  teg::GraphOp graph;
  std::vector<TensorTable> inputs;
  std::vector<TensorTable> outputs;
  /// What the runtime has read, and how far the graph is evaluated.
  llvm::StringMap<HostTensor> given;
  std::optional<GraphEvaluation> steps;
  /// What failed evaluation ends with.
  ExitStatus status = ExitDone;
};
Evaluation *current = nullptr;

} // namespace

/// Gives the evaluation an input that the runtime has read.
static llvm::Error give(const TensorTable &table, const void *bytes) {
  llvm::Expected<HostTensor> tensor =
      HostTensor::create(table.dtype, table.shape);
  if (!tensor)
    return tensor.takeError();
  if (!tensor->bytes.empty())
    std::memcpy(tensor->bytes.data(), bytes, tensor->bytes.size());
  current->given[table.name] = std::move(*tensor);
  return llvm::Error::success();
}

/// Begins an evaluation of what the runtime has read by then.
static llvm::Error begin(const void *const *inputs) {
  current->steps.reset();
  current->given.clear();
  for (auto [number, table] : llvm::enumerate(current->inputs))
    if (!table.isTakenIn)
      if (llvm::Error error = give(table, inputs[number]))
        return error;
  current->steps.emplace(current->graph, current->given);
  return llvm::Error::success();
}

/// What the runtime has to do before the evaluation goes on.
struct Stop {
  enum Kind { End, HandOut, TakeIn } kind = End;
  int64_t number = -1; // of the output or input
};

static int64_t numberOf(llvm::ArrayRef<TensorTable> tables,
                        llvm::StringRef name) {
  return llvm::find_if(
             tables,
             [&](const TensorTable &table) { return table.name == name; }) -
         tables.begin();
}

/// Leaves an output that there is for the runtime.
static void leave(const TensorTable &table, void *memory) {
  const HostTensor &tensor = current->steps->outputs().find(table.name)->second;
  if (!tensor.bytes.empty())
    std::memcpy(memory, tensor.bytes.data(), tensor.bytes.size());
}

/// Goes on to the next stop, or to the end, where all outputs are left.
static llvm::Expected<Stop> goOn(void *const *outputs) {
  llvm::Expected<GraphNodeInterface> node = current->steps->goOn();
  if (!node)
    return node.takeError();
  if (!*node) {
    for (auto [number, table] : llvm::enumerate(current->outputs))
      leave(table, outputs[number]);
    return Stop();
  }
  llvm::StringRef name = (*node).getTensorName();
  if ((*node).getNodeKind() == GraphNodeKind::Source)
    return Stop{Stop::TakeIn, numberOf(current->inputs, name)};
  int64_t number = numberOf(current->outputs, name);
  leave(current->outputs[number], outputs[number]);
  return Stop{Stop::HandOut, number};
}

/// What an evaluation fails with.
static char message[512];

static void setFailure(llvm::Error error) {
  ErrorFacts facts = factsOf(std::move(error));
  current->status = static_cast<ExitStatus>(facts.fault);
  std::snprintf(message, sizeof(message), "%s",
                llvm::toString(facts.toError()).c_str());
}

/// One step behind `last`; false where it fails.
static bool takeStep(const void *const *inputs, void *const *outputs,
                     bool isFirst, Stop &last) {
  auto prepare = [&]() -> llvm::Error {
    if (isFirst)
      return begin(inputs);
    if (last.kind == Stop::TakeIn)
      return give(current->inputs[last.number], inputs[last.number]);
    return llvm::Error::success();
  };
  if (llvm::Error error = prepare()) {
    setFailure(std::move(error));
    return false;
  }
  llvm::Expected<Stop> next = goOn(outputs);
  if (!next) {
    setFailure(next.takeError());
    return false;
  }
  last = *next;
  return true;
}

/// The program's entry point.
static void evaluateOnRank(TapestryRank *rank, const void *const *inputs,
                           void *const *outputs) {
  // What fails in the runtime does not return: nothing may be left to destroy
  // here.
  Stop stop;
  bool isFirst = true;
  do {
    if (!takeStep(inputs, outputs, isFirst, stop))
      tapestry_rt_fail(rank, message);
    isFirst = false;
    if (stop.kind == Stop::HandOut)
      tapestry_rt_hand_out(rank, stop.number, outputs[stop.number]);
    // The runtime gives what it takes as constant memory of its own.
    if (stop.kind == Stop::TakeIn)
      tapestry_rt_take_in(rank, stop.number,
                          const_cast<void *>(inputs[stop.number]));
  } while (stop.kind != Stop::End);
}

ExitStatus tapestry::driver::evaluateReference(const Options &options) {
  Compilation compilation(options);
  if (ExitStatus status = compilation.load())
    return status;
  BlockObjects blocks;
  if (ExitStatus status = blocks.read(options.objects, compilation.getGraph()))
    return status;
  if (ExitStatus status = blocks.loadInto(compilation.getGraph()))
    return status;
  Evaluation evaluation;
  evaluation.graph = compilation.getGraph();
  auto addTables = [&](GraphNodeKind kind, std::vector<TensorTable> &tables) {
    for (GraphNodeInterface node :
         graphNodes(evaluation.graph.getBody().front(), kind)) {
      tables.emplace_back(
          node.getTensorName(),
          mlir::cast<mlir::RankedTensorType>(node.getNodeTensor().getType()),
          teg::isUnsigned(node));
      tables.back().isTakenIn = !node.getAwaitedValues().empty();
      if (auto file = node->getAttrOfType<teg::FileAttr>("target"))
        tables.back().file = file.getPath();
    }
  };
  addTables(GraphNodeKind::Source, evaluation.inputs);
  addTables(GraphNodeKind::Sink, evaluation.outputs);
  current = &evaluation;

  std::vector<TapestryTensor> inputs, outputs;
  std::vector<const char *> inputFiles, outputFiles;
  auto describe = [](const std::vector<TensorTable> &tables,
                     std::vector<TapestryTensor> &tensors,
                     std::vector<const char *> &files) {
    for (const TensorTable &table : tables) {
      tensors.push_back(table.describe());
      files.push_back(table.file.empty() ? nullptr : table.file.c_str());
    }
  };
  describe(evaluation.inputs, inputs, inputFiles);
  describe(evaluation.outputs, outputs, outputFiles);
  std::vector<uint8_t> takenIn;
  for (const TensorTable &table : evaluation.inputs)
    takenIn.push_back(table.isTakenIn);
  std::vector<std::string> unreadNames;
  if (auto names = evaluation.graph->getAttrOfType<mlir::ArrayAttr>(
          teg::unreadInputsAttrName))
    for (auto name : names.getAsRange<mlir::StringAttr>())
      unreadNames.push_back(name.str());
  std::vector<const char *> unread;
  for (const std::string &name : unreadNames)
    unread.push_back(name.c_str());
  std::string name = evaluation.graph.getSymName().str();
  TapestryProgram program = {};
  program.abi_version = TAPESTRY_ABI_VERSION;
  program.struct_size = sizeof(TapestryProgram);
  program.name = name.c_str();
  program.devices = 1;
  program.num_inputs = inputs.size();
  program.num_outputs = outputs.size();
  program.inputs = inputs.data();
  program.outputs = outputs.data();
  program.input_files = inputFiles.data();
  program.output_files = outputFiles.data();
  program.taken_in = takenIn.data();
  program.entry = evaluateOnRank;
  program.num_unread_inputs = unread.size();
  program.unread_inputs = unread.data();

  auto status = static_cast<ExitStatus>(rt::run(program, runOptions(options)));
  // Not a rank has failed but what it was to evaluate.
  return evaluation.status ? evaluation.status : status;
}
