//===- Session.h - What the ranks of one process share ----------*- C++ -*-===//
//
// One run as it was asked for: the program, the options with names resolved,
// the open files. Made and checked before any rank starts; after that, ranks
// only read it.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_RUN_SESSION_H
#define TAPESTRY_RT_RUN_SESSION_H

#include "IO/TensorFile.h"
#include "Memory/Arena.h"
#include "Run/Fault.h"
#include "Run/Progress.h"
#include <memory>
#include <vector>

namespace tapestry {
namespace rt {

/// Output `output` of one run is input `input` of the next.
struct Feed {
  int output;
  int input;
  /// All parts agree on every device, and nothing else takes the output: the
  /// two buffers change places.
  bool swaps = false;
  /// Bytes that all devices send for one feed, from the tables.
  int64_t predictedBytes = 0;
};

class Session {
public:
  Session(const TapestryProgram &program, const RunOptions &options);

  /// Checks the program, resolves the options' names and reads the
  /// environment's variables: all that needs neither files nor other ranks.
  Status checkOptions();
  /// Opens and checks all files.
  Status openFiles();
  /// Checks that the inputs and outputs of the devices [first, last) fit into
  /// what this process may allocate, `share` processes being on this machine.
  Status checkMemory(int64_t first, int64_t last, int share);

  /// "mpi" or "local".
  const std::string &backend() const { return backendName; }
  /// A failure with the tool's name before it: "prog: error: ...".
  Status failure(ExitStatus exit, const std::string &message) const;

  const TapestryProgram &program;
  const RunOptions &options;
  std::vector<Feed> feeds;
  Fault fault;
  double timeoutSeconds = 300;
  MemoryBudget budget;
  /// Per input.
  std::vector<std::unique_ptr<InputFile>> inputs;
  /// Per output; null where it was not asked for.
  std::vector<std::unique_ptr<OutputFile>> outputs;
  Progress progress;

private:
  Status checkInputs();
  Status checkOutputs();
  Status checkFeeds();
  Status checkFeed(const Feed &feed) const;
  Status checkEnvironment();
  Status checkDistinctFiles() const;
  Status unknownName(const char *kind, const std::string &name,
                     const TapestryTensor *tensors, int32_t count,
                     const char *option) const;

  std::string backendName;
  std::vector<std::string> inputPaths;  // per input
  std::vector<std::string> outputPaths; // per output; empty: not asked for
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_SESSION_H
