//===- NCCL.cpp - NCCL between GPUs that are none -------------------------===//
//
// libnccl.so.2 for tests: what the plug-in libtapestry-rt-nccl.so calls, on the
// memory and the streams of the tests' driver (CUDAStub). Every call goes to
// all ranks that it concerns with what it says of itself, so that calls that do
// not match are an error.
//
//===----------------------------------------------------------------------===//

#include "CUDAStub/Streams.h"
#include "NCCL/NCCLAPI.h"
#include "NCCLStub/Combine.h"
#include "NCCLStub/Links.h"
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <unistd.h>

using namespace tapestry::rt::nccl;
namespace cuda = tapestry::rt::cuda;
namespace stub = tapestry::stub;

struct tapestry::rt::nccl::ncclComm {
  int rank = 0, size = 1, device = 0;
  stub::Links links;
  int calls = 0;
  /// What it has come to; nothing goes on then.
  std::atomic<Result> broken{0};
  std::atomic<bool> isAborted{false};
};

namespace {

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

template <typename Function> Function inDriver(const char *name) {
  static void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  void *found = driver ? dlsym(driver, name) : nullptr;
  if (!found) {
    fprintf(stderr, "NCCL stub: the driver is not the tests': no %s\n", name);
    abort();
  }
  return reinterpret_cast<Function>(found);
}

int deviceOf(cuda::Stream stream) {
  static auto ask = inDriver<stub::DeviceFn>(stub::deviceName);
  return ask(stream);
}

/// The driver knows what is memory of a device. Of no stream, which this may be
/// a part of.
bool copyOut(std::vector<char> &to, const void *from, size_t bytes) {
  static auto copy =
      inDriver<cuda::Result (*)(void *, cuda::DevicePointer, size_t,
                                cuda::Stream)>("cuMemcpyDtoHAsync_v2");
  to.resize(bytes);
  return bytes == 0 ||
         copy(to.data(), reinterpret_cast<cuda::DevicePointer>(from), bytes,
              nullptr) == 0;
}

bool copyIn(void *to, const char *from, size_t bytes) {
  static auto copy =
      inDriver<cuda::Result (*)(cuda::DevicePointer, const void *, size_t,
                                cuda::Stream)>("cuMemcpyHtoDAsync_v2");
  return bytes == 0 || copy(reinterpret_cast<cuda::DevicePointer>(to), from,
                            bytes, nullptr) == 0;
}

//===----------------------------------------------------------------------===//
// Faults on purpose
//===----------------------------------------------------------------------===//

/// TAPESTRY_STUB_NCCL_FAULT="rank=1,call=2,mode=refuse": what becomes of a call
/// of a rank of a communicator, counted from 0.
/// - refuse: it is not taken
/// - lost: it never ends, which NCCL knows, here and elsewhere
/// - kill, stop: the process dies, or stops
/// - init: the communicator is not made
bool strikes(const char *mode, int rank, int call) {
  static const char *text = getenv("TAPESTRY_STUB_NCCL_FAULT");
  int planned = 0, plannedCall = 0;
  char plannedMode[16] = "";
  return text &&
         sscanf(text, "rank=%d,call=%d,mode=%15s", &planned, &plannedCall,
                plannedMode) == 3 &&
         strcmp(mode, plannedMode) == 0 && rank == planned &&
         call == plannedCall;
}

thread_local std::string lastError;

Result refuse(Result result, const std::string &why) {
  lastError = why;
  return result;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

enum Kind : int32_t { AllReduce, Reduce, ReduceScatter, AllGather, Message };

/// What a call says of itself to other ranks.
struct Header {
  int32_t kind, type, operation, root;
  uint64_t count;

  bool operator==(const Header &other) const {
    return memcmp(this, &other, sizeof(other)) == 0;
  }
  std::string text() const {
    static const char *names[] = {"all_reduce", "reduce", "reduce_scatter",
                                  "all_gather", "message"};
    return std::string(names[kind]) + " of " + std::to_string(count) +
           " elements of type " + std::to_string(type) +
           (operation < 0 ? "" : " by " + std::to_string(operation)) +
           (root < 0 ? "" : " to " + std::to_string(root));
  }
};

struct Call {
  Header header;
  Comm comm;
  const void *source; ///< null: there is nothing to send
  void *target;       ///< null: nothing comes
  int peer;           ///< -1: all
  Stream stream;

  size_t bytes() const { return header.count * stub::sizeOf(header.type); }
};

/// Of rank 0 of communicators, where TAPESTRY_STUB_NCCL_LOG names a file.
void log(const Call &call) {
  static const char *path = getenv("TAPESTRY_STUB_NCCL_LOG");
  if (!path || call.comm->rank != 0)
    return;
  if (FILE *file = fopen(path, "a")) {
    std::string direction = call.peer < 0 ? ""
                            : call.source ? " sent"
                                          : " received";
    fprintf(file, "%s%s\n", call.header.text().c_str(), direction.c_str());
    fclose(file);
  }
}

thread_local int depth = 0;
thread_local std::vector<Call> grouped;

/// What one communicator does of a group of calls.
class GroupWork final : public stub::Work {
public:
  GroupWork(Comm comm, std::vector<Call> calls)
      : comm(comm), calls(std::move(calls)) {}
  void run() override;
  bool isStuck() const override { return comm->broken && !comm->isAborted; }

private:
  void start();
  void finish();
  /// What has come from a rank so far is to be of the calls that are expected.
  void match(int peer);
  void breakDown(Result result, const std::string &why);
  /// Of what a call sends, the part for a rank; and how much comes from it.
  std::pair<size_t, size_t> sentTo(const Call &call, int peer) const;
  size_t comingFrom(const Call &call, int peer) const;
  void combine(const Call &call, const std::vector<const char *> &parts);

  Comm comm;
  std::vector<Call> calls;
  std::vector<std::vector<char>> data; ///< what calls read
  std::vector<stub::Links::Traffic> traffic;
};

void GroupWork::breakDown(Result result, const std::string &why) {
  if (comm->broken)
    return;
  fprintf(stderr, "NCCL stub: rank %d of %d: %s\n", comm->rank, comm->size,
          why.c_str());
  comm->broken = result;
  comm->links.shut();
}

std::pair<size_t, size_t> GroupWork::sentTo(const Call &call, int peer) const {
  if (!call.source || (call.peer >= 0 && call.peer != peer) ||
      (call.header.kind == Reduce && call.header.root != peer))
    return {0, 0};
  return {call.header.kind == ReduceScatter ? peer * call.bytes() : 0,
          call.bytes()};
}

size_t GroupWork::comingFrom(const Call &call, int peer) const {
  if (!call.target || (call.peer >= 0 && call.peer != peer) ||
      (call.header.kind == Reduce && call.header.root != comm->rank))
    return 0;
  return call.bytes();
}

void GroupWork::start() {
  traffic.resize(comm->size);
  data.resize(calls.size());
  for (size_t number = 0; number < calls.size(); ++number) {
    const Call &call = calls[number];
    size_t all = call.header.kind == ReduceScatter ? comm->size : 1;
    if (call.source && !copyOut(data[number], call.source, call.bytes() * all))
      return breakDown(unhandledCUDAError,
                       "what is sent is no device's memory");
    for (int peer = 0; peer < comm->size; ++peer) {
      if (peer == comm->rank && call.peer < 0)
        continue;
      auto &[out, in, sent, received] = traffic[peer];
      auto [begin, bytes] = sentTo(call, peer);
      const auto *header = reinterpret_cast<const char *>(&call.header);
      bool isTold = call.peer < 0 || call.peer == peer;
      if (isTold && (call.source || call.peer < 0)) {
        out.insert(out.end(), header, header + sizeof(Header));
        out.insert(out.end(), data[number].begin() + begin,
                   data[number].begin() + begin + bytes);
      }
      if (isTold && (call.target || call.peer < 0))
        in.resize(in.size() + sizeof(Header) + comingFrom(call, peer));
    }
  }
}

void GroupWork::match(int peer) {
  const stub::Links::Traffic &with = traffic[peer];
  size_t at = 0;
  for (const Call &call : calls) {
    bool isTold = call.peer < 0 || (call.peer == peer && call.target);
    if (!isTold)
      continue;
    if (at + sizeof(Header) > with.received)
      return;
    Header other;
    memcpy(&other, with.in.data() + at, sizeof(other));
    if (!(other == call.header))
      return breakDown(invalidUsage, call.header.text() + ", but rank " +
                                         std::to_string(peer) + " has " +
                                         other.text());
    at += sizeof(Header) + comingFrom(call, peer);
  }
}

void GroupWork::combine(const Call &call,
                        const std::vector<const char *> &parts) {
  std::vector<char> result(call.bytes());
  if (call.header.kind == AllGather) {
    result.clear();
    for (const char *part : parts)
      result.insert(result.end(), part, part + call.bytes());
  } else if (call.header.kind == Message) {
    result.assign(parts[call.peer], parts[call.peer] + call.bytes());
  } else {
    // In the order of the ranks.
    result.assign(parts[0], parts[0] + call.bytes());
    for (int rank = 1; rank < comm->size; ++rank)
      stub::combine(call.header.type, call.header.operation, result.data(),
                    parts[rank], call.header.count);
  }
  if (!copyIn(call.target, result.data(), result.size()))
    breakDown(unhandledCUDAError, "the result is no device's memory");
}

void GroupWork::finish() {
  std::vector<size_t> at(comm->size, 0);
  for (size_t number = 0; number < calls.size(); ++number) {
    const Call &call = calls[number];
    std::vector<const char *> parts(comm->size, nullptr);
    for (int peer = 0; peer < comm->size; ++peer) {
      bool isOwn = peer == comm->rank && call.peer < 0;
      if (isOwn)
        parts[peer] =
            data[number].data() +
            (call.header.kind == ReduceScatter ? peer * call.bytes() : 0);
      else if (call.peer < 0 || (call.peer == peer && call.target)) {
        parts[peer] = traffic[peer].in.data() + at[peer] + sizeof(Header);
        at[peer] += sizeof(Header) + comingFrom(call, peer);
      }
    }
    bool hasResult = call.target && (call.header.kind != Reduce ||
                                     call.header.root == comm->rank);
    if (hasResult)
      combine(call, parts);
  }
}

void GroupWork::run() {
  // As over a slow network: whoever does not wait for it is ahead.
  static const char *slow = getenv("TAPESTRY_STUB_NCCL_SLOW");
  if (slow)
    usleep(static_cast<useconds_t>(atoi(slow)) * 1000);
  if (!comm->broken)
    start();
  for (time_t begin = time(nullptr); !comm->broken;) {
    int peer = 0;
    auto progress = comm->links.advance(traffic, peer);
    for (int other = 0; other < comm->size && !comm->broken; ++other)
      match(other);
    if (comm->broken)
      return;
    if (progress == stub::Links::Progress::Done)
      return finish();
    if (progress == stub::Links::Progress::Lost)
      breakDown(remoteError, "rank " + std::to_string(peer) + " is lost");
    else if (time(nullptr) - begin > 20)
      breakDown(systemError, "rank " + std::to_string(peer) + " does not come");
  }
}

Result endGroup() {
  std::vector<Call> calls;
  calls.swap(grouped);
  while (!calls.empty()) {
    Comm comm = calls.front().comm;
    Stream stream = calls.front().stream;
    std::vector<Call> own, others;
    for (Call &call : calls)
      (call.comm == comm ? own : others).push_back(call);
    calls.swap(others);
    static auto tell = inDriver<stub::TellFn>(stub::tellName);
    tell(reinterpret_cast<cuda::Stream>(stream),
         new GroupWork(comm, std::move(own)));
  }
  return 0;
}

Result take(const Call &call) {
  Comm comm = call.comm;
  int number = comm->calls++;
  if (strikes("kill", comm->rank, number))
    raise(SIGKILL);
  if (strikes("stop", comm->rank, number))
    raise(SIGSTOP);
  if (strikes("refuse", comm->rank, number))
    return refuse(unhandledCUDAError, "a fault on purpose");
  if (strikes("lost", comm->rank, number)) {
    comm->broken = remoteError;
    comm->links.shut();
  }
  if (comm->broken && !strikes("lost", comm->rank, number))
    return refuse(comm->broken, "the communicator is broken");
  if (!call.stream ||
      deviceOf(reinterpret_cast<cuda::Stream>(call.stream)) != comm->device)
    return refuse(invalidUsage, "the stream is none of the communicator's GPU");
  if (call.peer >= comm->size || call.peer == comm->rank)
    return refuse(invalidArgument, "there is no such peer");
  if (stub::sizeOf(call.header.type) == 0 || call.header.operation > Min)
    return refuse(invalidArgument, "there is no such type or operation");
  for (const Call &other : grouped)
    if (other.comm == comm && other.stream != call.stream)
      return refuse(invalidUsage, "calls of a group are told several streams");
  log(call);
  grouped.push_back(call);
  return depth == 0 ? endGroup() : 0;
}

} // namespace

//===----------------------------------------------------------------------===//
// NCCL's functions
//===----------------------------------------------------------------------===//

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Result ncclGetUniqueId(UniqueId *id) {
  static std::atomic<int> next{0};
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(id->bytes, sizeof(id->bytes), "tapestry-nccl-%d-%d-%lld-%ld",
           getpid(), next++, static_cast<long long>(now.tv_sec), now.tv_nsec);
  return 0;
}

EXPORT Result ncclCommInitRank(Comm *comm, int size, UniqueId id, int rank) {
  auto made = std::make_unique<ncclComm>();
  made->rank = rank;
  made->size = size;
  made->device = deviceOf(nullptr);
  if (made->device < 0 || rank < 0 || rank >= size)
    return refuse(invalidArgument, "no device, or no such rank");
  if (strikes("init", rank, 0))
    return refuse(systemError, "a fault on purpose");
  std::string why;
  if (!made->links.open(id.bytes, rank, size, made->device, why))
    return refuse(invalidUsage, why);
  *comm = made.release();
  return 0;
}

EXPORT Result ncclCommDestroy(Comm comm) {
  delete comm;
  return 0;
}

EXPORT Result ncclCommAbort(Comm comm) {
  // What is told streams knows it still.
  comm->broken = systemError;
  comm->isAborted = true;
  comm->links.shut();
  return 0;
}

EXPORT Result ncclCommGetAsyncError(Comm comm, Result *error) {
  *error = comm->broken;
  return 0;
}

EXPORT Result ncclAllReduce(const void *source, void *target, size_t count,
                            Type type, Operation operation, Comm comm,
                            Stream stream) {
  return take({{AllReduce, type, operation, -1, count},
               comm,
               source,
               target,
               -1,
               stream});
}

EXPORT Result ncclReduce(const void *source, void *target, size_t count,
                         Type type, Operation operation, int root, Comm comm,
                         Stream stream) {
  return take({{Reduce, type, operation, root, count},
               comm,
               source,
               target,
               -1,
               stream});
}

EXPORT Result ncclReduceScatter(const void *source, void *target, size_t count,
                                Type type, Operation operation, Comm comm,
                                Stream stream) {
  return take({{ReduceScatter, type, operation, -1, count},
               comm,
               source,
               target,
               -1,
               stream});
}

EXPORT Result ncclAllGather(const void *source, void *target, size_t count,
                            Type type, Comm comm, Stream stream) {
  return take(
      {{AllGather, type, -1, -1, count}, comm, source, target, -1, stream});
}

EXPORT Result ncclSend(const void *source, size_t count, Type type, int peer,
                       Comm comm, Stream stream) {
  return take(
      {{Message, type, -1, -1, count}, comm, source, nullptr, peer, stream});
}

EXPORT Result ncclRecv(void *target, size_t count, Type type, int peer,
                       Comm comm, Stream stream) {
  return take(
      {{Message, type, -1, -1, count}, comm, nullptr, target, peer, stream});
}

EXPORT Result ncclGroupStart() {
  ++depth;
  return 0;
}

EXPORT Result ncclGroupEnd() {
  if (depth == 0)
    return refuse(invalidUsage, "the group has no start");
  return --depth == 0 ? endGroup() : 0;
}

EXPORT const char *ncclGetErrorString(Result result) {
  return result == unhandledCUDAError ? "unhandled cuda error"
         : result == systemError      ? "unhandled system error"
         : result == invalidArgument  ? "invalid argument"
         : result == invalidUsage     ? "invalid usage"
         : result == remoteError      ? "remote process exited or there was a "
                                        "network error"
                                      : "no error";
}

EXPORT const char *ncclGetLastError(Comm) { return lastError.c_str(); }
