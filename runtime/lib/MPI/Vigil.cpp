//===- Vigil.cpp - Which processes of a job are still there ---------------===//

#include "MPI/Vigil.h"
#include "tapestry-rt/Status.h"
#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace tapestry::rt;

static double seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

//===----------------------------------------------------------------------===//
// Processes of this machine
//===----------------------------------------------------------------------===//

namespace {
/// What the system says of a process.
struct ProcessState {
  char letter = 0;
  uint64_t worked = 0; // in ticks
  uint64_t started = 0;
};
} // namespace

/// False: there is none, or the system does not let us read it.
static bool readState(int64_t pid, ProcessState &state) {
  FILE *file = fopen(format("/proc/%lld/stat", (long long)pid).c_str(), "re");
  if (!file)
    return false;
  char text[1024];
  size_t length = fread(text, 1, sizeof(text) - 1, file);
  fclose(file);
  text[length] = '\0';
  // The command's name stands in parentheses and may hold any character.
  const char *at = strrchr(text, ')');
  unsigned long long user = 0, system = 0, started = 0;
  if (!at || sscanf(at + 1,
                    " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu "
                    "%*d %*d %*d %*d %*d %*d %llu",
                    &state.letter, &user, &system, &started) != 4)
    return false;
  state.worked = user + system;
  state.started = started;
  return true;
}

/// What is wrong with a process that started then (0: it does not know), and
/// had worked so long when it was looked at last.
static std::string problemHere(int64_t pid, uint64_t started,
                               uint64_t &worked) {
  ProcessState state;
  if (!readState(pid, state))
    return kill(pid, 0) != 0 && errno == ESRCH ? "has ended" : "";
  if ((started != 0 && state.started != started) || state.letter == 'Z' ||
      state.letter == 'X')
    return "has ended";
  uint64_t before = std::exchange(worked, state.worked);
  // A debugger's stop is another letter. Who is stopped and continued in turns,
  // to be slowed down, works in between.
  return state.letter == 'T' && state.worked == before ? "is stopped" : "";
}

/// Where numbers of processes mean the same.
static uint64_t hostOf() {
  std::string name;
  char text[256] = "";
  if (FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re")) {
    if (fgets(text, sizeof(text), file))
      name += text;
    fclose(file);
  }
  ssize_t length = readlink("/proc/self/ns/pid", text, sizeof(text));
  if (length > 0)
    name.append(text, length);
  if (gethostname(text, sizeof(text)) == 0)
    name += text;
  return std::hash<std::string>()(name);
}

//===----------------------------------------------------------------------===//
// Processes of other machines
//===----------------------------------------------------------------------===//

/// Addresses of this machine that others may reach.
static void findAddresses(uint32_t *addresses) {
  ifaddrs *all = nullptr;
  if (getifaddrs(&all) != 0)
    return;
  int found = 0;
  for (ifaddrs *at = all; at && found < ProcessIdentity::mostAddresses;
       at = at->ifa_next)
    if (at->ifa_addr && at->ifa_addr->sa_family == AF_INET &&
        (at->ifa_flags & IFF_UP) && !(at->ifa_flags & IFF_LOOPBACK))
      addresses[found++] =
          reinterpret_cast<sockaddr_in *>(at->ifa_addr)->sin_addr.s_addr;
  freeifaddrs(all);
}

static sockaddr_in addressOf(uint32_t host, uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = host;
  address.sin_port = port;
  return address;
}

Vigil::Vigil(double answerSeconds) : answerSeconds(answerSeconds) {
  self.host = hostOf();
  self.pid = getpid();
  ProcessState state;
  readState(self.pid, state);
  self.started = state.started;
  socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  asking = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in any = addressOf(htonl(INADDR_ANY), 0);
  socklen_t length = sizeof(any);
  if (socket < 0 || asking < 0 ||
      bind(socket, reinterpret_cast<sockaddr *>(&any), length) != 0 ||
      getsockname(socket, reinterpret_cast<sockaddr *>(&any), &length) != 0)
    return;
  self.port = any.sin_port;
  findAddresses(self.addresses);
}

void Vigil::answer() const {
  while (true) {
    uint64_t question[2];
    sockaddr_in from;
    socklen_t length = sizeof(from);
    ssize_t got = recvfrom(socket, question, sizeof(question), 0,
                           reinterpret_cast<sockaddr *>(&from), &length);
    // The time at which this process started proves that its own are asking.
    if (got == sizeof(question) && question[0] == self.started)
      sendto(socket, question, sizeof(question), 0,
             reinterpret_cast<sockaddr *>(&from), length);
  }
}

void Vigil::setProcesses(std::vector<ProcessIdentity> all) {
  processes = std::move(all);
  lastAnswer.assign(processes.size(), 0);
  asked.assign(processes.size(), false);
  for (const ProcessIdentity &process : processes)
    if (process.host != self.host && self.port != 0) {
      std::thread([this] { answer(); }).detach();
      return;
    }
}

void Vigil::ask(int rank) {
  const ProcessIdentity &process = processes[rank];
  uint64_t question[2] = {process.started, static_cast<uint64_t>(rank)};
  for (uint32_t host : process.addresses) {
    sockaddr_in to = addressOf(host, process.port);
    if (host != 0 && sendto(asking, question, sizeof(question), 0,
                            reinterpret_cast<sockaddr *>(&to), sizeof(to)) >= 0)
      asked[rank] = true;
  }
}

void Vigil::takeAnswers() {
  uint64_t answer[2];
  constexpr ssize_t whole = sizeof(answer);
  while (recv(asking, answer, whole, 0) == whole)
    if (answer[1] < processes.size() &&
        answer[0] == processes[answer[1]].started)
      lastAnswer[answer[1]] = seconds();
}

//===----------------------------------------------------------------------===//
// Looking
//===----------------------------------------------------------------------===//

std::string Vigil::problemOf(Wait &wait) {
  int rank = wait.rank;
  const ProcessIdentity &process = processes[rank];
  if (process.host != self.host) {
    std::lock_guard<std::mutex> lock(mutex);
    takeAnswers();
    ask(rank);
    double now = seconds();
    bool answered = now - lastAnswer[rank] < answerSeconds;
    // Where there are no addresses of IPv4, silence says nothing. The first
    // question is under way.
    return !asked[rank] || answered || now - wait.since < answerSeconds
               ? ""
               : "is stopped, has ended or cannot be reached";
  }
  return problemHere(process.pid, process.started, wait.worked);
}

double Vigil::pause(double timeoutSeconds) {
  return std::clamp(timeoutSeconds / 4, 0.01, 1.0);
}

Vigil::Wait Vigil::begin(int rank) {
  double now = seconds();
  return {rank, now, now, 0};
}

std::string Vigil::findLost(Wait &wait, double timeoutSeconds) {
  std::string problem = problemOf(wait);
  double now = seconds();
  if (problem.empty())
    wait.lastSeen = now;
  if (now - wait.lastSeen < timeoutSeconds)
    return "";
  return format("rank %d (process %lld) %s; gave it up after %g seconds "
                "(TAPESTRY_TIMEOUT)",
                wait.rank, static_cast<long long>(processes[wait.rank].pid),
                problem.c_str(), timeoutSeconds);
}
