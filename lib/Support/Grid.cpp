//===- Grid.cpp - Devices on named axes -----------------------------------===//

#include "tapestry/Support/Grid.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace tapestry;

char GridError::ID = 0;

static std::string sizesText(int64_t size, int64_t devicesBefore) {
  return joinedText(countOf(size, "device"), " beside ", devicesBefore,
                    " of the axes before it");
}

static std::string faultText(const DeviceGrid::Axis &axis,
                             int64_t devicesBefore, bool isNamedTwice) {
  if (isNamedTwice)
    return joinedText("axis '", axis.name, "' is named twice");
  return joinedText("axis '", axis.name, "' has ",
                    sizesText(axis.size, devicesBefore), "; a grid has 1 to ",
                    maxDevices, " devices");
}

GridError::GridError(const DeviceGrid::Axis &axis, int64_t devicesBefore,
                     bool isNamedTwice)
    : ErrorInfo(Fault::Program, "",
                faultText(axis, devicesBefore, isNamedTwice)),
      size(axis.size), devicesBefore(devicesBefore), namedTwice(isNamedTwice) {}

std::string GridError::sizes() const { return sizesText(size, devicesBefore); }

llvm::Error DeviceGrid::add(Axis axis) {
  int64_t before = numDevices();
  bool isNamedTwice = axisNamed(axis.name).has_value();
  if (isNamedTwice || axis.size < 1 || axis.size > maxDevices / before)
    return llvm::make_error<GridError>(axis, before, isNamedTwice);
  axes.push_back(std::move(axis));
  return llvm::Error::success();
}

llvm::Expected<DeviceGrid> DeviceGrid::ofAxes(llvm::ArrayRef<Axis> axes) {
  DeviceGrid grid;
  for (const Axis &axis : axes)
    if (llvm::Error error = grid.add(axis))
      return error;
  return grid;
}

int64_t DeviceGrid::numDevices() const {
  int64_t count = 1;
  for (const Axis &axis : axes)
    count *= axis.size;
  return count;
}

int64_t DeviceGrid::strideOf(unsigned axis) const {
  int64_t stride = 1;
  for (unsigned later = axis + 1; later < axes.size(); ++later)
    stride *= axes[later].size;
  return stride;
}

int64_t DeviceGrid::coordinate(int64_t device, unsigned axis) const {
  return device / strideOf(axis) % axes[axis].size;
}

std::optional<unsigned> DeviceGrid::axisNamed(llvm::StringRef name) const {
  for (unsigned axis = 0; axis < axes.size(); ++axis)
    if (axes[axis].name == name)
      return axis;
  return std::nullopt;
}

DeviceGrid DeviceGrid::ofPrimes(int64_t devices, llvm::StringRef name) {
  DeviceGrid grid;
  for (auto [number, factor] : llvm::enumerate(primeFactors(devices)))
    grid.axes.push_back({(name + "." + llvm::Twine(number)).str(), factor});
  return grid;
}

llvm::SmallVector<int64_t> tapestry::primeFactors(int64_t n) {
  llvm::SmallVector<int64_t> factors;
  for (int64_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p)
      factors.push_back(p);
  if (n > 1)
    factors.push_back(n);
  return factors;
}

DeviceGrid tapestry::splitIntoPrimes(const DeviceGrid &userGrid) {
  DeviceGrid grid;
  for (const DeviceGrid::Axis &axis : userGrid.axes)
    grid.axes.append(DeviceGrid::ofPrimes(axis.size, axis.name).axes);
  return grid;
}
