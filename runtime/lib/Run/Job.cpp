//===- Job.cpp - What the ranks of one process share ------------------===//

#include "Run/Job.h"
#include "Collectives/Collectives.h"
#include "Core/Machine.h"
#include "Core/Processor.h"
#include "Core/Program.h"
#include "Core/Types.h"
#include "Memory/Arena.h"
#include "Run/Plugin.h"
#include "tapestry-rt/Counted.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tapestry;
using namespace tapestry::rt;

static std::string chooseBackend(const RunOptions &options) {
  if (!options.backend.empty())
    return options.backend;
  return launchedAs().size != 1 ? "mpi" : "local";
}

Job::Job(const TapestryProgram &program, const RunOptions &options,
         HeldData *held)
    : program(program), options(options), held(held),
      ownBudget(options.memoryLimit), budget(held ? held->budget : ownBudget),
      progress(options.tool.empty() ? program.name : options.tool,
               options.repeat, options.progress, options.patienceSeconds),
      backendName(chooseBackend(options)) {}

Status Job::failure(ExitStatus exit, const std::string &message) const {
  std::string place = options.tool.empty() ? "" : options.tool + ": ";
  return Status::failure(exit, place + "error: " + message);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

Status Job::unknownInput(const std::string &name) const {
  return failure(ExitUsage,
                 format("the program has no input '%s'; its inputs are\n%s",
                        printable(name).c_str(), listInputs(program).c_str()));
}

Status Job::unknownOutput(const std::string &name) const {
  return failure(ExitUsage,
                 format("the program has no output '%s'; its outputs are\n%s",
                        printable(name).c_str(), listOutputs(program).c_str()));
}

Status Job::checkInputs() {
  inputPaths.assign(program.num_inputs, "");
  for (const auto &[name, path] : options.inputs) {
    if (isUnreadInput(program, name)) {
      if (options.verbose && launchedAs().rank == 0)
        fprintf(stderr, "input '%s' is not read: no output depends on it\n",
                printable(name).c_str());
      continue;
    }
    int input = findTensor(program.inputs, program.num_inputs, name);
    if (input < 0)
      return unknownInput(name);
    if (!inputPaths[input].empty())
      return failure(ExitUsage, format("input '%s' is given twice: %s and %s",
                                       name.c_str(), inputPaths[input].c_str(),
                                       path.c_str()));
    if (path.empty())
      return failure(ExitUsage,
                     format("no file named for input '%s'", name.c_str()));
    inputPaths[input] = path;
  }
  std::string missing;
  for (int32_t i = 0; i < program.num_inputs; ++i) {
    if (isHeld(i) || !inputPaths[i].empty())
      continue;
    inputPaths[i] = inputFile(program, i);
    if (inputPaths[i].empty())
      missing +=
          format("%s'%s'", missing.empty() ? "" : ", ", program.inputs[i].name);
  }
  if (missing.empty())
    return Status::success();
  return failure(ExitUsage,
                 format("no file for input %s; the program's inputs are\n%s",
                        missing.c_str(), listInputs(program).c_str()));
}

Status Job::checkOutputs() {
  outputPaths.assign(program.num_outputs, "");
  for (const auto &[name, path] : options.outputs) {
    int output = findTensor(program.outputs, program.num_outputs, name);
    if (output < 0)
      return unknownOutput(name);
    if (!outputPaths[output].empty())
      return failure(ExitUsage,
                     format("output '%s' is given twice: %s and %s",
                            name.c_str(), outputPaths[output].c_str(),
                            path.c_str()));
    if (path.empty())
      return failure(ExitUsage,
                     format("no file named for output '%s'", name.c_str()));
    outputPaths[output] = path;
  }
  for (int32_t i = 0; i < program.num_outputs; ++i)
    if (outputPaths[i].empty())
      outputPaths[i] = outputFile(program, i);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Feeds
//===----------------------------------------------------------------------===//

Status Job::checkFeed(const Feed &feed) const {
  const TapestryTensor &from = program.outputs[feed.output];
  const TapestryTensor &to = program.inputs[feed.input];
  if (from.dtype != to.dtype || from.rank != to.rank ||
      !std::equal(from.shape, from.shape + from.rank, to.shape))
    return failure(ExitUsage,
                   format("--feed %s=%s: output '%s' is %s, input '%s' is %s",
                          from.name, to.name, from.name, typeText(from).c_str(),
                          to.name, typeText(to).c_str()));
  auto twice = std::count_if(feeds.begin(), feeds.end(), [&](const Feed &f) {
    return f.input == feed.input;
  });
  if (twice != 0)
    return failure(ExitUsage, format("--feed %s=%s: input '%s' is fed twice",
                                     from.name, to.name, to.name));
  return Status::success();
}

Status Job::checkFeeds() {
  for (const auto &[outputName, inputName] : options.feeds) {
    Feed feed;
    feed.output = findTensor(program.outputs, program.num_outputs, outputName);
    if (feed.output < 0)
      return unknownOutput(outputName);
    // Nothing reads what would arrive there.
    if (isUnreadInput(program, inputName))
      continue;
    feed.input = findTensor(program.inputs, program.num_inputs, inputName);
    if (feed.input < 0)
      return unknownInput(inputName);
    Status status = checkFeed(feed);
    if (status.failed())
      return status;
    feeds.push_back(feed);
  }
  for (Feed &feed : feeds) {
    const TapestryTensor &from = program.outputs[feed.output];
    const TapestryTensor &to = program.inputs[feed.input];
    feed.swaps = std::count_if(feeds.begin(), feeds.end(), [&](const Feed &f) {
                   return f.output == feed.output;
                 }) == 1;
    for (int64_t device = 0; device < program.devices && feed.swaps; ++device)
      feed.swaps = samePoints(boxOf(from, device), boxOf(to, device));
    if (feed.swaps)
      continue;
    for (int64_t device = 0; device < program.devices; ++device) {
      ExchangePlan plan = planFeed(from, to, program.devices, device);
      feed.predictedBytes += plan.sentElements() * plan.elementSize;
      feed.predictedKept += plan.keptElements() * plan.elementSize;
    }
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// What a session holds
//===----------------------------------------------------------------------===//

void Job::findMoves() {
  for (int32_t i = 0; i < program.num_inputs; ++i) {
    if (!isHeld(i))
      continue;
    const TapestryTensor &to = program.inputs[i];
    const HeldTensor &from = *held->inputs[i];
    bool fits = true;
    for (int64_t device = 0; device < program.devices && fits; ++device)
      fits = samePoints(from.box(device), boxOf(to, device));
    if (fits)
      continue;
    Move move = {i};
    for (int64_t device = 0; device < program.devices; ++device) {
      ExchangePlan plan =
          planFeed(from.table(to.name), to, program.devices, device);
      move.predictedBytes += plan.sentElements() * plan.elementSize;
      move.predictedKept += plan.keptElements() * plan.elementSize;
    }
    moves.push_back(move);
  }
}

bool Job::isInPlace(int input) const {
  return isHeld(input) &&
         std::none_of(moves.begin(), moves.end(),
                      [&](const Move &m) { return m.input == input; });
}

void Job::findLent() {
  if (backendName != "local" || held || program.space != TAPESTRY_HOST)
    return;
  for (int32_t i = 0; i < program.num_inputs; ++i)
    for (int64_t device = 0; device < program.devices; ++device) {
      const TapestryTensor &input = program.inputs[i];
      int64_t first = isFed(i) || isTakenIn(program, i) ? device : 0;
      while (first < device &&
             (firstWith[i * program.devices + first] != first ||
              !samePoints(boxOf(input, first), boxOf(input, device))))
        ++first;
      firstWith.push_back(first);
      if (first < device)
        lent.resize(program.num_inputs * program.devices);
    }
}

int64_t Job::bytesBorrowed(int64_t device) const {
  int64_t bytes = 0;
  for (int32_t i = 0; i < program.num_inputs; ++i)
    if (deviceWith(i, device) != device)
      bytes += partBytes(program.inputs[i], device);
  return bytes;
}

int64_t Job::bytesInPlace(int64_t device) const {
  int64_t bytes = bytesBorrowed(device);
  for (int32_t i = 0; i < program.num_inputs; ++i)
    if (isInPlace(i))
      bytes += partBytes(program.inputs[i], device);
  return bytes;
}

int64_t Job::bytesBeside(int64_t device) const {
  int64_t bytes = held->arenas[device]->liveBytes();
  std::vector<const HeldTensor *> counted;
  for (int32_t i = 0; i < program.num_inputs; ++i) {
    const HeldTensor *input = held->inputs[i];
    if (!isInPlace(i) ||
        std::find(counted.begin(), counted.end(), input) != counted.end())
      continue;
    counted.push_back(input);
    bytes -= input->bytesOf(device);
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Everything
//===----------------------------------------------------------------------===//

Status Job::checkEnvironment() {
  Status status = parseFault(getenv("TAPESTRY_FAULT"), fault);
  if (status.failed())
    return failure(status.exitStatus(), status.message());
  if (options.timeoutSeconds > 0) {
    timeoutSeconds = options.timeoutSeconds;
    return Status::success();
  }
  const char *text = getenv("TAPESTRY_TIMEOUT");
  if (!text || !*text)
    return Status::success();
  char *end;
  timeoutSeconds = strtod(text, &end);
  // A year is as good as forever and keeps clocks from wrapping.
  if (*end != '\0' || !(timeoutSeconds > 0))
    return failure(ExitUsage, format("TAPESTRY_TIMEOUT: '%s' is no number of "
                                     "seconds above 0",
                                     text));
  timeoutSeconds = std::min(timeoutSeconds, 365.0 * 86400);
  return Status::success();
}

Status Job::checkOptions() {
  Status status = checkProgram(program);
  if (!status.failed())
    status = checkFeatures(program);
  if (status.failed())
    return failure(status.exitStatus(), status.message());
  if (backendName != "local" && backendName != "mpi")
    return failure(ExitUsage, format("--backend: '%s' is none of local, mpi",
                                     backendName.c_str()));
  const std::string &collectives = options.collectives;
  if (collectives != "ring" && collectives != "mpi" && collectives != "nccl")
    return failure(ExitUsage,
                   format("--collectives: '%s' is none of ring, mpi, nccl",
                          collectives.c_str()));
  if (collectives == "nccl" && !isOnDevice())
    return failure(ExitUsage, "--collectives nccl: NCCL's are for tensors on "
                              "GPUs, and the program is for the host's memory");
  if (collectives == "mpi" && backendName != "mpi")
    return failure(ExitUsage,
                   format("--collectives mpi: MPI's collectives need --backend "
                          "mpi, and the back end here is %s",
                          backendName.c_str()));
  if (options.slowLink > 0 && backendName != "local")
    return failure(ExitUsage,
                   format("--slow-link is for --backend local, and the back "
                          "end here is %s",
                          backendName.c_str()));
  if (isOnDevice() && held)
    return failure(ExitUsage, "sessions hold tensors in the host's memory, and "
                              "the program is for the memory of devices");
  if (options.repeat < 1)
    return failure(ExitUsage, format("--repeat: %lld is less than 1",
                                     static_cast<long long>(options.repeat)));
  status = checkInputs();
  if (!status.failed())
    status = checkOutputs();
  if (!status.failed())
    status = checkFeeds();
  if (!status.failed()) {
    findMoves();
    findLent();
  }
  if (!status.failed())
    status = checkEnvironment();
  return status;
}

Status Job::openDevices(int64_t ranks) {
  if (!isOnDevice())
    return Status::success();
  std::string error;
  devices = openDevicePlugin("cuda", error);
  if (!devices)
    return failure(ExitEnvironment, error);
  int count = devices->count();
  if (count == 0)
    return failure(ExitEnvironment, "this machine has no GPU");
  if (count < ranks && !options.sharesDevices)
    return failure(ExitEnvironment,
                   format("%s of this machine need a GPU each, and it has %d "
                          "(--share-devices lets ranks share)",
                          countOf(ranks, "rank").c_str(), count));
  return options.collectives == "nccl" ? openCollectives(ranks, count)
                                       : Status::success();
}

Status Job::openCollectives(int64_t ranks, int count) {
  if (count < ranks)
    return failure(ExitEnvironment,
                   format("--collectives nccl: NCCL needs a GPU for each rank, "
                          "and %s of this machine share %d (those that share "
                          "exchange through the host's memory, with "
                          "--collectives ring)",
                          countOf(ranks, "rank").c_str(), count));
  std::string error;
  deviceCollectives = openCollectivesPlugin(options.collectives, error);
  return deviceCollectives ? Status::success()
                           : failure(ExitEnvironment, error);
}

int Job::deviceNumber(int64_t rank) const {
  if (backendName == "mpi")
    for (const char *name :
         {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
      if (const char *text = getenv(name))
        return atoi(text) % devices->count();
  return static_cast<int>(rank % devices->count());
}

bool Job::isFed(int input) const {
  return std::any_of(feeds.begin(), feeds.end(),
                     [&](const Feed &f) { return f.input == input; });
}

bool Job::readsBack() const {
  return std::find(readBack.begin(), readBack.end(), true) != readBack.end();
}

void Job::findReadBack() {
  readBack.assign(program.num_outputs, false);
  for (int32_t i = 0; i < program.num_inputs; ++i)
    if (isTakenIn(program, i) && !isHeld(i))
      for (int32_t o = 0; o < program.num_outputs; ++o)
        if (!outputPaths[o].empty() &&
            isSameFile(outputPaths[o], inputPaths[i]))
          readBack[o] = true;
}

/// An output may take the place of an input, which has been read by then; a
/// text there is a mistake, and so is what the program itself says of both: it
/// would read something else the next time. Of what is taken in that is the
/// program's to say.
Status Job::checkDistinctFiles() const {
  std::vector<NamedFile> tensors, texts, inputFiles, ownSources, ownSinks;
  for (int32_t i = 0; i < program.num_inputs; ++i) {
    if (isHeld(i))
      continue;
    inputFiles.emplace_back(format("input '%s'", program.inputs[i].name),
                            inputPaths[i]);
    if (inputPaths[i] == inputFile(program, i) && !isTakenIn(program, i))
      ownSources.push_back(inputFiles.back());
  }
  for (int32_t i = 0; i < program.num_outputs; ++i) {
    if (outputPaths[i].empty())
      continue;
    tensors.emplace_back(format("output '%s'", program.outputs[i].name),
                         outputPaths[i]);
    if (outputPaths[i] == outputFile(program, i))
      ownSinks.push_back(tensors.back());
  }
  if (!options.reportPath.empty())
    texts.emplace_back("--report", options.reportPath);
  if (!options.tracePath.empty())
    texts.emplace_back("--trace", options.tracePath);
  Status status = checkDistinct(ownSinks, ownSources);
  if (status.failed())
    return failure(ExitBadInput, status.message());
  status = checkDistinct(texts, inputFiles);
  tensors.insert(tensors.end(), texts.begin(), texts.end());
  if (!status.failed())
    status = checkDistinct(tensors, {{"the program", "/proc/self/exe"}});
  return status.failed() ? failure(status.exitStatus(), status.message())
                         : status;
}

Status Job::openFiles() {
  Status status = checkDistinctFiles();
  if (status.failed())
    return status;
  findReadBack();
  for (int32_t i = 0; i < program.num_inputs; ++i) {
    inputs.push_back(std::make_unique<InputFile>());
    if (isHeld(i) || isTakenIn(program, i))
      continue;
    status = openInput(i, *inputs.back());
    if (status.failed())
      return status;
  }
  for (int32_t i = 0; i < program.num_outputs; ++i) {
    outputs.emplace_back();
    if (outputPaths[i].empty())
      continue;
    outputs.back() = std::make_unique<OutputFile>();
    status = outputs.back()->prepare(outputPaths[i], program.outputs[i]);
    if (status.failed())
      return status;
  }
  for (const std::string *path : {&options.reportPath, &options.tracePath})
    if (!path->empty()) {
      status = NewFile().prepare(*path);
      if (status.failed())
        return status;
    }
  return Status::success();
}

/// Ranks of this machine share its cores.
void Job::countThreads(int64_t ranks) {
  cores = distinctCores();
  int64_t asked = options.threads ? options.threads : program.threads;
  numThreads = static_cast<int>(isOnDevice() ? 1
                                : asked      ? asked
                                             : threadsPerRank(ranks));
}

bool Job::communicatesBeside() const {
  return backendName != "local" || options.slowLink > 0 ||
         static_cast<size_t>(program.devices * numThreads) < cores.size();
}

/// Threads that may move are better off where others run, too.
std::vector<int> Job::coresOf(int64_t device) const {
  size_t first = device * numThreads;
  if (backendName != "local" ||
      static_cast<size_t>(program.devices * numThreads) != cores.size())
    return {};
  return {cores.begin() + first, cores.begin() + first + numThreads};
}

const int64_t *Job::predictedPeaks() const {
  return isOnDevice() || numThreads == std::max<int64_t>(program.threads, 1)
             ? program.predicted_peak_bytes
             : nullptr;
}

Status Job::checkMemory(int64_t first, int64_t last, int share) {
  countThreads((last - first) * share);
  // A device says what it has when it is asked.
  if (isOnDevice()) {
    budget.limit = availableMemory() / share;
    reserved = nullptr;
    return Status::success();
  }
  if (options.memoryLimit <= 0 && !held) {
    budget.limit = availableMemory() / share;
    budget.isRoomy = true;
    // Not where one rank's room would be what another lacks, even if all that
    // they allocate were too small to lie there. What a session takes over
    // stays when the arena goes.
    const int64_t *peaks = predictedPeaks();
    __int128 most = 0;
    for (int64_t device = first; peaks && device < last; ++device) {
      int64_t own = peaks[device] - bytesInPlace(device);
      most += __int128(own) + Arena::reservedBytes(own);
    }
    if (most <= budget.available())
      reserved = peaks;
  }
  int64_t needed = 0;
  int64_t largest = 0;
  for (int64_t device = first; device < last; ++device) {
    int64_t bytes = boundaryBytes(program, device) - bytesInPlace(device);
    needed += bytes;
    largest = std::max(largest, bytes);
  }
  if (needed <= budget.available())
    return Status::success();
  return failure(
      ExitEnvironment,
      format("out of memory: inputs and outputs alone need %s (%s per device, "
             "%s in this process), %s available",
             formatBytes(needed).c_str(), formatBytes(largest).c_str(),
             countOf(last - first, "device").c_str(),
             formatBytes(std::max<int64_t>(budget.available(), 0)).c_str()));
}
