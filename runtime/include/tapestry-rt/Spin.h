//===- Spin.h - Waiting for threads that work alongside ---------*- C++ -*-===//

#ifndef TAPESTRY_RT_SPIN_H
#define TAPESTRY_RT_SPIN_H

namespace tapestry {
namespace rt {

/// Turns of `pauseBriefly` before a thread sleeps: some tens of microseconds,
/// in which one that works alongside takes a small message or a kernel.
constexpr int spinTurns = 2000;

inline void pauseBriefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_SPIN_H
