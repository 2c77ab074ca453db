//===- VigilTest.cpp - Tests of looking after other processes -------------===//

#include "MPI/Vigil.h"
#include "gtest/gtest.h"
#include <arpa/inet.h>
#include <csignal>
#include <ctime>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace tapestry::rt;

namespace {

constexpr double timeoutSeconds = 0.3;
constexpr double answerSeconds = 1;

/// Does something for so long of its own time.
void work(double seconds) {
  for (clock_t end = clock() + clock_t(seconds * CLOCKS_PER_SEC);
       clock() < end;) {
  }
}

/// Another process, which answers, works when it is asked to and does nothing
/// else.
class Other {
public:
  Other() {
    int ends[2], orders[2];
    EXPECT_EQ(pipe(ends), 0);
    EXPECT_EQ(pipe(orders), 0);
    pid = fork();
    if (pid == 0) {
      auto *vigil = new Vigil;
      ProcessIdentity elsewhere = {};
      elsewhere.host = vigil->own().host + 1;
      vigil->setProcesses({vigil->own(), elsewhere});
      (void)!write(ends[1], &vigil->own(), sizeof(ProcessIdentity));
      for (char order; read(orders[0], &order, 1) == 1;) {
        work(0.1);
        (void)!write(ends[1], &order, 1);
      }
      _exit(0);
    }
    close(orders[0]);
    order = orders[1];
    done = ends[0];
    // Held open here, it would keep a process that died from being noticed.
    close(ends[1]);
    EXPECT_EQ(read(ends[0], &identity, sizeof(identity)),
              ssize_t(sizeof(identity)));
  }
  ~Other() {
    end();
    close(order);
    close(done);
  }
  /// Continues it until it has worked a little, and stops it.
  void workAndStop() {
    char word = 0;
    kill(pid, SIGCONT);
    EXPECT_EQ(write(order, &word, 1), 1);
    EXPECT_EQ(read(done, &word, 1), 1);
    kill(pid, SIGSTOP);
    EXPECT_EQ(waitpid(pid, nullptr, WUNTRACED), pid);
  }
  /// Leaves nothing of it, not even a zombie.
  void end() {
    if (!std::exchange(ended, true)) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }
  ProcessIdentity identity;
  pid_t pid;

private:
  int order, done;
  bool ended = false;
};

/// While it lives, this process can open no file.
class NoDescriptors {
public:
  NoDescriptors() {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit none = {0, before.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before); }

private:
  rlimit before;
};

/// Looks for so long; what the last look found.
std::string watched(Vigil &vigil, double seconds) {
  Vigil::Wait wait = Vigil::begin(1);
  std::string found;
  for (int looks = int(seconds * 20); looks > 0 && found.empty(); --looks) {
    usleep(50000);
    found = vigil.findLost(wait, timeoutSeconds);
  }
  return found;
}

std::string lost(const Other &other, const std::string &how) {
  return "rank 1 (process " + std::to_string(other.pid) + ") " + how +
         "; gave it up after 0.3 seconds (TAPESTRY_TIMEOUT)";
}

} // namespace

TEST(Vigil, SeesProcessesOfThisMachine) {
  Other other;
  auto &vigil = *new Vigil;
  vigil.setProcesses({vigil.own(), other.identity});
  EXPECT_EQ(watched(vigil, 3 * timeoutSeconds), "");
  kill(other.pid, SIGSTOP);
  EXPECT_EQ(watched(vigil, 20), lost(other, "is stopped"));
  kill(other.pid, SIGCONT);
  EXPECT_EQ(watched(vigil, 3 * timeoutSeconds), "");
  kill(other.pid, SIGKILL);
  EXPECT_EQ(watched(vigil, 20), lost(other, "has ended"));
}

/// As cpulimit does it: seen stopped at every look, and never lost.
TEST(Vigil, SeesWhatIsStoppedAndContinuedInTurns) {
  Other other;
  auto &vigil = *new Vigil;
  vigil.setProcesses({vigil.own(), other.identity});
  Vigil::Wait wait = Vigil::begin(1);
  for (int turn = 0; turn < 5; ++turn) {
    other.workAndStop();
    wait.lastSeen -= 100;
    EXPECT_EQ(vigil.findLost(wait, timeoutSeconds), "");
  }
  wait.lastSeen -= 100;
  EXPECT_EQ(vigil.findLost(wait, timeoutSeconds), lost(other, "is stopped"));
}

/// A number that another process has got since is not the process.
TEST(Vigil, ComparesWhenAProcessStarted) {
  Other other;
  auto &vigil = *new Vigil;
  --other.identity.started;
  vigil.setProcesses({vigil.own(), other.identity});
  EXPECT_EQ(watched(vigil, 20), lost(other, "has ended"));
}

/// What the system does not tell at the moment is no loss.
TEST(Vigil, NeedsNoDescriptors) {
  Other other;
  auto &vigil = *new Vigil;
  vigil.setProcesses({vigil.own(), other.identity});
  NoDescriptors none;
  EXPECT_EQ(watched(vigil, 3 * timeoutSeconds), "");
  other.end();
  EXPECT_EQ(watched(vigil, 20), lost(other, "has ended"));
}

/// One that could not read of itself when it started is still found.
TEST(Vigil, TakesWhatDoesNotKnowWhenItStarted) {
  Other other;
  auto &vigil = *new Vigil;
  other.identity.started = 0;
  vigil.setProcesses({vigil.own(), other.identity});
  EXPECT_EQ(watched(vigil, 3 * timeoutSeconds), "");
  kill(other.pid, SIGSTOP);
  EXPECT_EQ(watched(vigil, 20), lost(other, "is stopped"));
}

/// A machine may have no address of IPv4.
TEST(Vigil, JudgesNobodyWithoutAnAddress) {
  Other other;
  auto &vigil = *new Vigil(answerSeconds);
  ++other.identity.host;
  for (uint32_t &address : other.identity.addresses)
    address = 0;
  vigil.setProcesses({vigil.own(), other.identity});
  EXPECT_EQ(watched(vigil, 2 * answerSeconds + timeoutSeconds), "");
}

/// Where the system cannot tell, the process itself is asked.
TEST(Vigil, AsksProcessesOfOtherMachines) {
  Other other;
  if (other.identity.port == 0)
    GTEST_SKIP() << "no sockets here";
  auto &vigil = *new Vigil(answerSeconds);
  ++other.identity.host;
  other.identity.addresses[0] = htonl(INADDR_LOOPBACK);
  vigil.setProcesses({vigil.own(), other.identity});
  EXPECT_EQ(watched(vigil, 2 * answerSeconds + timeoutSeconds), "");
  kill(other.pid, SIGSTOP);
  std::string silent =
      lost(other, "is stopped, has ended or cannot be reached");
  EXPECT_EQ(watched(vigil, 20), silent);
  kill(other.pid, SIGCONT);
  EXPECT_EQ(watched(vigil, 2 * answerSeconds + timeoutSeconds), "");
  kill(other.pid, SIGKILL);
  EXPECT_EQ(watched(vigil, 20), silent);
}
