//===- Device.h - GPUs that ranks drive -------------------------*- C++ -*-===//
//
// What a plug-in for a kind of device implements: memory, copies, and launches
// in the order of one stream per rank. Only plain data crosses this border, so
// that the plug-in is opened where a program asks for it.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_DEVICE_H
#define TAPESTRY_RT_DEVICE_H

#include "tapestry-rt/ABI.h"
#include "tapestry-rt/Transport.h"

namespace tapestry {
namespace rt {

/// A copy of stretches of memory: `rows` of `bytes` bytes each in each of
/// `planes`, so many bytes apart. What is apart there is nothing where there is
/// one; planes are apart by whole numbers of rows.
struct StretchCopy {
  void *target;
  const void *source;
  int64_t bytes, rows, planes;
  int64_t targetRow, targetPlane;
  int64_t sourceRow, sourcePlane;
};

/// Where the matrices of a product lie, in the device's memory.
struct ProductMemory {
  const void *left, *right, *addend;
  void *result;
  const void *bias;
  void *workspace;
  uint64_t workspaceBytes;
};

/// One rank's device. Functions return false, or null, with an error.
class Device {
public:
  virtual ~Device() = default;

  /// Has the calling thread use it, as the rank's own does from the beginning.
  virtual bool use(TransportError &error) = 0;
  /// Memory of the device, aligned to 256 bytes.
  virtual void *allocate(uint64_t bytes, TransportError &error) = 0;
  virtual void free(void *memory) = 0;
  /// Memory of the host that the device copies from and to.
  virtual void *allocateHost(uint64_t bytes, TransportError &error) = 0;
  virtual void freeHost(void *memory) = 0;
  /// Return when the copy is there, behind all that was told before.
  virtual bool copyIn(void *device, const void *host, int64_t bytes,
                      TransportError &error) = 0;
  virtual bool copyOut(void *host, const void *device, int64_t bytes,
                       TransportError &error) = 0;
  /// Has it copy within its memory, behind what was told before.
  virtual bool copyWithin(const StretchCopy &copy, TransportError &error) = 0;
  /// Has a kernel run behind what was told before.
  virtual bool launch(const TapestryDeviceCode &code, int64_t kernel,
                      int64_t blocks, int64_t threads, void **arguments,
                      TransportError &error) = 0;
  /// Opens the library of products, where that was not done before.
  virtual bool openProducts(TransportError &error) = 0;
  /// Has products be computed behind what was told before.
  virtual bool multiply(const TapestryProduct &product,
                        const ProductMemory &memory, TransportError &error) = 0;
  /// What is told between these goes on beside the rest, behind all that was
  /// told before, and gets a number: what is told from `join` on comes behind
  /// it, too. Each number is joined once; all of it happens in one order.
  virtual bool beginBeside(TransportError &error) = 0;
  virtual bool endBeside(int64_t &number, TransportError &error) = 0;
  virtual bool join(int64_t number, TransportError &error) = 0;
  /// Gives what was told so far a number, each larger than the last.
  virtual bool mark(int64_t number, TransportError &error) = 0;
  /// The last number up to which all is known to be done, or -1.
  virtual int64_t reached() const = 0;
  /// Says whether all that was told is done.
  virtual bool poll(bool &isDone, TransportError &error) = 0;
  /// Returns when all that was told is done.
  virtual bool synchronize(TransportError &error) = 0;
  /// Whether each launch returns when it is done, so that a fault is its own.
  virtual bool waits() const = 0;
  /// What libraries of its kind order their work by, now: a CUstream.
  virtual void *stream() const = 0;
};

/// The devices of one kind that this process sees.
class DeviceDriver {
public:
  virtual ~DeviceDriver() = default;
  virtual int count() const = 0;
  /// Opens device `number` for the calling thread's rank, which owns it then.
  virtual Device *open(int number, TransportError &error) = 0;
};

/// Raised with every change of the declarations above.
constexpr uint32_t deviceVersion = 4;

/// What a plug-in exports under the name `deviceEntryName`. Returns the
/// process's one driver (owned by the plug-in), or null and a text.
using OpenDevicesFn = DeviceDriver *(*)(uint32_t version,
                                        TransportError *error);
constexpr const char *deviceEntryName = "tapestryRtOpenDevices";

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_DEVICE_H
