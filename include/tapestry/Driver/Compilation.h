//===- Compilation.h - From a program's text to an object file --*- C++ -*-===//
//
// The steps that the driver's commands share, one function each. Every step
// reports its own errors; a failure carries the exit status.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DRIVER_COMPILATION_H
#define TAPESTRY_DRIVER_COMPILATION_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tapestry/Analysis/PlanGraphs.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Driver/DiagnosticPrinter.h"
#include "tapestry/Driver/Options.h"
#include "tapestry/Driver/Status.h"
#include "tapestry/Pipelines/Pipelines.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <memory>

namespace tapestry::driver {

/// One compilation of one program.
class Compilation {
public:
  explicit Compilation(const Options &options);
  ~Compilation();

  /// Reads PROG.ein or PROG.mlir and prunes its graph. For a search and as an
  /// oracle it stays as written, else it is rewritten as plans are cheaper.
  ExitStatus load();
  /// Cuts the graph by a solver or as --plan says, and writes the decision into
  /// the IR.
  ExitStatus planGraph();
  /// The same; what is wrong is not said.
  llvm::Error tryPlan();
  /// The rewrites that a plan as requested begins with, of the graph as it is,
  /// which stays so.
  mlir::FailureOr<std::vector<model::Rewrite>>
  chooseRewrites(const plan::PlanRequest &request,
                 const GraphPipelineOptions &choices = {});
  /// Writes the planned graph shard by shard; it has no plan then.
  ExitStatus shardGraph();
  /// The exact peak of a planned graph where finding it takes no noticeable
  /// time: not for many vertices or devices.
  std::optional<int64_t> findPeak(teg::GraphOp graph, const plan::Plan &plan);
  /// Lowers the planned graph up to and including `last`, or to a stage of the
  /// target's within the code phase.
  ExitStatus lower(Phase last, llvm::StringRef stage = {});
  /// Lowers the planned graph to the form that --emit names.
  ExitStatus emitForm(std::string &text);
  /// For --stop-after: runs the phases up to the one named and prints the IR.
  ExitStatus printAfterPhase();
  /// How many threads generate code: as many as may run here at a time.
  static unsigned codegenThreads();
  /// Lowers the planned graph to an object file or an archive of several, or
  /// takes that of an earlier compilation.
  ExitStatus makeObject(std::unique_ptr<llvm::MemoryBuffer> &object);

  /// Threads of each device, whose memory is predicted; 0: as many as there are
  /// cores for when the code runs, and what is predicted is one's.
  void setThreads(int64_t threads);

  /// Lets collectives go on beside computation as the options say where what
  /// was planned then fits into --memory.
  void overlapWithinLimit();

  const Options &getOptions() const { return options; }
  const Target &getTarget() const { return *target; }
  const CodegenOptions &getCodegen() const { return codegen; }
  ExitStatus chooseGraph();
  ExitStatus checkRules();
  ExitStatus checkLikes();
  teg::GraphOp getGraph();
  const model::PlanGraph &getPlanGraph() const { return vertices.graph; }
  const plan::Plan &getPlan() const { return decided; }
  /// The files that the program names and whose shapes decided its params.
  const std::map<std::string, std::vector<int64_t>> &getFileShapes() const {
    return fileShapes;
  }

private:
  void chooseThreads(int64_t devices);
  ExitStatus checkTargets();
  llvm::Error pinHeldInputs();
  /// The object of a lowered module; null after an error.
  std::unique_ptr<llvm::MemoryBuffer> emitObject();
  ExitStatus parse(std::unique_ptr<llvm::MemoryBuffer> text, bool isMLIR);

  const Options &options;
  CodegenOptions codegen;
  std::unique_ptr<Target> target;
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<DiagnosticPrinter> printer;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  GraphVertices vertices;
  plan::Plan decided;
  std::map<std::string, std::vector<int64_t>> fileShapes;
};

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_COMPILATION_H
