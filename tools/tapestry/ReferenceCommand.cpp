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

/// Begins an evaluation of what the runtime has read.
static llvm::Error begin(const void *const *inputs) {
  current->steps.reset();
  current->given.clear();
  for (auto [number, table] : llvm::enumerate(current->inputs)) {
    llvm::Expected<HostTensor> tensor =
        HostTensor::create(table.dtype, table.shape);
    if (!tensor)
      return tensor.takeError();
    if (!tensor->bytes.empty())
      std::memcpy(tensor->bytes.data(), inputs[number], tensor->bytes.size());
    current->given[table.name] = std::move(*tensor);
  }
  current->steps.emplace(current->graph, current->given);
  return llvm::Error::success();
}

/// Goes on to the next output that has to be handed out, and returns its
/// number, or to the end: nothing. Outputs that there are by then are written.
static llvm::Expected<std::optional<int64_t>> goOn(void *const *outputs) {
  auto followed = current->steps->goOn();
  if (!followed)
    return followed.takeError();
  std::optional<int64_t> handedOut;
  for (auto [number, table] : llvm::enumerate(current->outputs)) {
    if (*followed && **followed != table.name)
      continue;
    const HostTensor &tensor =
        current->steps->outputs().find(table.name)->second;
    if (!tensor.bytes.empty())
      std::memcpy(outputs[number], tensor.bytes.data(), tensor.bytes.size());
    if (*followed)
      handedOut = static_cast<int64_t>(number);
  }
  return handedOut;
}

/// What an evaluation fails with.
static char message[512];

static void setFailure(llvm::Error error) {
  ErrorFacts facts = factsOf(std::move(error));
  current->status = static_cast<ExitStatus>(facts.fault);
  std::snprintf(message, sizeof(message), "%s",
                llvm::toString(facts.toError()).c_str());
}

/// One step: false where there is no further one. The number of what has to be
/// handed out, or -1.
static bool takeStep(const void *const *inputs, void *const *outputs,
                     bool isFirst, int64_t &handedOut, bool &failed) {
  handedOut = -1;
  if (llvm::Error error = isFirst ? begin(inputs) : llvm::Error::success()) {
    setFailure(std::move(error));
    failed = true;
    return false;
  }
  auto next = goOn(outputs);
  failed = !next;
  if (!next) {
    setFailure(next.takeError());
    return false;
  }
  handedOut = next->value_or(-1);
  return next->has_value();
}

/// The program's entry point.
static void evaluateOnRank(TapestryRank *rank, const void *const *inputs,
                           void *const *outputs) {
  // What fails in the runtime does not return: nothing may be left to destroy
  // here.
  int64_t handedOut = -1;
  bool failed = false;
  for (bool isFirst = true;
       takeStep(inputs, outputs, isFirst, handedOut, failed); isFirst = false)
    tapestry_rt_hand_out(rank, handedOut, outputs[handedOut]);
  if (failed)
    tapestry_rt_fail(rank, message);
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
  program.entry = evaluateOnRank;
  program.num_unread_inputs = unread.size();
  program.unread_inputs = unread.data();

  auto status = static_cast<ExitStatus>(rt::run(program, runOptions(options)));
  // Not a rank has failed but what it was to evaluate.
  return evaluation.status ? evaluation.status : status;
}
