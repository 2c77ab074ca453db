//===- InFlight.h - What a device may not have done yet ---------*- C++ -*-===//
//
// A device computes behind the program that tells it what to do: when it fails,
// that has gone on. Kept here are the vertices whose kernels were launched
// since the device was last known to be done; collectives that it is at have
// numbers of their own.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_RUN_INFLIGHT_H
#define TAPESTRY_RT_RUN_INFLIGHT_H

#include <cstdint>
#include <deque>
#include <string>

namespace tapestry {
namespace rt {

class InFlight {
public:
  static int64_t ofCollective(int64_t index) { return -2 - index; }
  static int64_t collectiveOf(int64_t number) { return -2 - number; }

  /// A kernel of the vertex was launched.
  void launch(int64_t vertex) {
    if (isMarked) {
      vertices.push_back(vertex);
      ++end;
      isMarked = false;
    }
    if (vertices.size() > most)
      vertices.pop_front();
  }
  /// The program goes on with another vertex. Returns the number of what was
  /// launched since the last one, or -1.
  int64_t mark() {
    if (isMarked)
      return -1;
    isMarked = true;
    return end - 1;
  }
  /// All up to what has this number is done.
  void reach(int64_t number) {
    while (!vertices.empty() &&
           end - static_cast<int64_t>(vertices.size()) <= number) {
      ended = vertices.front();
      vertices.pop_front();
    }
  }
  /// The device has nothing left to do.
  void settle() {
    reach(end - 1);
    isMarked = true;
  }

  /// "behind vertex 'A', with 'B' and 'C' in flight".
  template <typename NameOf> std::string describe(NameOf nameOf) const {
    std::string text = ended == -1 ? std::string("before any vertex has ended")
                                   : "behind vertex " + quoted(nameOf(ended));
    if (vertices.empty())
      return text;
    text += ", with ";
    size_t count = vertices.size();
    size_t named = count > mostNames + 1 ? mostNames : count;
    for (size_t at = 0; at < named; ++at)
      text += (at == 0                             ? ""
               : at + 1 == count && count == named ? " and "
                                                   : ", ") +
              quoted(nameOf(vertices[at]));
    if (named < count)
      text += " and " + std::to_string(count - named) + " more";
    return text + " in flight";
  }

private:
  static std::string quoted(const char *name) {
    return std::string("'") + name + "'";
  }

  static constexpr size_t most = 4096, mostNames = 4;
  /// The last of them has the number `end` - 1.
  std::deque<int64_t> vertices;
  int64_t end = 0;
  int64_t ended = -1;
  bool isMarked = true;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_INFLIGHT_H
