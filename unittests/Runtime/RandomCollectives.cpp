//===- RandomCollectives.cpp - Collectives of every kind ------------------===//

#include "RandomCollectives.h"
#include "Testing.h"
#include <algorithm>
#include <list>
#include <set>

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

namespace {
/// A grid of devices, the last axis varying fastest.
struct Grid {
  std::vector<int> axes;

  explicit Grid(int devices, std::mt19937 &random) {
    for (int left = devices; left > 1;) {
      std::vector<int> divisors;
      for (int d = 2; d <= left; ++d)
        if (left % d == 0)
          divisors.push_back(d);
      axes.push_back(divisors[random() % divisors.size()]);
      left /= axes.back();
    }
  }

  std::set<int> someAxes(std::mt19937 &random) const {
    std::set<int> some;
    for (size_t axis = 0; axis < axes.size(); ++axis)
      if (random() % 2)
        some.insert(static_cast<int>(axis));
    return some;
  }

  /// The device's coordinates on `some` axes as one number, and how many such
  /// numbers there are.
  std::pair<int, int> position(int device, const std::set<int> &some) const {
    int number = 0, of = 1, scale = 1;
    for (int axis = static_cast<int>(axes.size()) - 1; axis >= 0; --axis) {
      int coordinate = device % axes[axis];
      device /= axes[axis];
      if (!some.count(axis))
        continue;
      number += coordinate * scale;
      scale *= axes[axis];
      of *= axes[axis];
    }
    return {number, of};
  }
  std::set<int> without(const std::set<int> &some) const {
    std::set<int> others;
    for (size_t axis = 0; axis < axes.size(); ++axis)
      if (!some.count(static_cast<int>(axis)))
        others.insert(static_cast<int>(axis));
    return others;
  }
};
} // namespace

/// Dimension `dim` of `box` in `parts` blocks, of which number `index`.
static Box cut(Box box, int dim, std::pair<int, int> place) {
  Range part = block(extent(box[dim]), place.second, place.first);
  int64_t lo = box[dim].lo;
  box[dim] = {lo + part.lo, lo + part.hi};
  return box;
}

RandomCollectives::Case
RandomCollectives::randomCase(std::mt19937 &random) const {
  Case item;
  item.kind = static_cast<int32_t>(random() % 4);
  item.type = allCombinations()[random() % allCombinations().size()];
  item.inPlace = item.kind == TAPESTRY_ALL_REDUCE && random() % 3 == 0;
  auto rank = 1 + static_cast<int>(random() % 3);
  // Some fill more than one of a back end's messages.
  int64_t most = random() % 8 == 0 ? 60 : 9;
  for (int dim = 0; dim < rank; ++dim)
    item.shape.push_back(1 + int64_t(random()) % most);
  Box whole = boxOfShape(item.shape);
  auto dim = static_cast<int>(random() % rank);
  auto other = static_cast<int>(random() % rank);

  Grid grid(devices, random);
  std::set<int> some = grid.someAxes(random);
  std::set<int> others = grid.without(some);
  for (int device = 0; device < devices; ++device) {
    std::pair<int, int> inside = grid.position(device, some);
    std::pair<int, int> outside = grid.position(device, others);
    switch (item.kind) {
    case TAPESTRY_ALL_REDUCE: // groups over `some`, the others cut the tensor
    case TAPESTRY_REDUCE_SCATTER:
      item.groupOf.push_back(outside.first);
      item.source.push_back(cut(whole, dim, outside));
      item.target.push_back(item.kind == TAPESTRY_ALL_REDUCE
                                ? item.source.back()
                                : cut(item.source.back(), other, inside));
      break;
    case TAPESTRY_ALL_GATHER: // `some` leave a dimension, the others cut on
      item.replicaOf.push_back(0);
      item.target.push_back(cut(whole, other, outside));
      item.source.push_back(cut(item.target.back(), dim, inside));
      break;
    default: // `some` cut the source, the others hold replicas
      item.replicaOf.push_back(outside.first);
      item.source.push_back(cut(whole, dim, inside));
      item.target.push_back(randomBox(item.shape, random));
    }
  }
  return item;
}

//===----------------------------------------------------------------------===//
// What must happen
//===----------------------------------------------------------------------===//

int64_t RandomCollectives::Case::moved(int from, int to) const {
  if (from == to || replicaOf[from] != replicaOf[to])
    return 0;
  return volume(intersect(source[from], target[to]));
}

/// What the runtime's own algorithms send.
int64_t RandomCollectives::Case::sentElements() const {
  auto devices = static_cast<int>(source.size());
  auto group = static_cast<int64_t>(membersOf(0).size());
  int64_t elements = 0;
  for (int device = 0; device < devices; ++device) {
    if (kind == TAPESTRY_ALL_REDUCE)
      elements += 2 * (group - 1) * volume(source[device]);
    else if (kind == TAPESTRY_REDUCE_SCATTER)
      elements += (group - 1) * volume(target[device]);
    for (int other = 0; !reduces() && other < devices; ++other)
      elements += moved(device, other);
  }
  return kind == TAPESTRY_ALL_REDUCE ? elements / group : elements;
}

bool RandomCollectives::Case::talks(int a, int b) const {
  if (reduces())
    return groupOf[a] == groupOf[b];
  return moved(a, b) > 0 || moved(b, a) > 0;
}

/// The devices that talk to each other, directly or not.
std::vector<int> RandomCollectives::Case::membersOf(int device) const {
  std::set<int> members = {device};
  for (size_t before = 0; before != members.size();) {
    before = members.size();
    for (int member : std::set<int>(members))
      for (size_t b = 0; b < source.size(); ++b)
        if (talks(member, static_cast<int>(b)))
          members.insert(static_cast<int>(b));
  }
  return {members.begin(), members.end()};
}

bool RandomCollectives::Case::gathersStretches(
    const std::vector<int> &members) const {
  const Box &whole = target[members[0]];
  std::vector<int64_t> all;
  forEachPoint(shape, whole, [&](int64_t offset) { all.push_back(offset); });
  for (int member : members) {
    if (!samePoints(whole, target[member]) || !contains(whole, source[member]))
      return false;
    std::vector<int64_t> part;
    forEachPoint(shape, source[member],
                 [&](int64_t offset) { part.push_back(offset); });
    if (!part.empty() && std::search(all.begin(), all.end(), part.begin(),
                                     part.end()) == all.end())
      return false;
  }
  return true;
}

std::vector<int64_t> RandomCollectives::payloads() const {
  std::vector<int64_t> all;
  for (const Case &item : cases) {
    int64_t elements = 0;
    for (int device = 0; device < devices; ++device) {
      std::vector<int> members = item.membersOf(device);
      bool handsAll = item.reduces() || (item.kind == TAPESTRY_ALL_GATHER &&
                                         item.gathersStretches(members));
      if (handsAll && members.size() > 1)
        elements += volume(item.source[device]);
      for (int other = 0; !handsAll && other < devices; ++other)
        elements += item.moved(device, other);
    }
    all.push_back(elements * item.type.elementSize);
  }
  return all;
}

std::string RandomCollectives::tensor(const Case &item, int number,
                                      int device) const {
  std::mt19937 random(seed * 1009 + number * 31 +
                      (item.reduces() ? device + 1 : 0));
  int64_t count = volume(boxOfShape(item.shape));
  std::string bytes(count * item.type.elementSize, '\0');
  item.type.fill(bytes.data(), count, random);
  return bytes;
}

static std::string extractBytes(const std::string &tensor,
                                const std::vector<int64_t> &shape, BoxRef box,
                                int64_t elementSize) {
  std::string part;
  forEachPoint(shape, box, [&](int64_t offset) {
    part.append(tensor, offset * elementSize, elementSize);
  });
  return part;
}

std::string RandomCollectives::expected(const Case &item, int number,
                                        int device) const {
  std::string whole = tensor(item, number, device);
  if (item.reduces())
    for (int member : item.membersOf(device))
      if (member != device) {
        std::string others = tensor(item, number, member);
        item.type.combine(whole.data(), others.data(),
                          volume(boxOfShape(item.shape)));
      }
  return extractBytes(whole, item.shape, item.target[device],
                      item.type.elementSize);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

RandomCollectives::RandomCollectives(int devices, int count, unsigned seed,
                                     size_t most)
    : program(devices), devices(devices), seed(seed) {
  std::mt19937 random(seed);
  for (int number = 0; number < count; ++number) {
    cases.push_back(randomCase(random));
    const Case &item = cases.back();
    std::string name = "X" + std::to_string(number);
    int64_t bytes = item.sentElements() * item.type.elementSize;
    if (item.reduces())
      program.reduction(item.kind, name, item.type.dtype, item.source,
                        item.target, item.groupOf,
                        static_cast<int32_t>(item.membersOf(0).size()),
                        item.type.combine, bytes, item.type.monoid);
    else
      program.exchange(item.kind, name, item.type.dtype, item.source,
                       item.target, item.replicaOf, bytes);
  }
  program.body = [this, most](TapestryRank *rank, const void *const *,
                              void *const *) {
    if (most > 1)
      runTogether(rank, most);
    else
      runInTurn(rank);
  };
}

RandomCollectives::Call RandomCollectives::prepare(int number,
                                                   int device) const {
  const Case &item = cases[number];
  std::string held = extractBytes(tensor(item, number, device), item.shape,
                                  item.source[device], item.type.elementSize);
  std::string got(volume(item.target[device]) * item.type.elementSize, '\x55');
  if (item.inPlace)
    got = held;
  return {number, std::move(held), std::move(got)};
}

/// A failure does not return from the runtime and leaks what callers hold.
void RandomCollectives::check(TapestryRank *rank, const Call &call) const {
  const Case &item = cases[call.number];
  auto device = static_cast<int>(tapestry_rt_device(rank));
  if (call.got == expected(item, call.number, device))
    return;
  std::string text = "collective " + std::to_string(call.number) + " of kind " +
                     std::to_string(item.kind) + ", type " +
                     std::to_string(item.type.dtype) + ", monoid " +
                     std::to_string(item.type.monoid) + ": wrong on device " +
                     std::to_string(device);
  tapestry_rt_fail(rank, text.c_str());
}

void RandomCollectives::runInTurn(TapestryRank *rank) const {
  auto device = static_cast<int>(tapestry_rt_device(rank));
  for (size_t number = 0; number < cases.size(); ++number) {
    Call call = prepare(static_cast<int>(number), device);
    tapestry_rt_collective(rank, call.number,
                           call.source(cases[number].inPlace), call.target());
    check(rank, call);
  }
}

/// Ranks wait for what they like, but start in one order.
void RandomCollectives::runTogether(TapestryRank *rank, size_t most) const {
  auto device = static_cast<int>(tapestry_rt_device(rank));
  std::mt19937 common(seed), random(seed * 31 + device);
  std::list<Call> calls;
  auto finish = [&](std::list<Call>::iterator call) {
    tapestry_rt_wait(rank, call->number,
                     call->source(cases[call->number].inPlace), call->target());
    check(rank, *call);
    calls.erase(call);
  };
  for (size_t number = 0; number < cases.size(); ++number) {
    calls.push_back(prepare(static_cast<int>(number), device));
    Call &call = calls.back();
    const void *source = call.source(cases[number].inPlace);
    // Some are not started, and come behind those that are.
    if (common() % 8 == 0) {
      tapestry_rt_collective(rank, call.number, source, call.target());
      check(rank, call);
      calls.pop_back();
    } else {
      tapestry_rt_start(rank, call.number, source, call.target());
    }
    if (common() % 16 == 0)
      tapestry_rt_point(rank);
    while (calls.size() >= most)
      finish(std::next(calls.begin(),
                       static_cast<int64_t>(random() % calls.size())));
  }
  while (!calls.empty())
    finish(calls.begin());
}
