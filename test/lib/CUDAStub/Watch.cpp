//===- Watch.cpp - What threads of a launch touch -------------------------===//

#include "Watch.h"
#include <algorithm>

using namespace tapestry::stub;

int32_t Watch::Touched::add(int64_t now, int32_t who, bool writes) {
  if (since != now) {
    *this = Touched();
    since = now;
  }
  int32_t other = -1;
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

void Watch::beginLaunch() {
  ++launch;
  buffers.clear();
  size_t kept = 0;
  for (auto &[begin, all] : places)
    kept += all.size();
  constexpr size_t most = 1 << 20;
  if (kept > most)
    places.clear();
}

void Watch::share(uintptr_t begin, size_t bytes) {
  for (Buffer &buffer : buffers)
    if (buffer.base == begin)
      return;
  buffers.push_back({begin, {begin, begin + bytes}, true, nullptr});
}

const Watch::Buffer &Watch::find(uintptr_t base) {
  auto found =
      std::find_if(buffers.begin(), buffers.end(),
                   [&](const Buffer &buffer) { return buffer.base == base; });
  if (found == buffers.end())
    found = buffers.insert(found, {base, findAllocation(base), false, nullptr});
  if (!found->places && found->within.begin) {
    found->places = &places[found->within.begin];
    size_t bytes = found->within.end - found->within.begin;
    found->places->resize(std::max(found->places->size(), bytes));
  }
  return *found;
}

static std::string between(const char *what, int64_t one, int64_t other,
                           const std::string &where) {
  return std::string(what) + " " + std::to_string(one) + " and " +
         std::to_string(other) + where;
}

/// Of a block threads are ordered by barriers, blocks of a launch by nothing.
std::string Watch::findRace(const Access &access, const Buffer &buffer) {
  auto thread = static_cast<int32_t>(access.thread);
  auto block = static_cast<int32_t>(access.block);
  size_t first = access.address - buffer.within.begin;
  // Places are words where elements are no smaller, whatever is read at once.
  size_t step = first % 4 || access.elementBytes % 4 ? 1 : 4;
  for (size_t at = first; at < first + static_cast<size_t>(access.bytes);
       at += step) {
    Place &here = (*buffer.places)[at];
    int32_t other = here.byThread.add(round, thread, access.writes);
    if (other >= 0)
      return between("threads", other, thread,
                     " of block " + std::to_string(block) + " touch the same " +
                         std::to_string(access.bytes) +
                         " bytes with no barrier between, and one writes them");
    if (buffer.isShared)
      continue;
    other = here.byBlock.add(launch, block, access.writes);
    if (other >= 0)
      return between("blocks", other, block,
                     " touch the same " + std::to_string(access.bytes) +
                         " bytes, and one writes them");
  }
  return "";
}

std::string Watch::note(const Access &access) {
  const Buffer &buffer = find(access.base);
  const Stretch &within = buffer.within;
  uintptr_t end = access.address + static_cast<uintptr_t>(access.bytes);
  bool isWhole = access.address % static_cast<uintptr_t>(access.alignment) == 0;
  if (isWhole && within.begin && within.contains(access.address, end))
    return findRace(access, buffer);
  std::string text = "thread " + std::to_string(access.thread) + " of block " +
                     std::to_string(access.block) +
                     (access.writes ? " writes " : " reads ") +
                     std::to_string(access.bytes) + " bytes ";
  if (!isWhole)
    return text + "at an address that is no multiple of " +
           std::to_string(access.alignment);
  if (!within.begin)
    return text + "of no memory of the device";
  return text + "at byte " +
         std::to_string(static_cast<intptr_t>(access.address - within.begin)) +
         " of " + (buffer.isShared ? "the block's " : "a buffer of ") +
         std::to_string(within.end - within.begin);
}
