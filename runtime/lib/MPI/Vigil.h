//===- Vigil.h - Which processes of a job are still there -------*- C++ -*-===//
//
// A process that works may keep the others waiting as long as it likes; one
// that has ended, is stopped or cannot be reached may not. On this machine the
// system knows. A process on another one is asked by a datagram over IPv4,
// which a thread of it answers, whatever else it does; of one that could never
// be asked nothing is said.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_MPI_VIGIL_H
#define TAPESTRY_RT_MPI_VIGIL_H

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace tapestry {
namespace rt {

/// Where a process can be found. Plain data, to be sent.
struct ProcessIdentity {
  static constexpr int mostAddresses = 4;
  uint64_t host; ///< of its machine and its numbering of processes
  int64_t pid;   ///< there
  /// In the machine's ticks, as numbers are used again; 0: it cannot read it.
  uint64_t started;
  /// Of the socket that answers, in the network's byte order; 0: none.
  uint32_t addresses[mostAddresses];
  uint16_t port;
};

class Vigil {
public:
  /// Opens the socket that answers. `answerSeconds`: longer than a loaded
  /// machine needs for an answer.
  explicit Vigil(double answerSeconds = 5);
  /// A process keeps it to its end: the thread that answers uses it.
  ~Vigil() = delete;

  const ProcessIdentity &own() const { return self; }
  /// All processes by rank. From now on others are answered.
  void setProcesses(std::vector<ProcessIdentity> all);

  /// A wait for one process begins.
  struct Wait {
    int rank = -1;
    double since = 0;
    double lastSeen = 0;
    uint64_t worked = 0; ///< in the machine's ticks
  };
  static Wait begin(int rank);
  /// How long to pause between looks.
  static double pause(double timeoutSeconds);
  /// How the awaited process is lost, having been so for `timeoutSeconds`:
  /// "rank 3 (process 4711) has ended; ..."; empty: it is not. To be called
  /// with pauses, by any thread.
  std::string findLost(Wait &wait, double timeoutSeconds);

private:
  void answer() const;
  /// What is wrong with the process at the moment; empty: nothing.
  std::string problemOf(Wait &wait);
  void ask(int rank);
  void takeAnswers();

  const double answerSeconds;
  int socket = -1; // answers
  int asking = -1; // asks
  ProcessIdentity self = {};
  std::vector<ProcessIdentity> processes;
  std::mutex mutex;               // guards what follows
  std::vector<double> lastAnswer; // by rank
  std::vector<bool> asked;        // a question was sent, ever
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_MPI_VIGIL_H
