// Of the folder that gpu.sh makes: collectives of one rank by the plug-ins that
// programs have, since a machine may have one GPU. Needs nothing but C's and
// C++'s library.
//
//   nccl FOLDER   where the plug-ins are. Status 0: values are right, 1: one is
//                 wrong, 3: something is missing
#include "tapestry-rt/Backend.h"
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

using namespace tapestry::rt;

namespace {

class OneRank final : public Transport {
public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  int ranksOnHost() const override { return 1; }
  bool sharesMemory() const override { return true; }
  bool stopped() const override { return false; }
  bool allowsThreads() const override { return false; }
  Outcome exchange(const Label &, const Outgoing *, size_t, const Incoming *,
                   size_t, Receiver &, TransportError &) override {
    return Outcome::Done;
  }
  void abort(int, const char *) override {}
};

template <typename Function>
auto openPlugin(const std::string &path, const char *entry, uint32_t version,
                TransportError &error)
    -> decltype(std::declval<Function>()(version, &error)) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  auto open =
      library ? reinterpret_cast<Function>(dlsym(library, entry)) : nullptr;
  if (open)
    return open(version, &error);
  snprintf(error.text, sizeof(error.text), "%s", dlerror());
  return nullptr;
}

/// A collective of one rank leaves what it is given.
bool isRight(BackendCollectives &collectives, Device &device, int32_t kind,
             const char *name, TransportError &error) {
  constexpr int64_t count = 1000;
  const int member = 0;
  const TapestryRange whole = {0, count};
  GroupCollective group = {};
  group.what = name;
  group.kind = kind;
  group.monoid = TAPESTRY_MONOID_ADD;
  group.dtype = TAPESTRY_F32;
  group.space = TAPESTRY_CUDA;
  group.members = &member;
  group.size = 1;
  group.tensorRank = group.targets = 1;
  group.source = group.target = &whole;
  std::vector<float> values(count), got(count, 0);
  for (int64_t i = 0; i < count; ++i)
    values[i] = 0.5f * float(i) - 7;
  constexpr int64_t bytes = count * int64_t(sizeof(float));
  void *source = device.allocate(bytes, error);
  void *target = device.allocate(bytes, error);
  std::unique_ptr<WholeCollective> made;
  // Of an exchange, what a rank keeps is in its place already.
  bool done =
      source && target && device.copyIn(source, values.data(), bytes, error) &&
      device.copyIn(target,
                    kind == TAPESTRY_ALL_GATHER ? values.data() : got.data(),
                    bytes, error) &&
      collectives.prepare(group, made, error) == Outcome::Done && made &&
      made->run(source, target, nullptr, error) == Outcome::Done &&
      device.copyOut(got.data(), target, bytes, error);
  device.free(source);
  device.free(target);
  if (done && got == values)
    return true;
  printf("nccl: %s of one rank is wrong: %s\n", name,
         done ? "other values" : error.text);
  return false;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  const std::string start = std::string(argv[1]) + "/libtapestry-rt-";
  TransportError error;
  auto *driver = openPlugin<OpenDevicesFn>(start + "cuda.so", deviceEntryName,
                                           deviceVersion, error);
  std::unique_ptr<Device> device(
      driver && driver->count() > 0 ? driver->open(0, error) : nullptr);
  auto *library = device ? openPlugin<OpenCollectivesFn>(start + "nccl.so",
                                                         collectivesEntryName,
                                                         backendVersion, error)
                         : nullptr;
  if (!library) {
    printf("nccl: not here: %s\n", error.text);
    return 3;
  }
  OneRank transport;
  std::unique_ptr<BackendCollectives> collectives(
      library->open(transport, *device, error));
  bool good = collectives != nullptr;
  for (auto [kind, name] :
       {std::pair(TAPESTRY_ALL_REDUCE, "all_reduce"),
        std::pair(TAPESTRY_REDUCE_SCATTER, "reduce_scatter"),
        std::pair(TAPESTRY_ALL_GATHER, "all_gather")})
    good = good && isRight(*collectives, *device, kind, name, error);
  if (good)
    printf("nccl: all_reduce, reduce_scatter and all_gather of one rank are "
           "right\n");
  return good ? 0 : 1;
}
