//===- Progress.h - How far a run has come ----------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_CORE_PROGRESS_H
#define TAPESTRY_RT_CORE_PROGRESS_H

#include <cstdint>
#include <mutex>
#include <string>

namespace tapestry {
namespace rt {

/// Lines on standard error, at most one per second and none in the first: one
/// that updates itself on a terminal, plain lines otherwise. Used by rank 0.
class Progress {
public:
  explicit Progress(bool enabled);

  /// Whether it is time for a line.
  bool due(int64_t now) const { return enabled && now - last >= second; }
  void show(int64_t now, const std::string &text);
  /// Removes the updating line, so that other text can follow.
  void clear();

private:
  static constexpr int64_t second = 1000000000;
  bool enabled;
  bool terminal;
  int64_t last;
  std::mutex mutex; // guards visible and the line itself
  bool visible = false;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_CORE_PROGRESS_H
