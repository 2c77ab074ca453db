//===- CUDADevice.h - A rank's GPU ------------------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_CUDA_CUDADEVICE_H
#define TAPESTRY_RT_CUDA_CUDADEVICE_H

#include "CUDA/DriverAPI.h"
#include "CUDA/Products.h"
#include "tapestry-rt/Device.h"
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace tapestry {
namespace rt {
namespace cuda {

/// Kernels of one program on one GPU.
struct LoadedCode {
  Module module = nullptr;
  std::vector<Function> kernels; ///< looked up when first launched
};

/// One GPU of this process, which several ranks may share.
class GPU {
public:
  GPU(const DriverAPI &api, int number) : api(api), number(number) {}

  bool open(TransportError &error);
  bool use(TransportError &error);
  /// Loads `code` where that was not done before.
  bool find(const TapestryDeviceCode &code, int64_t kernel, Function &function,
            TransportError &error);
  /// Says what `call` has returned; true where that is success.
  bool check(const char *call, Result result, TransportError &error) const;

  const DriverAPI &api;

private:
  bool load(const TapestryDeviceCode &code, LoadedCode &loaded,
            TransportError &error);
  /// How well an image fits; 0: not at all.
  int fitness(const char *arch) const;

  int number;
  Context context = nullptr;
  std::string name;
  int capability = 0; ///< 80 of sm_80
  std::mutex mutex;
  std::map<const TapestryDeviceCode *, LoadedCode> codes;
};

/// A stream on a GPU.
class CUDADevice final : public Device {
public:
  explicit CUDADevice(GPU &gpu);
  ~CUDADevice() override;

  bool open(TransportError &error);
  bool use(TransportError &error) override { return gpu.use(error); }
  void *allocate(uint64_t bytes, TransportError &error) override;
  void free(void *memory) override;
  void *allocateHost(uint64_t bytes, TransportError &error) override;
  void freeHost(void *memory) override;
  bool copyIn(void *device, const void *host, int64_t bytes,
              TransportError &error) override;
  bool copyOut(void *host, const void *device, int64_t bytes,
               TransportError &error) override;
  bool copyWithin(const StretchCopy &copy, TransportError &error) override;
  bool launch(const TapestryDeviceCode &code, int64_t kernel, int64_t blocks,
              int64_t threads, void **arguments,
              TransportError &error) override;
  bool openProducts(TransportError &error) override {
    return products.open(error);
  }
  bool multiply(const TapestryProduct &product, const ProductMemory &memory,
                TransportError &error) override;
  bool beginBeside(TransportError &error) override;
  bool endBeside(int64_t &number, TransportError &error) override;
  bool join(int64_t number, TransportError &error) override;
  bool mark(int64_t number, TransportError &error) override;
  int64_t reached() const override { return lastReached; }
  bool poll(bool &isDone, TransportError &error) override;
  bool synchronize(TransportError &error) override;
  bool waits() const override { return isWaiting; }
  void *stream() const override { return orders; }

private:
  bool copyStretch(void *target, const void *source, int64_t bytes,
                   TransportError &error);

  struct Mark {
    Event event;
    int64_t number;
  };
  /// What goes without a mark between belongs to the next one.
  static constexpr size_t mostMarks = 256;

  GPU &gpu;
  /// An event that is free.
  bool take(Event &event, TransportError &error);
  bool record(Event event, Stream stream, TransportError &error);

  /// The rank's own, what goes on beside it, and which of them is told.
  Stream own = nullptr, beside = nullptr, orders = nullptr;
  /// Of what went on beside and was not joined, by numbers.
  std::map<int64_t, Event> ends;
  int64_t nextEnd = 0;
  Products products;
  bool isWaiting;
  /// Of what may not be done yet, and events that are free.
  std::deque<Mark> marks;
  std::vector<Event> spare;
  int64_t lastReached = -1;
};

} // namespace cuda
} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_CUDA_CUDADEVICE_H
