//===- Job.h - What the ranks of one process share ----------*- C++ -*-===//
//
// One run as it was asked for: the program, the options with names resolved,
// the open files. Made and checked before any rank starts; after that, ranks
// only read it, but for the parts of inputs that they leave to each other.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_RUN_JOB_H
#define TAPESTRY_RT_RUN_JOB_H

#include "IO/TensorFile.h"
#include "Memory/HeldTensor.h"
#include "Run/Fault.h"
#include "Run/Progress.h"
#include "tapestry-rt/Backend.h"
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
  int64_t predictedKept = 0;
};

/// Input `input` is held in another layout than the program reads it in.
struct Move {
  int input;
  /// Bytes that all devices send for it, from the tables.
  int64_t predictedBytes = 0;
  int64_t predictedKept = 0;
};

/// What a session holds of a run.
struct HeldData {
  /// Per input, of its type and shape; null: the program's file is read.
  std::vector<const HeldTensor *> inputs;
  /// Per output, made by a run that ends well.
  std::vector<std::unique_ptr<HeldTensor>> outputs;
  /// Per rank: what outputs belong to.
  const std::vector<std::unique_ptr<Arena>> &arenas;
  MemoryBudget &budget;
};

class Job {
public:
  /// `held` stays until the run is over; null: all data comes from files.
  Job(const TapestryProgram &program, const RunOptions &options,
      HeldData *held = nullptr);

  /// Checks the program, resolves the options' names and reads the
  /// environment's variables: all that needs neither files nor other ranks.
  Status checkOptions();
  /// Opens and checks all files.
  Status openFiles();
  /// Checks that the inputs and outputs of the devices [first, last) fit into
  /// what this process may allocate, `share` processes being on this machine.
  Status checkMemory(int64_t first, int64_t last, int share);

  /// Where the program is for devices: finds them, for so many ranks of this
  /// machine.
  Status openDevices(int64_t ranks);
  /// Whether the program's tensors lie in the memory of devices.
  bool isOnDevice() const { return program.space == TAPESTRY_CUDA; }
  /// Which one is a rank's.
  int deviceNumber(int64_t rank) const;

  /// "mpi" or "local".
  const std::string &backend() const { return backendName; }
  /// Who does collectives whole, where somebody does.
  const std::string &collectivesBy() const {
    return deviceCollectives ? options.collectives : backendName;
  }
  /// Opens the file of an input that is read now.
  Status openInput(int input, InputFile &file) const {
    return file.open(inputPaths[input], program.inputs[input]);
  }
  /// Whether a run gives the next one input `input`.
  bool isFed(int input) const;
  /// Whether an input that the program takes in is the file of output `output`;
  /// and of any.
  bool isReadBack(int64_t output) const { return readBack[output]; }
  bool readsBack() const;
  /// A failure with the tool's name before it: "prog: error: ...".
  Status failure(ExitStatus exit, const std::string &message) const;

  /// Threads of each rank; known once memory was checked.
  int threads() const { return numThreads; }
  /// Whether started collectives go on beside the ranks' programs. Between
  /// ranks that share memory they are copies, which are no faster while all
  /// processors compute.
  bool communicatesBeside() const;
  /// The processors that the threads of a rank stay on; none where they may
  /// move.
  std::vector<int> coresOf(int64_t device) const;
  /// What each device takes at most; null where that is not known.
  const int64_t *predictedPeaks() const;

  /// Whether a session has input `input`.
  bool isHeld(int input) const { return held && held->inputs[input]; }
  /// Whether input `input` is read where a session holds it.
  bool isInPlace(int input) const;
  /// The first device with the part of an input that `device` reads, which it
  /// reads there: ranks that are threads have an input that all of them read
  /// once. `device` itself where a run may change it, or has a part of its own.
  int64_t deviceWith(int input, int64_t device) const {
    return firstWith.empty() ? device
                             : firstWith[input * program.devices + device];
  }
  /// Where the device that lends it has it; written before the ranks meet.
  void *&lentPart(int input, int64_t device) {
    return lent[input * program.devices + deviceWith(input, device)];
  }
  bool lends() const { return !lent.empty(); }
  /// Bytes of the inputs of `device` that it reads where they are.
  int64_t bytesInPlace(int64_t device) const;
  /// Of those, what another device of the process has and lends.
  int64_t bytesBorrowed(int64_t device) const;
  /// Bytes of a session's tensors on `device` that are none of those.
  int64_t bytesBeside(int64_t device) const;

  const TapestryProgram &program;
  const RunOptions &options;
  HeldData *const held;
  std::vector<Feed> feeds;
  std::vector<Move> moves;
  Fault fault;
  double timeoutSeconds = 300;

private:
  MemoryBudget ownBudget;

public:
  MemoryBudget &budget;
  /// What the arena of each rank reserves at its start; null: nothing.
  const int64_t *reserved = nullptr;
  /// Per input; not open where a session has it, or the program takes it in.
  std::vector<std::unique_ptr<InputFile>> inputs;
  /// Per output; null where it was not asked for.
  std::vector<std::unique_ptr<OutputFile>> outputs;
  Progress progress;
  DeviceDriver *devices = nullptr;
  /// Null: devices exchange through the host's memory.
  DeviceCollectives *deviceCollectives = nullptr;

private:
  Status openCollectives(int64_t ranks, int count);
  Status checkInputs();
  Status checkOutputs();
  Status checkFeeds();
  void findMoves();
  void findLent();
  Status checkFeed(const Feed &feed) const;
  Status checkEnvironment();
  Status checkDistinctFiles() const;
  void findReadBack();
  void countThreads(int64_t ranks);
  Status unknownInput(const std::string &name) const;
  Status unknownOutput(const std::string &name) const;

  std::string backendName;
  int numThreads = 1;
  std::vector<int> cores;               // that this process may use
  std::vector<std::string> inputPaths;  // per input
  std::vector<std::string> outputPaths; // per output; empty: not asked for
  std::vector<bool> readBack;           // per output
  // Per input and device; empty where all have their own.
  std::vector<int64_t> firstWith;
  std::vector<void *> lent;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_JOB_H
