//===- Machine.cpp - What devices and their links can do ------------------===//

#include "tapestry/Planner/Machine/Machine.h"
#include "tapestry/Planner/Machine/MachineFile.h"
#include "tapestry/Planner/Machine/Quantity.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <limits>
#include <optional>

using namespace tapestry;
using namespace tapestry::machine;

//===----------------------------------------------------------------------===//
// Numbers of one machine
//===----------------------------------------------------------------------===//

double Machine::flopsOf(int64_t elementBytes) const {
  for (const Peak &peak : otherPeaks)
    if (peak.elementBytes == elementBytes)
      return peak.flopsPerSecond;
  constexpr int64_t f32Bytes = 4;
  return flopsPerSecond * f32Bytes / std::max(f32Bytes, elementBytes);
}

Machine Machine::withThreads(int64_t count) const {
  Machine machine = *this;
  double factor = double(count) / double(threads);
  machine.threads = count;
  machine.flopsPerSecond *= factor;
  for (Peak &peak : machine.otherPeaks)
    peak.flopsPerSecond *= factor;
  return machine;
}

/// The machine's own axis that a grid axis is, or is a prime factor of.
static const Machine::Axis *axisOf(const Machine &machine,
                                   llvm::StringRef gridAxis) {
  llvm::StringRef name = gridAxis.split('.').first;
  auto found = llvm::find_if(machine.axes,
                             [&](auto &axis) { return axis.name == name; });
  return found == machine.axes.end() ? nullptr : &*found;
}

Link Machine::linkOf(llvm::StringRef axisName) const {
  const Axis *axis = axisOf(*this, axisName);
  return axis ? axis->link : otherLink;
}

Link Machine::slowestLink(const DeviceGrid &grid,
                          llvm::ArrayRef<unsigned> axes) const {
  Link slowest;
  slowest.bandwidth = std::numeric_limits<double>::infinity();
  for (unsigned axis : axes) {
    Link link = linkOf(grid.axes[axis].name);
    slowest.bandwidth = std::min(slowest.bandwidth, link.bandwidth);
    slowest.latency = std::max(slowest.latency, link.latency);
  }
  return slowest;
}

//===----------------------------------------------------------------------===//
// Built-in machines
//===----------------------------------------------------------------------===//

/// Ranks that are threads, one per core, of an Intel Xeon server with AVX-512
/// (two cores under KVM), as `tapestry calibrate` measured them.
static Machine referenceCPU() {
  Machine machine;
  machine.name = "cpu";
  machine.flopsPerSecond = 130e9;
  machine.otherPeaks = {{8, 65e9}};
  machine.memoryBandwidth = 13.5e9;
  machine.vertexLatency = 1e-7;
  machine.otherLink = {11e9, 1e-6};
  return machine;
}

/// Hosts of 8 H100 SXM5: NVIDIA's data sheet for operations (f32 and f64
/// without tensor cores, narrower types on tensor cores, dense), memory and
/// NVLink 4 (900 GB/s, half of it each way); one NDR InfiniBand port (400
/// Gbit/s) per GPU between hosts. Latencies are those that NCCL shows.
static Machine hostsOfH100(llvm::StringRef name, int64_t hosts) {
  Machine machine;
  machine.name = name.str();
  machine.flopsPerSecond = 67e12;
  machine.otherPeaks = {{8, 34e12}, {2, 989e12}};
  machine.memoryBandwidth = 3.35e12;
  machine.vertexLatency = 5e-6;
  machine.memoryBytes = 80'000'000'000;
  machine.devices = hosts * 8;
  if (hosts > 1)
    machine.axes.push_back({"node", hosts, {50e9, 5e-6}});
  machine.axes.push_back({"gpu", 8, {450e9, 2e-6}});
  machine.otherLink = machine.axes.front().link;
  return machine;
}

llvm::ArrayRef<Machine> machine::builtInMachines() {
  static const std::vector<Machine> machines = {
      referenceCPU(), hostsOfH100("h100x8", 1), hostsOfH100("h100x256", 32)};
  return machines;
}

llvm::Expected<Machine> machine::machineNamed(llvm::StringRef nameOrPath) {
  std::string known;
  for (const Machine &machine : builtInMachines()) {
    if (machine.name == nameOrPath)
      return machine;
    known += (known.empty() ? "'" : ", '") + machine.name + "'";
  }
  if (!nameOrPath.contains('/') && !nameOrPath.contains('.'))
    return faultError(Fault::Usage, "", "unknown machine '", nameOrPath,
                      "', there are ", known,
                      " and machine files (machine.json)");
  auto buffer = llvm::MemoryBuffer::getFile(nameOrPath, /*IsText=*/true);
  if (!buffer)
    return errorAt(nameOrPath, buffer.getError().message());
  return parseMachine((*buffer)->getBuffer(), nameOrPath);
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

/// Reads ":bw=25GB/s:lat=5us" into `link`. False where there is none.
static llvm::Expected<bool> parseLink(llvm::StringRef axis,
                                      llvm::StringRef text, Link &link) {
  if (text.empty())
    return false;
  llvm::SmallVector<llvm::StringRef> fields;
  text.split(fields, ':');
  bool hasBandwidth = false, hasLatency = false;
  for (llvm::StringRef field : fields) {
    auto [key, value] = field.split('=');
    key = key.trim();
    bool isBandwidth = key == "bw";
    if (!isBandwidth && key != "lat")
      return planError("grid: axis '", axis,
                       "': expected bw=BANDWIDTH or lat=LATENCY, not '", field,
                       "'");
    if (std::exchange(isBandwidth ? hasBandwidth : hasLatency, true))
      return planError("grid: axis '", axis, "': '", key, "' is given twice");
    auto number = parseQuantity(value, isBandwidth ? Unit::BytesPerSecond
                                                   : Unit::Seconds);
    if (!number)
      return planError("grid: axis '", axis, "': ", key, ": ",
                       llvm::toString(number.takeError()));
    (isBandwidth ? link.bandwidth : link.latency) = *number;
  }
  return true;
}

/// Makes `link` that of the machine's axis `name`, which gets at least `size`
/// devices.
static void setLink(Machine &machine, llvm::StringRef name, int64_t size,
                    Link link) {
  for (Machine::Axis &axis : machine.axes)
    if (axis.name == name) {
      axis.size = std::max(axis.size, size);
      axis.link = link;
      return;
    }
  machine.axes.push_back({name.str(), size, link});
}

llvm::Expected<DeviceGrid> machine::parseGrid(llvm::StringRef text,
                                              Machine *machine) {
  DeviceGrid grid;
  llvm::SmallVector<llvm::StringRef> entries;
  text.split(entries, ',');
  for (llvm::StringRef entry : entries) {
    auto [head, linkText] = entry.split(':');
    auto [nameText, size] = head.split('=');
    llvm::StringRef name = nameText.trim();
    DeviceGrid::Axis axis{name.str(), 1};
    if (name.empty() || size.trim().getAsInteger(10, axis.size) ||
        (linkText.empty() && entry.contains(':')))
      return planError("grid: expected NAME=SIZE, not '", entry, "'");
    if (name.contains('.'))
      return planError("grid: axis '", name,
                       "' has a dot, which names an axis' prime factors");
    if (axis.size < 1)
      return planError("grid: axis '", name, "' has size ", axis.size,
                       "; the least is 1");
    if (llvm::Error error = grid.add(axis))
      return planError("grid: ", llvm::toString(std::move(error)));

    Link link = machine ? machine->linkOf(name) : Link();
    auto statesLink = parseLink(name, linkText, link);
    if (!statesLink)
      return statesLink.takeError();
    if (*statesLink && !machine)
      return planError("grid: axis '", name,
                       "' states a link, but no machine has it here");
    if (*statesLink) {
      setLink(*machine, name, axis.size, link);
      machine->devices = 0;
      continue;
    }
    const Machine::Axis *own = machine ? axisOf(*machine, name) : nullptr;
    if (own && axis.size > own->size)
      return planError("grid: axis '", name, "' has size ", axis.size,
                       ", that of machine '", machine->name, "' has ",
                       own->size);
  }
  int64_t devices = grid.numDevices();
  if (machine && machine->devices != 0 && devices > machine->devices)
    return planError("grid: '", text, "' has ", countOf(devices, "device"),
                     ", machine '", machine->name, "' has ", machine->devices);
  return grid;
}

/// Lays `devices` over axes [0, count), the last one first and as wide as
/// possible. False where no sizes have this product.
static bool layOver(llvm::ArrayRef<Machine::Axis> axes, int64_t devices,
                    llvm::SmallVectorImpl<int64_t> &sizes) {
  if (axes.empty())
    return devices == 1;
  for (int64_t size = std::min(axes.back().size, devices); size >= 1; --size) {
    if (devices % size != 0)
      continue;
    sizes[axes.size() - 1] = size;
    if (layOver(axes.drop_back(), devices / size, sizes))
      return true;
  }
  return false;
}

llvm::Expected<DeviceGrid> machine::gridOn(const Machine &machine,
                                           int64_t devices) {
  if (devices < 1 || devices > maxDevices)
    return faultError(Fault::Usage, "", countOf(devices, "device"),
                      "; a grid has 1 to ", maxDevices);
  if (machine.devices != 0 && devices > machine.devices)
    return faultError(Fault::Usage, "", countOf(devices, "device"),
                      ", machine '", machine.name, "' has ", machine.devices);
  DeviceGrid grid;
  if (machine.axes.empty()) {
    grid.axes.push_back({"d", devices});
    return grid;
  }
  llvm::SmallVector<int64_t> sizes(machine.axes.size(), 1);
  if (!layOver(machine.axes, devices, sizes)) {
    std::string shape;
    int64_t most = 1;
    for (const Machine::Axis &axis : machine.axes) {
      shape += (shape.empty() ? "" : ",") + axis.name + "=" +
               std::to_string(axis.size);
      most = std::min(devices, most * axis.size);
    }
    int64_t fewer = std::min(devices - 1, most);
    while (!layOver(machine.axes, fewer, sizes))
      --fewer;
    return faultError(Fault::Usage, "", countOf(devices, "device"),
                      " cannot be laid over the axes ", shape, " of machine '",
                      machine.name, "'; ", fewer, " can");
  }
  for (auto [axis, size] : llvm::zip_equal(machine.axes, sizes))
    if (size > 1)
      grid.axes.push_back({axis.name, size});
  if (grid.axes.empty())
    grid.axes.push_back({machine.axes.back().name, 1});
  return grid;
}
