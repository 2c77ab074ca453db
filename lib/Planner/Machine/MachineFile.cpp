//===- MachineFile.cpp - Machines as JSON ---------------------------------===//
//
// People write quantities with units, "50GB/s"; a plan states plain numbers, so
// that costs come out the same to the last digit. One reader takes both.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Machine/MachineFile.h"
#include "tapestry/Planner/Machine/JSONText.h"
#include "tapestry/Planner/Machine/Quantity.h"
#include "tapestry/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>
#include <map>

using namespace tapestry;
using namespace tapestry::machine;
namespace json = llvm::json;

namespace {

constexpr int64_t machineFileVersion = 1;

/// What peaks are stated for; each name stands for all types of its width.
struct Width {
  llvm::StringLiteral name;
  int64_t bytes;
};
constexpr Width widths[] = {{"f64", 8}, {"f32", 4}, {"f16", 2}, {"i8", 1}};

/// An object of the file and the path that leads to its members.
struct Section {
  const json::Object *object;
  std::string path;

  std::string of(llvm::StringRef key) const { return path + key.str(); }
};

class Reader {
public:
  /// `prefix` leads to the machine in its file; empty: the file is a machine.
  Reader(llvm::StringRef fileName, llvm::StringRef prefix)
      : fileName(fileName), prefix(prefix) {}
  llvm::Expected<Machine> read(llvm::StringRef text);
  llvm::Expected<Machine> read(const json::Value &value);

private:
  template <typename... Parts>
  llvm::Error fail(std::string path, const Parts &...parts) const {
    if (!prefix.empty())
      path = prefix + (path.empty() ? "" : "." + path);
    return errorAt(fileName, path, path.empty() ? "" : ": ", parts...);
  }
  llvm::Error expected(const std::string &path, llvm::StringRef what,
                       const json::Value &got) const;

  llvm::Expected<Section> section(const std::string &path,
                                  const json::Value &value,
                                  llvm::ArrayRef<llvm::StringRef> known) const;
  /// The member, or an error that it is missing.
  llvm::Expected<const json::Value *> need(const Section &section,
                                           llvm::StringRef key) const;
  llvm::Error readName(const Section &from, std::string &result) const;
  llvm::Error readCount(const Section &from, llvm::StringRef key,
                        int64_t &result) const;
  /// A text with a unit, or a number in base units.
  llvm::Error readQuantity(const Section &from, llvm::StringRef key, Unit unit,
                           double &result) const;
  llvm::Error readLink(const Section &from, Link &link) const;
  llvm::Error readFlopsByBytes(const Section &top);
  llvm::Error readFlops(const Section &top);
  llvm::Error readBytes(const Section &top, llvm::StringRef key,
                        int64_t &bytes);
  llvm::Error readAxes(const Section &top);

  bool isInPlan() const { return !prefix.empty(); }

  std::string fileName, prefix;
  Machine machine;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

llvm::Error Reader::expected(const std::string &path, llvm::StringRef what,
                             const json::Value &got) const {
  std::string text;
  llvm::raw_string_ostream(text) << got;
  if (text.size() > 40)
    text = text.substr(0, 37) + "...";
  return fail(path, "expected ", what, ", got ", text);
}

llvm::Expected<Section>
Reader::section(const std::string &path, const json::Value &value,
                llvm::ArrayRef<llvm::StringRef> known) const {
  const json::Object *object = value.getAsObject();
  if (!object)
    return expected(path, "an object", value);
  for (auto &[key, member] : *object)
    if (!llvm::is_contained(known, llvm::StringRef(key)))
      return fail(path, "unknown key '", llvm::StringRef(key), "', there are ",
                  llvm::join(known, ", "));
  return Section{object, path.empty() ? "" : path + "."};
}

llvm::Expected<const json::Value *> Reader::need(const Section &from,
                                                 llvm::StringRef key) const {
  if (const json::Value *member = from.object->get(key))
    return member;
  // The section itself lacks the key: its path without the last dot.
  return fail(llvm::StringRef(from.path).rtrim('.').str(), "no key '", key,
              "'");
}

llvm::Error Reader::readName(const Section &from, std::string &result) const {
  auto member = need(from, "name");
  if (!member)
    return member.takeError();
  std::optional<llvm::StringRef> name = (*member)->getAsString();
  if (!name || name->empty())
    return expected(from.of("name"), "a name", **member);
  result = name->str();
  return llvm::Error::success();
}

llvm::Error Reader::readCount(const Section &from, llvm::StringRef key,
                              int64_t &result) const {
  auto member = need(from, key);
  if (!member)
    return member.takeError();
  std::optional<int64_t> number = (*member)->getAsInteger();
  if (!number || *number < 1 || *number > maxDevices)
    return expected(from.of(key),
                    "a number from 1 to " + std::to_string(maxDevices),
                    **member);
  result = *number;
  return llvm::Error::success();
}

llvm::Error Reader::readQuantity(const Section &from, llvm::StringRef key,
                                 Unit unit, double &result) const {
  auto member = need(from, key);
  if (!member)
    return member.takeError();
  if (std::optional<llvm::StringRef> text = (*member)->getAsString()) {
    auto value = parseQuantity(*text, unit);
    if (!value)
      return fail(from.of(key), llvm::toString(value.takeError()));
    result = *value;
    return llvm::Error::success();
  }
  std::optional<double> number = (*member)->getAsNumber();
  if (!number)
    return expected(from.of(key), "a quantity", **member);
  bool mayBeZero = unit == Unit::Seconds;
  if (!std::isfinite(*number) || *number < 0 || (*number == 0 && !mayBeZero))
    return expected(from.of(key),
                    mayBeZero ? "0 or more seconds" : "more than 0", **member);
  if (*number != 0 && !isSensible(*number))
    return expected(from.of(key), "a number from 1e-30 to 1e30", **member);
  result = *number;
  return llvm::Error::success();
}

llvm::Error Reader::readLink(const Section &from, Link &link) const {
  if (llvm::Error error =
          readQuantity(from, "bandwidth", Unit::BytesPerSecond, link.bandwidth))
    return error;
  return readQuantity(from, "latency", Unit::Seconds, link.latency);
}

//===----------------------------------------------------------------------===//
// The members of a machine
//===----------------------------------------------------------------------===//

/// By the bytes of an element, "4".
llvm::Error Reader::readFlopsByBytes(const Section &top) {
  auto member = need(top, "flops");
  if (!member)
    return member.takeError();
  const json::Object *object = (*member)->getAsObject();
  if (!object)
    return expected("flops", "an object", **member);
  Section peaks{object, "flops."};
  for (auto &[key, value] : *object) {
    Machine::Peak peak;
    if (llvm::StringRef(key).getAsInteger(10, peak.elementBytes))
      return fail(peaks.of(key), "expected bytes per element, got '",
                  llvm::StringRef(key), "'");
    if (llvm::Error error =
            readQuantity(peaks, key, Unit::FlopsPerSecond, peak.flopsPerSecond))
      return error;
    if (peak.elementBytes == 4)
      machine.flopsPerSecond = peak.flopsPerSecond;
    else
      machine.otherPeaks.push_back(peak);
  }
  llvm::sort(machine.otherPeaks, [](const auto &a, const auto &b) {
    return a.elementBytes < b.elementBytes;
  });
  if (machine.flopsPerSecond > 0)
    return llvm::Error::success();
  return fail("flops", "no key '4', the peak of elements of 4 bytes");
}

llvm::Error Reader::readFlops(const Section &top) {
  if (isInPlan())
    return readFlopsByBytes(top);
  const json::Value *member = top.object->get("flops");
  if (!member || !member->getAsObject())
    return readQuantity(top, "flops", Unit::FlopsPerSecond,
                        machine.flopsPerSecond);
  llvm::SmallVector<llvm::StringRef> known;
  for (const Width &width : widths)
    known.push_back(width.name);
  auto peaks = section("flops", *member, known);
  if (!peaks)
    return peaks.takeError();
  if (llvm::Error error = readQuantity(*peaks, "f32", Unit::FlopsPerSecond,
                                       machine.flopsPerSecond))
    return error;
  for (const Width &width : widths) {
    if (width.name == "f32" || !peaks->object->get(width.name))
      continue;
    Machine::Peak peak{width.bytes, 0};
    if (llvm::Error error = readQuantity(
            *peaks, width.name, Unit::FlopsPerSecond, peak.flopsPerSecond))
      return error;
    machine.otherPeaks.push_back(peak);
  }
  return llvm::Error::success();
}

llvm::Error Reader::readBytes(const Section &top, llvm::StringRef key,
                              int64_t &bytes) {
  const json::Value *member = top.object->get(key);
  if (!member)
    return llvm::Error::success();
  if (std::optional<llvm::StringRef> text = member->getAsString()) {
    auto parsed = parseBytes(*text);
    if (!parsed)
      return fail(key.str(), llvm::toString(parsed.takeError()));
    bytes = *parsed;
    return llvm::Error::success();
  }
  std::optional<int64_t> number = member->getAsInteger();
  if (!number || *number < (isInPlan() ? 0 : 1)) // A plan says 0 for unknown.
    return expected(key.str(), "a number of bytes such as \"80GB\"", *member);
  bytes = *number;
  return llvm::Error::success();
}

llvm::Error Reader::readAxes(const Section &top) {
  const json::Value *member = top.object->get("axes");
  if (!member)
    return llvm::Error::success();
  const json::Array *list = member->getAsArray();
  if (!list)
    return expected("axes", "a list", *member);
  DeviceGrid grid;
  for (auto [index, entry] : llvm::enumerate(*list)) {
    std::string path = "axes[" + std::to_string(index) + "]";
    auto from = section(path, entry, {"name", "size", "bandwidth", "latency"});
    if (!from)
      return from.takeError();
    Machine::Axis axis;
    if (llvm::Error error = readName(*from, axis.name))
      return error;
    if (llvm::StringRef(axis.name).find_first_of(".,:= ") !=
        llvm::StringRef::npos)
      return fail(from->of("name"), "'", axis.name,
                  "' has a character that a grid's text uses");
    if (llvm::Error error = readCount(*from, "size", axis.size))
      return error;
    // A plan's machine has the axes of its grid besides: they need not fit.
    llvm::Error error =
        isInPlan() ? llvm::Error::success() : grid.add({axis.name, axis.size});
    if (error)
      return llvm::handleErrors(std::move(error), [&](const GridError &fault) {
        return fault.isNamedTwice() ? fail(from->of("name"), "axis '",
                                           axis.name, "' is given twice")
                                    : fail(from->of("size"), fault.sizes(),
                                           "; a machine has 1 to ", maxDevices);
      });
    if (llvm::Error error = readLink(*from, axis.link))
      return error;
    machine.axes.push_back(std::move(axis));
  }
  if (!isInPlan() && !machine.axes.empty() && !top.object->get("devices"))
    machine.devices = grid.numDevices();
  return llvm::Error::success();
}

llvm::Expected<Machine> Reader::read(llvm::StringRef text) {
  auto value = parseJSON(text, fileName, "a machine file", /*deepest=*/8);
  if (!value)
    return value.takeError();
  return read(*value);
}

llvm::Expected<Machine> Reader::read(const json::Value &value) {
  llvm::SmallVector<llvm::StringRef, 11> known = {
      "tapestry_machine", "name",   "flops",        "memory_bandwidth",
      "vertex_latency",   "memory", "cut_products", "threads",
      "devices",          "axes",   "link"};
  if (isInPlan())
    known.erase(known.begin());
  auto top = section("", value, known);
  if (!top)
    return top.takeError();
  if (!isInPlan()) {
    auto version = need(*top, "tapestry_machine");
    if (!version)
      return version.takeError();
    if ((*version)->getAsInteger() != machineFileVersion)
      return expected("tapestry_machine",
                      "version " + std::to_string(machineFileVersion),
                      **version);
  }
  machine.name = "given";
  if (!isInPlan() || top->object->get("name"))
    if (llvm::Error error = readName(*top, machine.name))
      return error;
  if (llvm::Error error = readFlops(*top))
    return error;
  if (llvm::Error error =
          readQuantity(*top, "memory_bandwidth", Unit::BytesPerSecond,
                       machine.memoryBandwidth))
    return error;
  if (top->object->get("vertex_latency"))
    if (llvm::Error error = readQuantity(*top, "vertex_latency", Unit::Seconds,
                                         machine.vertexLatency))
      return error;
  if (llvm::Error error = readBytes(*top, "memory", machine.memoryBytes))
    return error;
  if (llvm::Error error = readBytes(*top, "cut_products", machine.cutProducts))
    return error;
  if (top->object->get("threads"))
    if (llvm::Error error = readCount(*top, "threads", machine.threads))
      return error;
  // A plan says 0 for any number of devices.
  const json::Value *devices = top->object->get("devices");
  if (devices && !(isInPlan() && devices->getAsInteger() == 0))
    if (llvm::Error error = readCount(*top, "devices", machine.devices))
      return error;
  if (llvm::Error error = readAxes(*top))
    return error;
  if (!isInPlan() && !top->object->get("link") && !machine.axes.empty()) {
    // An axis of another name may be laid anywhere.
    machine.otherLink = machine.axes.front().link;
    for (const Machine::Axis &axis : machine.axes) {
      Link &slowest = machine.otherLink;
      slowest.bandwidth = std::min(slowest.bandwidth, axis.link.bandwidth);
      slowest.latency = std::max(slowest.latency, axis.link.latency);
    }
    return machine;
  }
  auto member = need(*top, "link");
  if (!member)
    return member.takeError();
  auto link = section("link", **member, {"bandwidth", "latency"});
  if (!link)
    return link.takeError();
  if (llvm::Error error = readLink(*link, machine.otherLink))
    return error;
  return machine;
}

llvm::Expected<Machine> machine::parseMachine(llvm::StringRef text,
                                              llvm::StringRef fileName) {
  return Reader(fileName, "").read(text);
}

llvm::Expected<Machine> machine::readMachineOfPlan(const json::Value &value,
                                                   llvm::StringRef fileName) {
  return Reader(fileName, "machine").read(value);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Writes the members of a machine, with quantities as texts with units or as
/// plain numbers.
static void writeMembers(json::OStream &json, const Machine &machine,
                         bool withUnits) {
  auto write = [&](llvm::StringRef key, double value, Unit unit) {
    if (withUnits)
      json.attribute(key, formatQuantity(value, unit));
    else
      json.attribute(key, value);
  };
  auto writeLink = [&](const Link &link) {
    write("bandwidth", link.bandwidth, Unit::BytesPerSecond);
    write("latency", link.latency, Unit::Seconds);
  };
  json.attribute("name", machine.name);
  std::map<int64_t, double> peaks = {{4, machine.flopsPerSecond}};
  for (const Machine::Peak &peak : machine.otherPeaks)
    peaks[peak.elementBytes] = peak.flopsPerSecond;
  if (!withUnits)
    json.attributeObject("flops", [&] {
      for (auto [bytes, peak] : peaks)
        json.attribute(std::to_string(bytes), peak);
    });
  else if (machine.otherPeaks.empty())
    write("flops", machine.flopsPerSecond, Unit::FlopsPerSecond);
  else
    json.attributeObject("flops", [&] {
      write("f32", machine.flopsPerSecond, Unit::FlopsPerSecond);
      for (const Width &width : widths)
        if (width.bytes != 4 && peaks.count(width.bytes))
          write(width.name, peaks[width.bytes], Unit::FlopsPerSecond);
    });
  write("memory_bandwidth", machine.memoryBandwidth, Unit::BytesPerSecond);
  write("vertex_latency", machine.vertexLatency, Unit::Seconds);
  if (!withUnits || machine.memoryBytes != 0)
    json.attribute("memory", machine.memoryBytes);
  if (machine.cutProducts != 0)
    json.attribute("cut_products", machine.cutProducts);
  if (machine.threads != 1)
    json.attribute("threads", machine.threads);
  if (!withUnits || machine.devices != 0)
    json.attribute("devices", machine.devices);
  json.attributeArray("axes", [&] {
    for (const Machine::Axis &axis : machine.axes)
      json.object([&] {
        json.attribute("name", axis.name);
        json.attribute("size", axis.size);
        writeLink(axis.link);
      });
  });
  json.attributeObject("link", [&] { writeLink(machine.otherLink); });
}

void machine::writeMachine(llvm::raw_ostream &os, const Machine &machine) {
  json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("tapestry_machine", machineFileVersion);
    writeMembers(json, machine, /*withUnits=*/true);
  });
  os << '\n';
}

void machine::writeMachineOfPlan(json::OStream &json, const Machine &machine) {
  writeMembers(json, machine, /*withUnits=*/false);
}
