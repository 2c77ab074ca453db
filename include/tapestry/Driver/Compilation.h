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
#include "tapestry/Driver/Options.h"
#include "tapestry/Driver/Status.h"
#include "tapestry/Pipelines/Pipelines.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace tapestry::driver {

/// One compilation of one program.
class Compilation {
public:
  explicit Compilation(const Options &options);
  ~Compilation();

  /// Reads PROG.ein or PROG.mlir and prunes its graph.
  ExitStatus load();
  /// Cuts the graph by a solver or as --plan says, and writes the decision into
  /// the IR.
  ExitStatus planGraph();
  /// The most bytes that any device's arena will hold when the planned program
  /// runs on ranks that share memory. Lowers a copy of the program until all
  /// buffers are known; nothing where that fails.
  std::optional<int64_t> findPeakBytes();
  /// Lowers the planned graph up to and including `last`.
  ExitStatus lower(Phase last);
  /// For --stop-after: runs the phases up to the one named and prints the IR.
  ExitStatus printAfterPhase();
  /// The object file of a lowered module; null after an error.
  std::unique_ptr<llvm::MemoryBuffer> emitObject();

  const Target &getTarget() const { return *target; }
  mlir::ModuleOp getModule() { return *module; }
  teg::GraphOp getGraph();
  const PlanGraph &getPlanGraph() const { return vertices.graph; }
  const Plan &getPlan() const { return decided; }

private:
  ExitStatus loadEin(std::unique_ptr<llvm::MemoryBuffer> text);
  ExitStatus loadMLIR(std::unique_ptr<llvm::MemoryBuffer> text);
  ExitStatus checkRequest() const;
  ExitStatus checkMachineIsUsed() const;
  ExitStatus checkFollowed() const;
  ExitStatus planWithin(int64_t memoryLimit, bool isTrial);
  std::string describeEstimate();
  void measurePeak();
  bool isSmall() const;

  const Options &options;
  CodegenOptions codegen;
  std::unique_ptr<Target> target;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  GraphVertices vertices;
  Plan decided;
  /// What a trial of a limit that found no plan said of the memory it takes.
  std::string memoryNeed;
  /// What plans under a memory limit: the solver asked for, or `bounded` where
  /// that is too much for `exact`.
  std::string trialSolver;
};

/// The machine and, where --grid is given, the grid that the options name.
/// Reports what is wrong with them; wrong names are errors of usage.
ExitStatus readMachine(const Options &options, Machine &machine,
                       DeviceGrid &grid);

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_COMPILATION_H
