//===- Apply.cpp - Programs on the tensors of a session -------------------===//

#include "Core/Program.h"
#include "Run/Rank.h"
#include "Session/Session.h"
#include "tapestry-rt/Counted.h"
#include "tapestry-rt/Runtime.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::rt;

/// What a program's inputs and outputs are in the session; null: the input's
/// file is read.
struct rt::Bound {
  std::vector<const HeldTensor *> inputs;
  std::vector<std::string> outputs;
};

static Status wrong(const std::string &message) {
  return Status::failure(ExitBadInput, "error: " + message);
}

/// The names of tensors in a row.
static std::string namesOf(const TapestryTensor *tensors, int32_t count) {
  std::string names;
  for (int32_t i = 0; i < count; ++i)
    names += (i ? ", " : "") + printable(tensors[i].name);
  return names.empty() ? "none" : names;
}

/// Every binding is of a tensor that the program has, once.
static Status checkBindings(const TapestryProgram &program,
                            const std::vector<TapestryBinding> &bindings) {
  for (const TapestryBinding &binding : bindings) {
    std::string name = binding.in_program;
    auto times = std::count_if(
        bindings.begin(), bindings.end(),
        [&](const TapestryBinding &other) { return name == other.in_program; });
    if (times > 1)
      return wrong(format("'%s' of the program is bound %lld times",
                          printable(name).c_str(),
                          static_cast<long long>(times)));
    if (findTensor(program.inputs, program.num_inputs, name) < 0 &&
        findTensor(program.outputs, program.num_outputs, name) < 0 &&
        !isUnreadInput(program, name))
      return Status::failure(
          ExitUsage,
          format("error: the program has no input or output '%s'; its inputs "
                 "are %s, its outputs %s",
                 printable(name).c_str(),
                 namesOf(program.inputs, program.num_inputs).c_str(),
                 namesOf(program.outputs, program.num_outputs).c_str()));
  }
  return Status::success();
}

Status Session::bind(const TapestryProgram &program,
                     const std::vector<TapestryBinding> &bindings,
                     Bound &bound) const {
  Status status = checkBindings(program, bindings);
  auto inSession = [&](const char *name) -> std::string {
    for (const TapestryBinding &binding : bindings)
      if (std::string(name) == binding.in_program)
        return binding.in_session;
    return name;
  };
  for (int32_t i = 0; i < program.num_inputs && !status.failed(); ++i) {
    const TapestryTensor &input = program.inputs[i];
    std::string name = inSession(input.name);
    bool isBound = std::any_of(
        bindings.begin(), bindings.end(), [&](const TapestryBinding &binding) {
          return std::string(input.name) == binding.in_program;
        });
    if (!isBound && tensors.count(name) == 0 &&
        !inputFile(program, i).empty()) {
      bound.inputs.push_back(nullptr);
      continue;
    }
    const HeldTensor *tensor = find(name, status);
    if (!tensor)
      return Status::failure(status.exitStatus(),
                             status.message() +
                                 format(" (for input '%s')", input.name));
    if (tensor->dtype != input.dtype ||
        tensor->shape !=
            std::vector<int64_t>(input.shape, input.shape + input.rank))
      return wrong(format("tensor '%s' is %s, but input '%s' is %s",
                          printable(name).c_str(),
                          typeText(tensor->table("")).c_str(), input.name,
                          typeText(input).c_str()));
    bound.inputs.push_back(tensor);
  }
  for (int32_t i = 0; i < program.num_outputs && !status.failed(); ++i) {
    std::string name = inSession(program.outputs[i].name);
    status = checkName(name);
    for (int32_t earlier = 0; earlier < i && !status.failed(); ++earlier)
      if (bound.outputs[earlier] == name)
        status =
            wrong(format("outputs '%s' and '%s' are both to be '%s'",
                         program.outputs[earlier].name, program.outputs[i].name,
                         printable(name).c_str()));
    bound.outputs.push_back(name);
  }
  return status;
}

Status Session::apply(const TapestryProgram &program,
                      const std::vector<TapestryBinding> &bindings,
                      const std::string &reportPath) {
  Status status = checkProgram(program);
  if (status.failed())
    return Status::failure(status.exitStatus(), "error: " + status.message());
  if (program.devices != ranks())
    return wrong(format("the program is for %s, the session has %lld",
                        countOf(program.devices, "device").c_str(),
                        static_cast<long long>(ranks())));
  Bound bound;
  status = bind(program, bindings, bound);
  if (status.failed())
    return status;
  updateBudget();
  HeldData held = {bound.inputs, {}, arenas, budget};
  for (int32_t i = 0; i < program.num_outputs; ++i)
    held.outputs.push_back(
        std::make_unique<HeldTensor>(program.outputs[i], ranks()));

  RunOptions options;
  options.tool.clear();
  options.backend = "local";
  options.reportPath = reportPath;
  options.progress = progress;
  SignalGuard signals;
  {
    Job job(program, options, &held);
    status = job.checkOptions();
    if (!status.failed())
      status = job.openFiles();
    if (!status.failed())
      status = job.checkMemory(0, program.devices, 1);
    if (!status.failed())
      status = runOnThreads(job);
    job.progress.clear();
  }
  Tensors results;
  for (int32_t i = 0; i < program.num_outputs && !status.failed(); ++i)
    results[bound.outputs[i]] = std::move(held.outputs[i]);
  keep(std::move(results));
  return status;
}
