/*===- Runtime.h - Runs programs from C and C++ -----------------------------===
 *
 * The entry points of the runtime for code that has a TapestryProgram in hand.
 * From C: sessions (Session.h), whose tensors stay distributed from program to
 * program. From C++ also single runs from files to files: a standalone
 * program's main (through tapestry_rt_main) and the `tapestry` driver, which
 * has compiled one in memory.
 *
 *===------------------------------------------------------------------------===*/

#ifndef TAPESTRY_RT_RUNTIME_H
#define TAPESTRY_RT_RUNTIME_H

#include "tapestry-rt/ABI.h"
#include "tapestry-rt/Session.h"

#ifdef __cplusplus

#include "tapestry-rt/ExitStatus.h"
#include <string>
#include <utility>
#include <vector>

namespace tapestry {
namespace rt {

/// The most ranks that the back end `local` starts.
constexpr int64_t maxLocalRanks = 1024;
/// The most threads that a rank has.
constexpr int64_t maxThreads = 1024;
/// As many as there are cores for where so many ranks share this machine.
int64_t threadsPerRank(int64_t ranks);

/// What a user may ask of one run.
struct RunOptions {
  /// Stands before messages about the command line: "prog: error: ...".
  std::string tool = "tapestry";
  /// Input name, .npy file. All inputs must be given for which the program
  /// names no file.
  std::vector<std::pair<std::string, std::string>> inputs;
  /// Output name, .npy file. Outputs that are not named are written where the
  /// program says, or not at all.
  std::vector<std::pair<std::string, std::string>> outputs;
  /// "local" (ranks are threads), "mpi" (ranks are processes), or empty: mpi
  /// in a process that an MPI launcher started as one of several, else local.
  std::string backend;
  /// Who does the collectives: "ring", the runtime's own algorithms, whose bits
  /// and bytes are the same on every back end; "mpi", those of MPI where its
  /// own can, on that back end; or "nccl", those of NCCL where its own can, of
  /// programs for GPUs of which each rank has one.
  std::string collectives = "ring";
  /// Bytes per second that a rank of the local back end sends at most, as over
  /// a slow network; 0: as fast as memory is.
  int64_t slowLink = 0;
  /// Ranks may drive one GPU together.
  bool sharesDevices = false;
  int64_t repeat = 1;
  /// Threads of each rank; 0: as the program says, or as many as there are
  /// cores for.
  int64_t threads = 0;
  /// Output name, input name: what one run puts out, the next takes in.
  std::vector<std::pair<std::string, std::string>> feeds;
  std::string reportPath; ///< report.json; empty: none
  std::string tracePath;  ///< Chrome trace; empty: none
  bool verbose = false;
  /// Where no output is asked for: prints those that are numbers to standard
  /// output, and says which are not written.
  bool showsResults = false;
  /// Progress on standard error for runs of more than a second.
  bool progress = true;
  double compileSeconds = 0; ///< goes into the report
  /// Bytes that the ranks of this process may allocate together; 0: what the
  /// machine has available.
  int64_t memoryLimit = 0;
  /// Seconds after which a process that has ended, is stopped or cannot be
  /// reached is given up; 0: TAPESTRY_TIMEOUT, or 300.
  double timeoutSeconds = 0;
  /// Seconds of waiting for a rank after which a line of progress names it.
  double patienceSeconds = 60;
  /// A failure whose ranks do not come back within a second ends the process.
  /// Where false, `run` waits until they do.
  bool ownsProcess = false;
};

/// Runs `program` on all its devices and returns the exit status; messages go
/// to standard error. Everything that can be wrong with files, names and the
/// machine is checked before the first rank starts. On the MPI back end every
/// process calls this, and all return the same status.
int run(const TapestryProgram &program, const RunOptions &options);

/// What a launcher told this process through the environment: its number and
/// how many were started; 0 of 1 without a launcher.
struct LaunchedAs {
  int64_t rank = 0;
  /// 0: the launcher does not say.
  int64_t size = 1;
};
LaunchedAs launchedAs();

/// Why ranks of this back end cannot be started here, as far as its library
/// goes; empty: they can.
std::string whyNotLoadable(const std::string &backend);

/// Reads a standalone program's command line into `options`. Returns -1 to go
/// on, else the exit status to end with (after --help, --version or an error).
int parseCommandLine(int argc, char **argv, const TapestryProgram &program,
                     RunOptions &options);

} // namespace rt
} // namespace tapestry

#endif /* __cplusplus */

#endif /* TAPESTRY_RT_RUNTIME_H */
