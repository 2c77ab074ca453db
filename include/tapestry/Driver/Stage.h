//===- Stage.h - What the driver is doing -----------------------*- C++ -*-===//

#ifndef TAPESTRY_DRIVER_STAGE_H
#define TAPESTRY_DRIVER_STAGE_H

#include "tapestry/Driver/Options.h"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <pthread.h>

namespace tapestry::driver {

/// A part of a command's work, from here to the end of the block. Where it
/// takes long, lines on standard error say so: on a terminal one that updates
/// itself every second, otherwise one every ten. With -v its time is said at
/// the end.
class Stage {
public:
  Stage(const Options &options, const char *name);
  ~Stage();
  Stage(const Stage &) = delete;
  Stage &operator=(const Stage &) = delete;

private:
  using Clock = std::chrono::steady_clock;
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  void tell();

  const Options &options;
  const char *name;
  Clock::time_point start = Clock::now();
  std::mutex mutex; // guards what follows
  std::condition_variable changed;
  bool over = false;
  bool visible = false;
  bool hasTeller = false;
  pthread_t teller;
};

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_STAGE_H
