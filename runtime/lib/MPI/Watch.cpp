//===- Watch.cpp - Ends calls that never return ---------------------------===//

#include "MPI/Watch.h"
#include "tapestry-rt/Runtime.h"
#include <cstdio>
#include <thread>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

void Watch::begin(const char *newWhat, const std::vector<int> &newMembers) {
  std::lock_guard<std::mutex> lock(mutex);
  what = newWhat;
  members = &newMembers;
  ++call;
  if (!started)
    std::thread([this] { look(); }).detach();
  started = true;
}

void Watch::end() {
  std::lock_guard<std::mutex> lock(mutex);
  members = nullptr;
}

void Watch::look() {
  std::vector<Vigil::Wait> waits;
  uint64_t seen = 0;
  while (true) {
    usleep(static_cast<useconds_t>(Vigil::pause(timeoutSeconds) * 1e6));
    // Held while looking, so that the call cannot end meanwhile.
    std::lock_guard<std::mutex> lock(mutex);
    if (!members)
      continue;
    if (seen != call) {
      seen = call;
      waits.clear();
      for (int member : *members)
        if (member != rank)
          waits.push_back(Vigil::begin(member));
    }
    for (Vigil::Wait &wait : waits) {
      std::string lost = vigil.findLost(wait, timeoutSeconds);
      if (lost.empty())
        continue;
      // No file is under way while the program runs, so nothing is left behind.
      fprintf(stderr, "rank %d: %s: %s\n", rank, what, lost.c_str());
      fflush(stderr);
      _exit(ExitRankFailed);
    }
  }
}
