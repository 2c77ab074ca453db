//===- Manifest.cpp - What a checkpoint holds -----------------------------===//

#include "Session/Manifest.h"
#include "Core/JSON.h"
#include "Core/JSONValue.h"
#include "Session/Session.h"
#include "tapestry-rt/Counted.h"
#include "tapestry-rt/Runtime.h"
#include <algorithm>
#include <charconv>
#include <cstring>

using namespace tapestry;
using namespace tapestry::rt;

static Status wrong(const std::string &message) {
  return Status::failure(ExitBadInput, message);
}

//===----------------------------------------------------------------------===//
// Checksums
//===----------------------------------------------------------------------===//

/// Words of eight bytes count with an odd weight each: a change of one always
/// shows, one of several almost surely. A byte counts as its word does, so that
/// the sum can be taken of any pieces by any ranks.
static uint64_t weightOf(uint64_t word) {
  return word * 0x9e3779b97f4a7c15 | 1;
}

uint64_t tapestry::rt::checksumOf(const void *bytes, int64_t offset,
                                  int64_t count) {
  constexpr int64_t wordBytes = sizeof(uint64_t);
  auto *data = static_cast<const unsigned char *>(bytes);
  uint64_t sum = 0;
  auto addBytes = [&](int64_t number) {
    for (; number > 0; --number, ++offset, --count)
      sum += weightOf(offset / wordBytes) *
             (uint64_t(*data++) << (offset % wordBytes * 8));
  };
  addBytes(std::min(count, -offset & (wordBytes - 1)));
  auto word = static_cast<uint64_t>(offset / wordBytes);
  int64_t words = count / wordBytes;
  uint64_t sums[4] = {0, 0, 0, 0};
  int64_t i = 0;
  // As vectors the products of 64 bits would take three times as long.
#ifdef __clang__
#pragma clang loop vectorize(disable)
#endif
  for (; i + 4 <= words; i += 4) {
    uint64_t values[4];
    std::memcpy(values, data + i * wordBytes, sizeof(values));
    sums[0] += weightOf(word + i) * values[0];
    sums[1] += weightOf(word + i + 1) * values[1];
    sums[2] += weightOf(word + i + 2) * values[2];
    sums[3] += weightOf(word + i + 3) * values[3];
  }
  sum += sums[0] + sums[1] + sums[2] + sums[3];
  for (; i < words; ++i) {
    uint64_t value;
    std::memcpy(&value, data + i * wordBytes, wordBytes);
    sum += weightOf(word + i) * value;
  }
  data += words * wordBytes;
  offset += words * wordBytes;
  count -= words * wordBytes;
  addBytes(count);
  return sum;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeTensor(JSONWriter &json, const ManifestEntry &entry) {
  json.beginObject();
  json.member("name", entry.name);
  json.member("type", dtypeName(entry.dtype));
  json.key("shape");
  json.beginArray();
  for (int64_t extent : entry.shape)
    json.value(extent);
  json.endArray();
  json.member("file", entry.file);
  json.member("bytes", entry.bytes);
  json.member("checksum", format("%016llx", static_cast<unsigned long long>(
                                                entry.checksum)));
  json.key("owners");
  json.beginArray();
  for (uint8_t owns : entry.owner)
    json.value(int64_t(owns));
  json.endArray();
  json.key("boxes");
  json.beginArray();
  for (const Range &range : entry.boxes) {
    json.value(range.lo);
    json.value(range.hi);
  }
  json.endArray();
  json.endObject();
}

std::string tapestry::rt::manifestText(const Manifest &manifest) {
  JSONWriter json;
  json.beginObject();
  json.member("tapestry_checkpoint", manifestVersion);
  json.member("devices", manifest.devices);
  json.key("tensors");
  json.beginArray(/*lines=*/true);
  for (const ManifestEntry &entry : manifest.tensors)
    writeTensor(json, entry);
  json.endArray();
  json.endObject();
  return json.text() + "\n";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Status readInteger(const JSONValue &object, const char *name,
                          int64_t least, int64_t &number) {
  const JSONValue *value = object.find(name);
  if (!value || !value->isInteger())
    return wrong(format("'%s' is no whole number", name));
  number = value->integer;
  if (number < least)
    return wrong(format("'%s' is %lld, the least is %lld", name,
                        static_cast<long long>(number),
                        static_cast<long long>(least)));
  return Status::success();
}

static Status readText(const JSONValue &object, const char *name,
                       std::string &text) {
  const JSONValue *value = object.find(name);
  if (!value || !value->isText())
    return wrong(format("'%s' is no text", name));
  text = value->text;
  return Status::success();
}

static Status readIntegers(const JSONValue &object, const char *name,
                           std::vector<int64_t> &numbers) {
  const JSONValue *value = object.find(name);
  if (!value || !value->isArray())
    return wrong(format("'%s' is no list", name));
  for (const JSONValue &item : value->items) {
    if (!item.isInteger() || item.integer < 0)
      return wrong(
          format("'%s' has an element that is no number from 0", name));
    numbers.push_back(item.integer);
  }
  return Status::success();
}

/// The parts are those of `devices` ranks, lie in the tensor, and those of the
/// owners are as many elements as it has.
static Status readParts(const JSONValue &object, int64_t devices,
                        ManifestEntry &entry) {
  std::vector<int64_t> owners, bounds;
  Status status = readIntegers(object, "owners", owners);
  if (!status.failed())
    status = readIntegers(object, "boxes", bounds);
  if (status.failed())
    return status;
  if (static_cast<int64_t>(owners.size()) != devices)
    return wrong(format("'owners' has %s, there are %s",
                        countOf(owners.size(), "number").c_str(),
                        countOf(devices, "device").c_str()));
  size_t rank = entry.shape.size();
  if (bounds.size() != 2 * rank * owners.size())
    return wrong(format(
        "'boxes' has %s, %s need %zu", countOf(bounds.size(), "number").c_str(),
        countOf(devices, "device").c_str(), 2 * rank * owners.size()));
  Box whole;
  for (int64_t extent : entry.shape)
    whole.push_back({0, extent});
  for (size_t i = 0; i < bounds.size(); i += 2)
    entry.boxes.push_back({bounds[i], bounds[i + 1]});
  int64_t owned = 0;
  for (int64_t device = 0; device < devices; ++device) {
    BoxRef box(entry.boxes.data() + device * rank, static_cast<int>(rank));
    entry.owner.push_back(owners[device] != 0);
    if (!contains(whole, box))
      return wrong(format("device %lld has %s of shape %s",
                          static_cast<long long>(device), boxText(box).c_str(),
                          shapeText(entry.shape.data(), box.rank).c_str()));
    owned += entry.owner.back() ? volume(box) : 0;
  }
  if (owned != volume(whole))
    return wrong(format("the owners have %s, the tensor has %lld",
                        countOf(owned, "element").c_str(),
                        static_cast<long long>(volume(whole))));
  return status;
}

static Status readTensor(const JSONValue &object, int64_t devices,
                         ManifestEntry &entry) {
  std::string type, checksum;
  Status status = readText(object, "type", type);
  if (!status.failed())
    status = readIntegers(object, "shape", entry.shape);
  if (!status.failed())
    status = readText(object, "file", entry.file);
  if (!status.failed())
    status = readInteger(object, "bytes", 0, entry.bytes);
  if (!status.failed())
    status = readText(object, "checksum", checksum);
  if (status.failed())
    return status;
  entry.dtype = dtypeNamed(type);
  if (entry.dtype < 0)
    return wrong(
        format("there is no element type '%s'", printable(type).c_str()));
  int64_t bytes = dtypeSize(entry.dtype);
  for (int64_t extent : entry.shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return wrong(format(
          "no 64-bit number counts the bytes of shape %s",
          shapeText(entry.shape.data(), static_cast<int>(entry.shape.size()))
              .c_str()));
  if (entry.file.empty() || entry.file.find('/') != std::string::npos ||
      entry.file.find('\0') != std::string::npos || entry.file[0] == '.' ||
      entry.file == manifestName)
    return wrong(format("'%s' can be no file of a checkpoint",
                        printable(entry.file).c_str()));
  const char *end = checksum.data() + checksum.size();
  auto [stop, error] =
      std::from_chars(checksum.data(), end, entry.checksum, 16);
  if (error != std::errc() || stop != end)
    return wrong(format("checksum '%s' is no hexadecimal number of 64 bits",
                        printable(checksum).c_str()));
  return readParts(object, devices, entry);
}

Status tapestry::rt::readManifest(const std::string &text, Manifest &manifest) {
  JSONValue value;
  std::string problem;
  if (!readJSON(text, value, problem))
    return wrong(problem);
  const JSONValue *tensors = value.find("tensors");
  if (!value.isObject() || !tensors || !tensors->isArray())
    return wrong("it is no object with a list 'tensors'");
  int64_t version = 0;
  Status status = readInteger(value, "tapestry_checkpoint", 1, version);
  if (!status.failed() && version != manifestVersion)
    status = wrong(format("it is of version %lld, this runtime reads %lld",
                          static_cast<long long>(version),
                          static_cast<long long>(manifestVersion)));
  if (!status.failed())
    status = readInteger(value, "devices", 1, manifest.devices);
  if (!status.failed() && manifest.devices > maxLocalRanks)
    status = wrong(format("'devices' is %lld, the most is %lld",
                          static_cast<long long>(manifest.devices),
                          static_cast<long long>(maxLocalRanks)));
  for (const JSONValue &item : tensors->items) {
    if (status.failed())
      return status;
    ManifestEntry entry;
    status = readText(item, "name", entry.name);
    if (!status.failed())
      status = checkName(entry.name);
    if (!status.failed())
      status = readTensor(item, manifest.devices, entry);
    for (const ManifestEntry &earlier : manifest.tensors)
      if (!status.failed() &&
          (earlier.name == entry.name || earlier.file == entry.file))
        status = wrong("it stands twice");
    if (status.failed())
      return wrong(format("tensor %zu ('%s'): %s", manifest.tensors.size(),
                          printable(entry.name).c_str(),
                          status.message().c_str()));
    manifest.tensors.push_back(std::move(entry));
  }
  return status;
}
