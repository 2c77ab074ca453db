//===- Options.h - The command line of the tapestry driver ------*- C++ -*-===//

#ifndef TAPESTRY_DRIVER_OPTIONS_H
#define TAPESTRY_DRIVER_OPTIONS_H

#include "tapestry/Codegen/Pipeline.h"
#include "tapestry/Import/Ein/Types.h"
#include "tapestry/Planner/Plan/PlanRequest.h"
#include "tapestry/Support/ZSpace.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tapestry::driver {

enum class Command { Run, Plan, Compile, Reference, Calibrate, Session, Cache };

/// NAME=VALUE as given to -i, -o, -D and --feed, in order.
using Bindings = std::vector<std::pair<std::string, std::string>>;

/// What `plan` searches a Pareto frontier by.
struct ParetoRequest {
  std::string frontFile;
  std::string plotFile;
  /// Empty: not asked for.
  std::string pick;
  int64_t threads = 1;
  /// 0: no limit.
  int64_t evaluations = 0;
  /// Seconds; 0: no limit.
  double timeLimit = 0;
  double price = 1e-3;
  double maxSeconds = std::numeric_limits<double>::infinity();
  double maxBytes = std::numeric_limits<double>::infinity();

  bool isWanted() const {
    return !frontFile.empty() || !plotFile.empty() || !pick.empty();
  }
};

/// What --dot and --svg draw.
enum class Drawing {
  Plan,   ///< How vertices are cut and what moves.
  Graph,  ///< The expression graph, in the white paper's language.
  Shards, ///< That graph as the plan cuts it.
};

/// Who runs a program.
enum class Executor {
  Default, ///< SPMD and, where no plan keeps --memory, greedy.
  Spmd,    ///< Ranks, which all run one program.
  Greedy,  ///< Workers, which run shards on chunks, also on more than fits.
};

/// An input that is there when a program is compiled, and where it lies.
struct HeldInput {
  std::string name;
  std::vector<int64_t> shape;
  /// Per device.
  std::vector<ZBox> boxes;

  bool operator==(const HeldInput &o) const {
    return name == o.name && shape == o.shape && boxes == o.boxes;
  }
};

struct Options {
  Command command = Command::Run;
  std::string program;
  /// Which graph of the program; empty: the only one.
  std::string graph;
  /// Where it has no threads, devices that run here have as many as there are
  /// cores for.
  plan::PlanRequest planning;
  /// What code is generated for; createTarget has accepted both.
  std::string target = "cpu";
  std::string cpu = "native";
  /// Architectures of GPUs beside the least one.
  std::string gpuArchs;
  /// Who computes products of matrices there, and whether those of f32 may
  /// round their factors to TF32.
  std::string gpuProducts = "cublaslt";
  bool tf32 = false;
  /// Ranks that run here may drive one GPU together.
  bool sharesDevices = false;
  /// From how many bytes that leave a device on collectives go on beside
  /// computation; -1: none does.
  int64_t overlap = leastOverlap;
  llvm::StringMap<ein::Number> params;
  /// Files with functions of blocks.
  std::vector<std::string> objects;
  Bindings inputs;
  /// Files whose shapes inputs have that do not run yet.
  Bindings likes;
  /// What of the program's inputs a session has.
  std::vector<HeldInput> held;
  /// Why a session has no tensor for an input.
  std::function<std::string(llvm::StringRef input)> whyNotHeld;
  Bindings outputs;
  Bindings feeds;
  /// Bytes that a device sends in a second at most; 0: no limit.
  int64_t slowLink = 0;
  int64_t repeat = 1;
  std::string reportFile;
  std::string traceFile;
  int64_t seed = 0;
  // run, plan
  Executor executor = Executor::Default;
  /// The folder that chunks are spilled to; empty: $TMPDIR or /tmp; "none":
  /// nothing is.
  std::string spill;
  bool verbose = false;
  /// No progress.
  bool quiet = false;
  // plan
  bool explain = false;
  std::vector<std::string> explainVertices;
  std::string jsonFile;
  ParetoRequest pareto;
  Drawing draw = Drawing::Plan;
  std::string dotFile;
  std::string svgFile;
  std::string htmlFile;
  /// Two plan files to compare, or none.
  std::vector<std::string> diffFiles;
  // compile
  std::string executable;
  std::string stopAfter;
  /// A form of the target's that the file of -o is in instead.
  std::string format;
  // calibrate: the machine file to write, empty: none; "local" or "mpi"; "ring"
  // or "mpi"
  std::string machineFile;
  std::string backend;
  std::string collectives;
  /// session: the commands; empty or "-": standard input.
  std::string commandFile;
  // cache
  bool clear = false;
  /// All files that the command writes.
  std::vector<std::string> writtenFiles;
};

/// The options of LLVM's own tools (--stats) are none of the commands. Those of
/// plug-ins that are loaded later are.
void forgetForeignOptions();

/// Parses argv. On a usage error prints one message to stderr and returns
/// nothing; --help and --version print and end the process.
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_OPTIONS_H
