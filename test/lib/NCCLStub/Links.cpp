//===- Links.cpp - How ranks of the tests' NCCL reach each other ----------===//

#include "NCCLStub/Links.h"
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace tapestry::stub;

// How long ranks wait for each other when they meet.
static constexpr int patienceSeconds = 20;

namespace {
struct Hello {
  int32_t rank, size, device;
};
} // namespace

/// A name that no file has, and that goes with the socket.
static socklen_t addressOf(const std::string &name, int rank,
                           sockaddr_un &address) {
  std::string text = name + "-" + std::to_string(rank);
  address = {};
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path + 1, text.data(), text.size());
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                text.size());
}

static int openSocket() {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  timeval patience = {patienceSeconds, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  return fd;
}

static int reach(const std::string &name, int rank) {
  sockaddr_un address;
  socklen_t length = addressOf(name, rank, address);
  for (int turn = 0; turn < patienceSeconds * 1000; ++turn) {
    int fd = openSocket();
    if (connect(fd, reinterpret_cast<sockaddr *>(&address), length) == 0)
      return fd;
    ::close(fd);
    usleep(1000);
  }
  return -1;
}

bool Links::open(const std::string &name, int rank, int size, int device,
                 std::string &why) {
  sockets.assign(size, -1);
  sockaddr_un address;
  socklen_t length = addressOf(name, rank, address);
  int door = openSocket();
  bool isOpen =
      bind(door, reinterpret_cast<sockaddr *>(&address), length) == 0 &&
      listen(door, size) == 0;
  if (!isOpen)
    why = "two ranks are rank " + std::to_string(rank);
  const Hello own = {rank, size, device};
  for (int number = 0; isOpen && number < size - 1; ++number) {
    int fd = number < rank ? reach(name, number)
                           : accept4(door, nullptr, nullptr, SOCK_CLOEXEC);
    Hello hello = {-1, 0, 0};
    if (fd < 0 || send(fd, &own, sizeof(own), MSG_NOSIGNAL) != sizeof(own) ||
        recv(fd, &hello, sizeof(hello), MSG_WAITALL) != sizeof(hello) ||
        hello.rank < 0 || hello.rank >= size || sockets[hello.rank] >= 0)
      why = "a rank does not come";
    else if (hello.size != size)
      why = "ranks of " + std::to_string(size) + " and of " +
            std::to_string(hello.size);
    else if (hello.device == device)
      why = "Duplicate GPU detected : rank " + std::to_string(rank) +
            " and rank " + std::to_string(hello.rank);
    if (!why.empty()) {
      ::close(fd);
      break;
    }
    sockets[hello.rank] = fd;
    fcntl(fd, F_SETFL, O_NONBLOCK);
  }
  ::close(door);
  return why.empty();
}

Links::~Links() {
  for (int fd : sockets)
    if (fd >= 0)
      ::close(fd);
}

void Links::shut() {
  for (int fd : sockets)
    if (fd >= 0)
      shutdown(fd, SHUT_RDWR);
}

Links::Progress Links::advance(std::vector<Traffic> &traffic, int &peer) {
  std::vector<pollfd> polls;
  std::vector<int> peers;
  for (size_t rank = 0; rank < traffic.size(); ++rank) {
    Traffic &with = traffic[rank];
    if (with.isDone())
      continue;
    short events =
        static_cast<short>((with.sent < with.out.size() ? POLLOUT : 0) |
                           (with.received < with.in.size() ? POLLIN : 0));
    polls.push_back({sockets[rank], events, 0});
    peers.push_back(static_cast<int>(rank));
  }
  if (polls.empty())
    return Progress::Done;
  poll(polls.data(), polls.size(), 20);
  for (size_t i = 0; i < polls.size(); ++i) {
    peer = peers[i];
    Traffic &with = traffic[peer];
    if (polls[i].events & polls[i].revents & POLLOUT) {
      ssize_t bytes = send(sockets[peer], with.out.data() + with.sent,
                           with.out.size() - with.sent, MSG_NOSIGNAL);
      if (bytes < 0 && errno != EAGAIN)
        return Progress::Lost;
      with.sent += bytes > 0 ? bytes : 0;
    }
    if (polls[i].revents & (POLLIN | POLLHUP | POLLERR)) {
      ssize_t bytes = recv(sockets[peer], with.in.data() + with.received,
                           with.in.size() - with.received, 0);
      bool wanted = with.received < with.in.size();
      if (wanted && (bytes == 0 || (bytes < 0 && errno != EAGAIN)))
        return Progress::Lost;
      with.received += bytes > 0 ? bytes : 0;
    }
  }
  return Progress::UnderWay;
}
