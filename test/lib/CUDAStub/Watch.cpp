//===- Watch.cpp - What threads of a launch touch -------------------------===//

#include "Watch.h"

using namespace tapestry::stub;

int64_t Watch::Touched::add(int64_t who, bool writes) {
  int64_t other = -1;
  if (writer >= 0 && writer != who)
    other = writer;
  else if (writes && reader >= 0 && reader != who)
    other = reader;
  else if (writes && another >= 0)
    other = another;
  if (writes)
    writer = who;
  else if (reader < 0)
    reader = who;
  else if (reader != who)
    another = who;
  return other;
}

static std::string between(const char *what, int64_t one, int64_t other,
                           const std::string &where) {
  return std::string(what) + " " + std::to_string(one) + " and " +
         std::to_string(other) + where;
}

/// Of a block threads are ordered by barriers, blocks of a launch by nothing.
std::string Watch::findRace(const Access &access) {
  // Places are words where elements are no smaller.
  uintptr_t step = access.address % 4 || access.bytes % 4 ? 1 : 4;
  for (uintptr_t at = access.address;
       at < access.address + static_cast<uintptr_t>(access.bytes); at += step) {
    Touched &here = byThread[at];
    if (here.round != round) {
      here = Touched();
      here.round = round;
    }
    int64_t other = here.add(access.thread, access.writes);
    if (other >= 0)
      return between("threads", other, access.thread,
                     " of block " + std::to_string(access.block) +
                         " touch the same " + std::to_string(access.bytes) +
                         " bytes with no barrier between, and one writes them");
    if (access.shared.begin)
      continue;
    other = byBlock[at].add(access.block, access.writes);
    if (other >= 0)
      return between("blocks", other, access.block,
                     " touch the same " + std::to_string(access.bytes) +
                         " bytes, and one writes them");
  }
  return "";
}

std::string Watch::note(const Access &access) {
  Stretch within = access.shared;
  if (!within.begin) {
    auto [found, isNew] = known.try_emplace(access.base);
    if (isNew)
      found->second = findAllocation(access.base);
    within = found->second;
  }
  uintptr_t end = access.address + static_cast<uintptr_t>(access.bytes);
  if (within.contains(access.address, end))
    return findRace(access);
  std::string text = "thread " + std::to_string(access.thread) + " of block " +
                     std::to_string(access.block) +
                     (access.writes ? " writes " : " reads ") +
                     std::to_string(access.bytes) + " bytes ";
  if (!within.begin)
    return text + "of no memory of the device";
  return text + "at byte " +
         std::to_string(static_cast<intptr_t>(access.address - within.begin)) +
         " of " + (access.shared.begin ? "the block's " : "a buffer of ") +
         std::to_string(within.end - within.begin);
}
