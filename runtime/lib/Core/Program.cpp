//===- Program.cpp - Looking into a program's tables ----------------------===//

#include "Core/Program.h"
#include "Core/Types.h"
#include <algorithm>
#include <climits>
#include <cstring>
#include <map>

using namespace tapestry;
using namespace tapestry::rt;

static Status inconsistent(const std::string &what) {
  return Status::failure(ExitEnvironment,
                         "the program's tables are inconsistent: " + what);
}

static long long asNumber(int64_t value) { return value; }

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static Status checkTensor(const TapestryTensor &tensor, const char *kind,
                          int64_t devices, bool isOutput) {
  if (!tensor.name || tensor.rank < 0 || !isKnownDType(tensor.dtype) ||
      (tensor.rank > 0 && (!tensor.shape || !tensor.boxes)) ||
      (isOutput && !tensor.owner))
    return inconsistent(format("an %s lacks its name, type or boxes", kind));

  Box whole(tensor.rank);
  for (int dim = 0; dim < tensor.rank; ++dim)
    whole[dim] = {0, tensor.shape[dim]};
  int64_t covered = 0;
  for (int64_t device = 0; device < devices; ++device) {
    BoxRef box = boxOf(tensor, device);
    if (!contains(whole, box))
      return inconsistent(format("%s '%s' is %s, device %lld has %s of it",
                                 kind, tensor.name, typeText(tensor).c_str(),
                                 asNumber(device), boxText(box).c_str()));
    if (isOutput && tensor.owner[device])
      covered += volume(box);
  }
  if (isOutput && covered != volume(whole))
    return inconsistent(format(
        "the owners of output '%s' hold %lld elements, the tensor has %lld",
        tensor.name, asNumber(covered), asNumber(volume(whole))));
  return Status::success();
}

/// Members of a group hold equal boxes; the targets of a reduce_scatter share
/// them out, those of an all_reduce are the same.
static Status checkReduction(const TapestryCollective &collective, int index,
                             int64_t devices) {
  bool scatters = collective.kind == TAPESTRY_REDUCE_SCATTER;
  std::map<int32_t, std::pair<int64_t, int64_t>> groups; // first, elements
  for (int64_t device = 0; device < devices; ++device) {
    BoxRef source = sourceBox(collective, device);
    BoxRef target = targetBox(collective, device);
    auto [it, isFirst] =
        groups.try_emplace(collective.group_of[device], device, 0);
    it->second.second += volume(target);
    if (!samePoints(sourceBox(collective, it->second.first), source) ||
        (scatters ? !contains(source, target) : !samePoints(source, target)))
      return inconsistent(format(
          "collective %d (%s of '%s'): device %lld goes from %s to %s", index,
          collectiveName(collective.kind), collective.vertex, asNumber(device),
          boxText(source).c_str(), boxText(target).c_str()));
  }
  for (const auto &[number, group] : groups) {
    int64_t held = volume(sourceBox(collective, group.first));
    if (scatters && group.second != held)
      return inconsistent(
          format("collective %d (%s of '%s') scatters %lld elements of %lld",
                 index, collectiveName(collective.kind), collective.vertex,
                 asNumber(group.second), asNumber(held)));
  }
  return Status::success();
}

static Status checkCollective(const TapestryCollective &collective, int index,
                              int64_t devices, int64_t space) {
  bool reduces = isReduction(collective.kind);
  bool exchanges = !reduces && collective.kind >= TAPESTRY_ALL_GATHER &&
                   collective.kind <= TAPESTRY_HALO_EXCHANGE;
  if (!collective.vertex || collective.rank < 0 ||
      !isKnownDType(collective.dtype) || (!exchanges && !reduces) ||
      (collective.rank > 0 && (!collective.source || !collective.target)) ||
      (reduces && (!collective.group_of || !collective.combine)) ||
      collective.targets < 1 || (reduces && collective.targets > 1) ||
      collective.fragments < 0 ||
      (collective.fragments > 0 && (reduces || !collective.fragment)))
    return inconsistent(
        format("collective %d lacks its vertex, type, boxes, groups or "
               "combination",
               index));
  if (reduces ? !isKnownMonoid(collective.monoid)
              : collective.monoid != TAPESTRY_MONOID_NONE)
    return inconsistent(format("collective %d (%s of '%s') has monoid %d",
                               index, collectiveName(collective.kind),
                               collective.vertex, collective.monoid));
  bool isOnDevice = collective.space == TAPESTRY_CUDA && space == TAPESTRY_CUDA;
  if (collective.space != TAPESTRY_HOST && !isOnDevice)
    return inconsistent(format("collective %d (%s of '%s') has its buffers in "
                               "memory space %d, which is not the host's",
                               index, collectiveName(collective.kind),
                               collective.vertex, collective.space));
  // Whether an exchange completes its targets is seen when it is planned.
  return reduces ? checkReduction(collective, index, devices)
                 : Status::success();
}

Status tapestry::rt::checkProgram(const TapestryProgram &program) {
  if (program.abi_version != TAPESTRY_ABI_VERSION)
    return Status::failure(
        ExitEnvironment,
        format("the program was built for version %u of the runtime's ABI, "
               "this runtime has version %d",
               program.abi_version, TAPESTRY_ABI_VERSION));
  if (program.struct_size != sizeof(TapestryProgram))
    return Status::failure(
        ExitEnvironment,
        format("the program's table has %u bytes, this runtime knows %zu",
               program.struct_size, sizeof(TapestryProgram)));
  if (!program.entry || program.devices < 1 || program.devices > INT_MAX ||
      program.num_inputs < 0 || program.num_outputs < 0 ||
      program.num_collectives < 0 || program.num_vertices < 0 ||
      (program.num_inputs > 0 && !program.inputs) ||
      (program.num_outputs > 0 && !program.outputs) ||
      (program.num_collectives > 0 && !program.collectives) ||
      (program.num_vertices > 0 && !program.vertices) ||
      program.num_unread_inputs < 0 ||
      (program.num_unread_inputs > 0 && !program.unread_inputs) ||
      program.num_features < 0 ||
      (program.num_features > 0 && !program.features) ||
      program.num_requirements < 0 ||
      (program.num_requirements > 0 && !program.requirements) ||
      program.num_copies < 0 || (program.num_copies > 0 && !program.copies))
    return inconsistent(format("%lld devices, entry %s, or a missing table",
                               asNumber(program.devices),
                               program.entry ? "set" : "missing"));
  for (int32_t i = 0; i < program.num_vertices; ++i)
    if (!program.vertices[i].name)
      return inconsistent(format("vertex %d has no name", i));
  for (int64_t i = 0; i < program.num_copies; ++i)
    if (!program.copies[i].vertex)
      return inconsistent(
          format("copies %lld have no vertex's name", asNumber(i)));
  for (int64_t i = 0; i < program.num_unread_inputs; ++i)
    if (!program.unread_inputs[i])
      return inconsistent(format("unread input %lld has no name", asNumber(i)));
  for (int64_t i = 0; i < program.num_features; ++i)
    if (!program.features[i])
      return inconsistent(format("feature %lld has no name", asNumber(i)));
  for (int64_t i = 0; i < program.num_requirements; ++i) {
    const TapestryRequirement &requirement = program.requirements[i];
    if (!requirement.place || !requirement.index || !requirement.bound ||
        requirement.rank < 0 || (requirement.rank > 0 && !requirement.shape) ||
        std::any_of(
            requirement.shape, requirement.shape + requirement.rank,
            [](int64_t extent) { return extent < 0; }))
      return inconsistent(
          format("requirement %lld lacks its text or shape", asNumber(i)));
  }
  Status status;
  for (int32_t i = 0; i < program.num_inputs && !status.failed(); ++i)
    status = checkTensor(program.inputs[i], "input", program.devices, false);
  for (int32_t i = 0; i < program.num_outputs && !status.failed(); ++i)
    status = checkTensor(program.outputs[i], "output", program.devices, true);
  for (int32_t i = 0; i < program.num_collectives && !status.failed(); ++i)
    status = checkCollective(program.collectives[i], i, program.devices,
                             program.space);
  return status;
}

//===----------------------------------------------------------------------===//
// Names and sizes
//===----------------------------------------------------------------------===//

int tapestry::rt::findTensor(const TapestryTensor *tensors, int32_t count,
                             const std::string &name) {
  for (int32_t i = 0; i < count; ++i)
    if (name == tensors[i].name)
      return i;
  return -1;
}

bool tapestry::rt::isUnreadInput(const TapestryProgram &program,
                                 const std::string &name) {
  for (int64_t i = 0; i < program.num_unread_inputs; ++i)
    if (name == program.unread_inputs[i])
      return true;
  return false;
}

static std::string fileIn(const char *const *files, int32_t number) {
  return files && files[number] ? files[number] : "";
}

std::string tapestry::rt::inputFile(const TapestryProgram &program,
                                    int32_t input) {
  return fileIn(program.input_files, input);
}

std::string tapestry::rt::outputFile(const TapestryProgram &program,
                                     int32_t output) {
  return fileIn(program.output_files, output);
}

bool tapestry::rt::isTakenIn(const TapestryProgram &program, int32_t input) {
  return program.taken_in && program.taken_in[input] != 0;
}

static std::string listTensors(const TapestryTensor *tensors, int32_t count,
                               const char *const *files, const char *option) {
  size_t widest = 0;
  for (int32_t i = 0; i < count; ++i)
    widest = std::max(widest, strlen(tensors[i].name));
  std::string text;
  for (int32_t i = 0; i < count; ++i) {
    std::string left = format("  %s %s=FILE", option, tensors[i].name);
    left.resize(left.size() + widest - strlen(tensors[i].name) + 3, ' ');
    std::string file = printable(fileIn(files, i));
    text += left + typeText(tensors[i]) +
            (file.empty() ? "" : " (" + file + ")") + "\n";
  }
  return text;
}

std::string tapestry::rt::listInputs(const TapestryProgram &program) {
  return listTensors(program.inputs, program.num_inputs, program.input_files,
                     "-i");
}

std::string tapestry::rt::listOutputs(const TapestryProgram &program) {
  return listTensors(program.outputs, program.num_outputs, program.output_files,
                     "-o");
}

int64_t tapestry::rt::boundaryBytes(const TapestryProgram &program,
                                    int64_t device) {
  int64_t bytes = 0;
  for (int32_t i = 0; i < program.num_inputs; ++i)
    bytes += partBytes(program.inputs[i], device);
  for (int32_t i = 0; i < program.num_outputs; ++i)
    bytes += partBytes(program.outputs[i], device);
  return bytes;
}
