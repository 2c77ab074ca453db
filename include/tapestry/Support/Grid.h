//===- Grid.h - Devices on named axes ---------------------------*- C++ -*-===//

#ifndef TAPESTRY_SUPPORT_GRID_H
#define TAPESTRY_SUPPORT_GRID_H

#include "tapestry/Support/Error.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace tapestry {

/// More devices than this are refused.
constexpr int64_t maxDevices = 1 << 20;

/// A grid of devices with named axes. Device r's coordinates are the
/// mixed-radix digits of r, the first axis most significant. No axes: one
/// device.
struct DeviceGrid {
  struct Axis {
    std::string name;
    int64_t size = 1;
    bool operator==(const Axis &o) const {
      return name == o.name && size == o.size;
    }
  };
  llvm::SmallVector<Axis, 4> axes;

  /// Adds an axis that comes from outside: a GridError where its name is taken
  /// or the grid would have less than one or more than maxDevices devices.
  llvm::Error add(Axis axis);
  /// A grid of such axes.
  static llvm::Expected<DeviceGrid> ofAxes(llvm::ArrayRef<Axis> axes);

  int64_t numDevices() const;
  /// How many consecutive devices share this axis' coordinate.
  int64_t strideOf(unsigned axis) const;
  int64_t coordinate(int64_t device, unsigned axis) const;
  std::optional<unsigned> axisNamed(llvm::StringRef name) const;
  bool operator==(const DeviceGrid &o) const { return axes == o.axes; }

  /// The grid of `devices` devices whose axes `name`.0, `name`.1, ... are the
  /// prime factors of the count in ascending order; no axes for one device.
  static DeviceGrid ofPrimes(int64_t devices, llvm::StringRef name = "d");
};

/// Why an axis cannot join a grid: "axis 'gpu' has 8 devices beside 262144 of
/// the axes before it; a grid has 1 to ... devices", or "axis 'gpu' is named
/// twice".
class GridError : public llvm::ErrorInfo<GridError, FaultError> {
public:
  static char ID;
  GridError(const DeviceGrid::Axis &axis, int64_t devicesBefore,
            bool isNamedTwice);

  bool isNamedTwice() const { return namedTwice; }
  /// "8 devices beside 262144 of the axes before it".
  std::string sizes() const;

private:
  int64_t size, devicesBefore;
  bool namedTwice;
};

/// The grid whose axes are the prime factors of `userGrid`'s: an axis "gpu" of
/// size 4 becomes "gpu.0" and "gpu.1" of size 2, an axis of size 1 vanishes.
DeviceGrid splitIntoPrimes(const DeviceGrid &userGrid);

/// The prime factors of n >= 1 in ascending order, with multiplicity.
llvm::SmallVector<int64_t> primeFactors(int64_t n);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_GRID_H
