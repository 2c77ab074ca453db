//===- Driver.cpp - A driver of GPUs that are none ------------------------===//
//
// libcuda.so.1 for tests: what the plug-in libtapestry-rt-cuda.so calls of
// CUDA's driver. Memory of its devices lies where the host cannot touch it but
// for copies and while kernels run, and holds NaN at first. Modules are objects
// of this machine (LowerToStub.cpp), which the system's linker makes libraries
// of; Emulator.cpp runs their functions.
//
//===----------------------------------------------------------------------===//

#include "CUDA/DriverAPI.h"
#include "Emulator.h"
#include "Streams.h"
#include "Watch.h"
#include "Work.h"
#include <algorithm>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <map>
#include <mutex>
#include <spawn.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tapestry::rt::cuda;

namespace {

constexpr Result invalidValue = 1, invalidImage = 200, notFound = 500,
                 tooManyResources = 701, launchFailed = 719;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// All devices' memory together.
class Memory {
public:
  /// Lets this process at it while one of these lives.
  class Access {
  public:
    Access() { memory().open(); }
    ~Access() { memory().close(); }
  };
  static Memory &memory() {
    static Memory &all = *new Memory;
    return all;
  }
  char *allocate(size_t bytes);
  bool free(char *at);
  /// Whether these bytes lie in one allocation.
  bool has(const char *at, size_t bytes);
  /// The allocation that it lies in.
  tapestry::stub::Stretch find(const char *at);

private:
  Memory();
  void open();
  void close();

  static constexpr size_t size = size_t(4) << 30, alignment = 256;
  std::mutex mutex;
  char *base;
  int users = 0;
  /// What was asked for, and what is taken with the room behind it.
  struct Allocation {
    size_t bytes, taken;
  };
  std::map<char *, Allocation> allocations;
};

Memory::Memory() {
  void *got = mmap(nullptr, size, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED)
    abort();
  base = static_cast<char *>(got);
}

void Memory::open() {
  std::lock_guard<std::mutex> lock(mutex);
  if (users++ == 0)
    mprotect(base, size, PROT_READ | PROT_WRITE);
}

void Memory::close() {
  std::lock_guard<std::mutex> lock(mutex);
  if (--users == 0)
    mprotect(base, size, PROT_NONE);
}

char *Memory::allocate(size_t bytes) {
  Access access;
  std::lock_guard<std::mutex> lock(mutex);
  size_t wanted = (bytes + alignment - 1) / alignment * alignment + alignment;
  char *at = base;
  for (auto &[begin, allocation] : allocations) {
    if (begin - at >= static_cast<ptrdiff_t>(wanted))
      break;
    at = begin + allocation.taken;
  }
  if (at + wanted > base + size)
    return nullptr;
  allocations[at] = {bytes, wanted};
  memset(at, 0xff, wanted);
  return at;
}

bool Memory::free(char *at) {
  std::lock_guard<std::mutex> lock(mutex);
  return allocations.erase(at) == 1;
}

tapestry::stub::Stretch Memory::find(const char *at) {
  std::lock_guard<std::mutex> lock(mutex);
  auto next = allocations.upper_bound(const_cast<char *>(at));
  if (next == allocations.begin())
    return {};
  auto &[begin, allocation] = *--next;
  auto from = reinterpret_cast<uintptr_t>(begin);
  // One of nothing has a place, too.
  if (at > begin + allocation.bytes)
    return {};
  return {from, from + allocation.bytes};
}

bool Memory::has(const char *at, size_t bytes) {
  auto from = reinterpret_cast<uintptr_t>(at);
  return find(at).contains(from, from + bytes);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// An object has no length but what its header says: the table of sections is
/// its end.
size_t bytesOf(const Elf64_Ehdr &header) {
  return header.e_shoff + size_t(header.e_shnum) * header.e_shentsize;
}

bool run(const char *program, const char *const *arguments) {
  pid_t child;
  if (posix_spawnp(&child, program, nullptr, nullptr,
                   const_cast<char *const *>(arguments), environ) != 0)
    return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0;
}

/// A library that is made of an object.
void *load(const void *image) {
  auto header = static_cast<const Elf64_Ehdr *>(image);
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    return nullptr;
  const char *parent = getenv("TMPDIR");
  std::string folder =
      std::string(parent && *parent ? parent : "/tmp") + "/cuda-stub-XXXXXX";
  if (!mkdtemp(folder.data()))
    return nullptr;
  std::string object = folder + "/image.o", library = folder + "/image.so";
  void *handle = nullptr;
  if (FILE *file = fopen(object.c_str(), "wb")) {
    bool isWritten = fwrite(image, bytesOf(*header), 1, file) == 1;
    isWritten &= fclose(file) == 0;
    const char *arguments[] = {"ld",           "-shared", "-o", library.c_str(),
                               object.c_str(), nullptr};
    if (isWritten && run("ld", arguments))
      handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      fprintf(stderr, "CUDA stub: %s\n", dlerror());
  }
  unlink(object.c_str());
  unlink(library.c_str());
  rmdir(folder.c_str());
  return handle;
}

constexpr int maxDevices = 64;

int countDevices() {
  const char *text = getenv("TAPESTRY_STUB_DEVICES");
  return text && *text ? std::min(atoi(text), maxDevices) : 8;
}

//===----------------------------------------------------------------------===//
// Faults on purpose
//===----------------------------------------------------------------------===//

/// A device, whose faults all that it is asked afterwards returns.
struct GPU {
  int number = 0;
  std::atomic<int> launches{0};
  std::atomic<Result> fault{0};
};

thread_local GPU *current = nullptr;

tapestry::stub::StreamQueue *queueOf(Stream stream) {
  return reinterpret_cast<tapestry::stub::StreamQueue *>(stream);
}

/// What it is told next comes behind what goes on.
void settle(Stream stream) {
  if (stream)
    queueOf(stream)->settle();
}

/// What a stream was told up to here.
struct Mark {
  Result fault = 0;
  tapestry::stub::StreamQueue *queue = nullptr;
  uint64_t told = 0;
};

Result fault() { return current ? current->fault.load() : 0; }

/// TAPESTRY_STUB_FAULT="device=1,launch=4,mode=fault": what becomes of a
/// launch, counted from 0.
///   refuse  the driver does not take it
///   fault   it fails, which is seen when somebody waits for the device
///   told    the same, and later launches say so
///   kill    the process dies
struct PlannedFault {
  int device = 0, launch = 0;
  std::string mode;
};

const PlannedFault &planned() {
  static const PlannedFault fault = [] {
    PlannedFault result;
    char mode[16] = "";
    const char *text = getenv("TAPESTRY_STUB_FAULT");
    if (text && sscanf(text, "device=%d,launch=%d,mode=%15s", &result.device,
                       &result.launch, mode) == 3)
      result.mode = mode;
    return result;
  }();
  return fault;
}

bool strikes(GPU &gpu) {
  return gpu.launches++ == planned().launch && !planned().mode.empty() &&
         gpu.number == planned().device;
}

/// What the driver says to a launch, and whether that runs.
Result begin(bool &runs) {
  runs = false;
  if (fault())
    return planned().mode == "told" ? launchFailed : 0;
  runs = !strikes(*current);
  if (runs)
    return 0;
  if (planned().mode == "refuse")
    return tooManyResources;
  if (planned().mode == "kill")
    raise(SIGKILL);
  current->fault = launchFailed;
  return 0;
}

} // namespace

tapestry::stub::Stretch tapestry::stub::findAllocation(uintptr_t address) {
  return Memory::memory().find(reinterpret_cast<const char *>(address));
}

//===----------------------------------------------------------------------===//
// The driver's functions
//===----------------------------------------------------------------------===//

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Result cuInit(unsigned) {
  // What modules call lies here.
  Dl_info self;
  if (dladdr(reinterpret_cast<void *>(&cuInit), &self) != 0)
    dlopen(self.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  return 0;
}

EXPORT Result cuDeviceGetCount(int *count) {
  *count = countDevices();
  return 0;
}

EXPORT Result cuDeviceGet(DeviceNumber *device, int number) {
  *device = number;
  return number < countDevices() ? 0 : invalidValue;
}

EXPORT Result cuDeviceGetName(char *name, int length, DeviceNumber) {
  snprintf(name, length, "stub");
  return 0;
}

EXPORT Result cuDeviceGetAttribute(int *value, int, DeviceNumber) {
  *value = 0;
  return 0;
}

EXPORT Result cuDevicePrimaryCtxRetain(Context *context, DeviceNumber device) {
  static GPU all[maxDevices];
  all[device].number = device;
  *context = reinterpret_cast<Context>(&all[device]);
  return 0;
}

EXPORT Result cuCtxSetCurrent(Context context) {
  current = reinterpret_cast<GPU *>(context);
  return 0;
}

EXPORT Result cuModuleLoadDataEx(Module *module, const void *image, unsigned,
                                 int *, void **) {
  void *library = load(image);
  *module = static_cast<Module>(library);
  return library ? 0 : invalidImage;
}

EXPORT Result cuModuleGetFunction(Function *function, Module module,
                                  const char *name) {
  *function = static_cast<Function>(dlsym(module, name));
  return *function ? 0 : notFound;
}

EXPORT Result cuMemAlloc_v2(DevicePointer *memory, size_t bytes) {
  char *at = current ? Memory::memory().allocate(bytes) : nullptr;
  *memory = reinterpret_cast<DevicePointer>(at);
  return at ? fault() : current ? outOfMemory : invalidValue;
}

/// As CUDA's, it comes behind all that the device was told.
EXPORT Result cuMemFree_v2(DevicePointer memory) {
  if (current)
    tapestry::stub::Streams::all().settle(current->number);
  return Memory::memory().free(reinterpret_cast<char *>(memory)) ? 0
                                                                 : invalidValue;
}

EXPORT Result cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  *memory = malloc(bytes ? bytes : 1);
  return *memory ? 0 : outOfMemory;
}

EXPORT Result cuMemFreeHost(void *memory) {
  free(memory);
  return 0;
}

EXPORT Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from,
                                   size_t bytes, Stream stream) {
  settle(stream);
  auto target = reinterpret_cast<char *>(to);
  if (!Memory::memory().has(target, bytes))
    return invalidValue;
  Memory::Access access;
  memcpy(target, from, bytes);
  return fault();
}

EXPORT Result cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, size_t bytes,
                                   Stream stream) {
  settle(stream);
  auto source = reinterpret_cast<const char *>(from);
  if (!Memory::memory().has(source, bytes))
    return invalidValue;
  Memory::Access access;
  memcpy(to, source, bytes);
  return fault();
}

EXPORT Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from,
                                   size_t bytes, Stream stream) {
  settle(stream);
  auto target = reinterpret_cast<char *>(to);
  auto source = reinterpret_cast<const char *>(from);
  if (!Memory::memory().has(target, bytes) ||
      !Memory::memory().has(source, bytes))
    return invalidValue;
  Memory::Access access;
  memcpy(target, source, bytes);
  return fault();
}

EXPORT Result cuMemcpy3DAsync_v2(const Copy3D *copy, Stream stream) {
  settle(stream);
  auto placeOf = [&](const Copy3D::Side &side) {
    return reinterpret_cast<char *>(side.device) + side.x +
           (side.z * side.height + side.y) * side.pitch;
  };
  auto isWrong = [&](const Copy3D::Side &side) {
    if (side.type != deviceMemory || side.pitch < copy->width ||
        side.pitch > INT_MAX || (copy->depth > 1 && side.height < copy->height))
      return true;
    size_t rows = (copy->depth - 1) * side.height + copy->height;
    return !Memory::memory().has(placeOf(side),
                                 (rows - 1) * side.pitch + copy->width);
  };
  if (copy->width * copy->height * copy->depth == 0 || isWrong(copy->source) ||
      isWrong(copy->target))
    return invalidValue;
  Memory::Access access;
  for (size_t z = 0; z < copy->depth; ++z)
    for (size_t y = 0; y < copy->height; ++y)
      memcpy(placeOf(copy->target) +
                 (z * copy->target.height + y) * copy->target.pitch,
             placeOf(copy->source) +
                 (z * copy->source.height + y) * copy->source.pitch,
             copy->width);
  return fault();
}

EXPORT Result cuStreamCreate(Stream *stream, unsigned) {
  if (!current)
    return invalidValue;
  *stream = reinterpret_cast<Stream>(
      tapestry::stub::Streams::all().make(current->number));
  return 0;
}

EXPORT Result cuStreamDestroy_v2(Stream stream) {
  tapestry::stub::Streams::all().end(queueOf(stream));
  return 0;
}

EXPORT Result cuStreamQuery(Stream stream) {
  bool isDone = queueOf(stream)->isDone(queueOf(stream)->toldSoFar());
  return isDone ? fault() : notReady;
}

EXPORT Result cuStreamSynchronize(Stream stream) {
  settle(stream);
  return fault();
}

EXPORT Result cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  auto &mark = *reinterpret_cast<Mark *>(event);
  auto other = tapestry::stub::Streams::all().find(mark.queue);
  if (other && !other->isDone(mark.told))
    queueOf(stream)->tell(std::make_unique<tapestry::stub::WaitWork>(
        std::move(other), mark.told));
  return 0;
}

EXPORT void tapestryStubTell(Stream stream, tapestry::stub::Work *work) {
  queueOf(stream)->tell(std::unique_ptr<tapestry::stub::Work>(work));
}

EXPORT int tapestryStubDevice(Stream stream) {
  return stream ? queueOf(stream)->device : current ? current->number : -1;
}

EXPORT Result cuEventCreate(Event *event, unsigned) {
  *event = reinterpret_cast<Event>(new Mark);
  return 0;
}

EXPORT Result cuEventRecord(Event event, Stream stream) {
  *reinterpret_cast<Mark *>(event) = {fault(), queueOf(stream),
                                      queueOf(stream)->toldSoFar()};
  return 0;
}

EXPORT Result cuEventQuery(Event event) {
  auto &mark = *reinterpret_cast<Mark *>(event);
  return mark.queue->isDone(mark.told) ? mark.fault : notReady;
}

EXPORT Result cuEventSynchronize(Event event) {
  auto &mark = *reinterpret_cast<Mark *>(event);
  mark.queue->wait(mark.told);
  return mark.fault;
}

EXPORT Result cuEventDestroy_v2(Event event) {
  delete reinterpret_cast<Mark *>(event);
  return 0;
}

EXPORT Result cuLaunchKernel(Function function, unsigned blocks, unsigned y,
                             unsigned z, unsigned threads, unsigned threadsY,
                             unsigned threadsZ, unsigned, Stream stream,
                             void **arguments, void **) {
  settle(stream);
  if (!current || blocks == 0 || threads == 0 || threads > 1024 ||
      y * z * threadsY * threadsZ != 1)
    return invalidValue;
  bool runs = false;
  Result result = begin(runs);
  if (!runs)
    return result;
  Memory::Access access;
  std::string problem;
  if (tapestry::stub::launch(reinterpret_cast<tapestry::stub::Kernel>(function),
                             blocks, threads, arguments, problem))
    return 0;
  fprintf(stderr, "CUDA stub: %s\n", problem.c_str());
  return launchFailed;
}

EXPORT Result tapestryStubRun(void (*work)(void *), void *data, Stream stream) {
  settle(stream);
  if (!current)
    return invalidValue;
  bool runs = false;
  Result result = begin(runs);
  if (!runs)
    return result;
  Memory::Access access;
  work(data);
  return 0;
}

EXPORT bool tapestryStubHas(const void *memory, size_t bytes) {
  return Memory::memory().has(static_cast<const char *>(memory), bytes);
}

EXPORT Result cuGetErrorName(Result result, const char **name) {
  *name = result == invalidValue       ? "CUDA_ERROR_INVALID_VALUE"
          : result == outOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == invalidImage     ? "CUDA_ERROR_INVALID_IMAGE"
          : result == notFound         ? "CUDA_ERROR_NOT_FOUND"
          : result == launchFailed     ? "CUDA_ERROR_LAUNCH_FAILED"
          : result == tooManyResources ? "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
                                       : nullptr;
  return *name ? 0 : invalidValue;
}

EXPORT Result cuGetErrorString(Result, const char **text) {
  *text = "says the tests' driver";
  return 0;
}
