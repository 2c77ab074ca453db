//===- Links.h - How ranks of the tests' NCCL reach each other --*- C++ -*-===//
//
// A socket between every two ranks of a communicator, threads and processes
// alike.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_STUB_LINKS_H
#define TAPESTRY_STUB_LINKS_H

#include <string>
#include <vector>

namespace tapestry {
namespace stub {

class Links {
public:
  ~Links();

  /// Meets all ranks that know `name`; false with a reason. The device that a
  /// rank drives is no other's.
  bool open(const std::string &name, int rank, int size, int device,
            std::string &why);
  /// Nothing goes on from now on; by any thread.
  void shut();

  /// What goes to a rank and comes from it, and how much of it has so far.
  struct Traffic {
    std::vector<char> out, in;
    size_t sent = 0, received = 0;

    bool isDone() const { return sent == out.size() && received == in.size(); }
  };
  enum class Progress { Done, UnderWay, Lost };
  /// Waits some milliseconds for what can be moved, and moves that. `peer` is
  /// who is lost, or waited for.
  Progress advance(std::vector<Traffic> &traffic, int &peer);

private:
  std::vector<int> sockets; ///< per rank; -1: none
};

} // namespace stub
} // namespace tapestry

#endif // TAPESTRY_STUB_LINKS_H
