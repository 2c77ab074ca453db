//===- PlanRequest.cpp - How a graph is to be planned ---------------------===//

#include "tapestry/Planner/Plan/PlanRequest.h"
#include "tapestry/Planner/Machine/MachineFile.h"
#include "tapestry/Planner/Machine/Quantity.h"

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::machine;
using namespace tapestry::optimize;
using namespace tapestry::plan;

void PlanRequest::fillIn() {
  if (devices == 0 && grid.empty() && planFile.empty())
    devices = 1;
  // A plan says what it has been made of.
  if (order.empty())
    order = planFile.empty() ? "flops" : "none";
}

std::vector<std::string> PlanRequest::preferredRules() const {
  std::vector<std::string> names;
  for (llvm::StringRef name : llvm::split(llvm::StringRef(prefer), ','))
    if (llvm::StringRef rule = name.trim(); !rule.empty())
      names.push_back(rule.str());
  return names;
}

static llvm::Error setCount(llvm::StringRef name, llvm::StringRef value,
                            int64_t most, int64_t &count) {
  if (value.getAsInteger(10, count))
    return faultError(Fault::Usage, "", name, " takes a whole number, not '",
                      value, "'");
  if (count < 1)
    return faultError(Fault::Usage, "", name, " has to be at least 1, not ",
                      count);
  if (count > most)
    return faultError(Fault::Usage, "", name, " has to be at most ", most,
                      ", not ", count);
  return llvm::Error::success();
}

static llvm::Error setDevices(PlanRequest &request, llvm::StringRef value) {
  return setCount("devices", value, maxDevices, request.devices);
}

static llvm::Error setThreads(PlanRequest &request, llvm::StringRef value) {
  return setCount("threads", value, maxThreads, request.threads);
}

static llvm::Error setMemory(PlanRequest &request, llvm::StringRef value) {
  llvm::Expected<int64_t> bytes = parseBytes(value);
  if (!bytes)
    return faultError(Fault::Usage, "",
                      "memory: ", llvm::toString(bytes.takeError()));
  request.memoryLimit = *bytes;
  return llvm::Error::success();
}

/// Takes any text.
template <auto member>
static llvm::Error setText(PlanRequest &request, llvm::StringRef value) {
  request.*member = value.str();
  return llvm::Error::success();
}

llvm::ArrayRef<PlanOption> plan::planOptions() {
  static const PlanOption options[] = {
      {"devices", "N", "Number of devices (1; calibrate: one per core)",
       setDevices},
      {"grid", "node=2,gpu=4", "Named axes of devices instead of prime factors",
       setText<&PlanRequest::grid>},
      {"machine", "name|machine.json",
       "What --cost spmd reckons with: cpu (default), h100x8, h100x256 or a "
       "machine file",
       setText<&PlanRequest::machine>},
      {"threads", "T",
       "Threads of each device (as many as there are cores for; plan and "
       "calibrate: 1)",
       setThreads},
      {"solver", "name", "exact (default), bounded or eindecomp",
       setText<&PlanRequest::solver>},
      {"cost", "name", "Cost model: paper (default) or spmd",
       setText<&PlanRequest::costModel>},
      {"order", "objective",
       "Compute products of three or more tensors two at a time: none, flops "
       "(default without --plan, which says itself), peak or planned",
       setText<&PlanRequest::order>},
      {"prefer", "rule,rule", "Rules that expand operators before all others",
       setText<&PlanRequest::prefer>},
      {"memory", "16GiB", "The most bytes that a device may hold at once",
       setMemory},
      {"plan", "plan.json", "Follow this plan instead of solving",
       setText<&PlanRequest::planFile>},
  };
  return options;
}

llvm::Expected<PlannerOptions>
plan::resolveRequest(const PlanRequest &request) {
  PlannerOptions options;
  options.devices = request.devices;
  options.program = request.program;
  options.mayIdle = request.mayIdle;
  options.solverOptions.mostWork = request.mostWork;
  options.solverOptions.work =
      std::min(options.solverOptions.work, request.mostWork);
  options.solver = request.solver.value_or(options.solver);
  options.costModel = request.costModel.value_or(options.costModel);
  if (auto solver = solverNamed(options.solver); !solver)
    return solver.takeError();
  if (auto model = costModelNamed(options.costModel); !model)
    return model.takeError();
  llvm::Expected<Machine> machine =
      machineNamed(request.machine.value_or("cpu"));
  if (!machine)
    return machine.takeError();
  options.machine = request.threads ? machine->withThreads(request.threads)
                                    : std::move(*machine);
  options.machine.cutProducts =
      request.cutProducts.value_or(options.machine.cutProducts);
  if (request.grid.empty())
    return options;
  llvm::Expected<DeviceGrid> grid = parseGrid(request.grid, &options.machine);
  if (!grid) {
    ErrorFacts facts = factsOf(grid.takeError());
    facts.fault = Fault::Usage;
    return facts.toError();
  }
  if (request.devices != 0 && request.devices != grid->numDevices())
    return faultError(Fault::Usage, "", "--devices ", request.devices,
                      " does not fit the grid '", request.grid, "', which has ",
                      grid->numDevices());
  options.grid = std::move(*grid);
  return options;
}

/// A grid may state links, which are the machine's.
static bool hasLinks(const PlanRequest &request) {
  return llvm::StringRef(request.grid).contains(':');
}

llvm::Error plan::checkMachineIsUsed(const PlanRequest &request) {
  const CostModel &model = *llvm::cantFail(
      costModelNamed(request.costModel.value_or(PlannerOptions().costModel)));
  if (model.needsMachine() || (!request.machine && !hasLinks(request)))
    return llvm::Error::success();
  std::string users;
  for (const CostModel *other : costModels())
    if (other->needsMachine())
      users += (users.empty() ? "" : " or ") + other->name().str();
  return faultError(Fault::Usage, "",
                    request.machine ? "--machine is"
                                    : "the links of --grid are",
                    " what --cost ", users, " reckons with; '", model.name(),
                    "' counts ", model.unit());
}

/// What is written into machine files: all that a cost model can see.
static std::string textOf(const Machine &machine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeMachine(os, machine);
  return text;
}

static std::string textOf(const DeviceGrid &grid) {
  std::string text;
  for (const DeviceGrid::Axis &axis : grid.axes)
    text +=
        (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  return text;
}

llvm::Error plan::checkFollowed(const PlanRequest &request, const Plan &plan) {
  auto refuse = [&](const auto &...parts) {
    return faultError(Fault::Usage, request.planFile, parts...);
  };
  if (request.costModel && *request.costModel != plan.costModel)
    return refuse("cost_model: the plan is by '", plan.costModel,
                  "', --cost asks for '", *request.costModel, "'");
  if (request.solver && *request.solver != plan.solver)
    return refuse("solver: the file decides everything (solver '", plan.solver,
                  "'), nothing is left for --solver ", *request.solver);
  llvm::Expected<PlannerOptions> asked = resolveRequest(request);
  if (!asked)
    return asked.takeError();
  if (!request.grid.empty() && !(asked->grid == plan.userGrid))
    return refuse("grid: the plan is for '", textOf(plan.userGrid),
                  "', --grid asks for '", textOf(asked->grid), "'");
  bool needsMachine = plan.model().needsMachine();
  if (request.machine && !needsMachine)
    return refuse("cost_model: the plan is by '", plan.costModel,
                  "', which has no use for --machine ", *request.machine);
  if (hasLinks(request) && !needsMachine)
    return refuse("cost_model: the plan is by '", plan.costModel,
                  "', which has no use for the links of --grid ", request.grid);
  if (needsMachine && (request.machine || hasLinks(request)) &&
      textOf(asked->machine.withThreads(plan.machine.threads)) !=
          textOf(plan.machine))
    return refuse("machine: the plan reckons with another '", plan.machine.name,
                  "' than ",
                  request.machine ? "--machine " + *request.machine
                                  : "--grid " + request.grid,
                  " asks for");
  return llvm::Error::success();
}
