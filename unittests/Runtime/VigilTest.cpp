//===- VigilTest.cpp - Tests of looking after other processes -------------===//

#include "MPI/Vigil.h"
#include "gtest/gtest.h"
#include <arpa/inet.h>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace tapestry::rt;

namespace {

constexpr double timeoutSeconds = 0.3;
constexpr double answerSeconds = 1;

/// Another process, which answers and does nothing else.
class Other {
public:
  Other() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
      auto *vigil = new Vigil;
      ProcessIdentity elsewhere = {};
      elsewhere.host = vigil->own().host + 1;
      vigil->setProcesses({vigil->own(), elsewhere});
      (void)!write(ends[1], &vigil->own(), sizeof(ProcessIdentity));
      while (true)
        pause();
    }
    EXPECT_EQ(read(ends[0], &identity, sizeof(identity)),
              ssize_t(sizeof(identity)));
    close(ends[0]);
    close(ends[1]);
  }
  ~Other() {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  ProcessIdentity identity;
  pid_t pid;
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

/// A number that another process has got since is not the process.
TEST(Vigil, ComparesWhenAProcessStarted) {
  Other other;
  auto &vigil = *new Vigil;
  --other.identity.started;
  vigil.setProcesses({vigil.own(), other.identity});
  EXPECT_EQ(watched(vigil, 20), lost(other, "has ended"));
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
