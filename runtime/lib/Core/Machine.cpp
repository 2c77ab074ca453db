//===- Machine.cpp - What this machine and its environment have -----------===//

#include "Core/Machine.h"
#include "tapestry-rt/Runtime.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sched.h>
#include <set>
#include <sys/resource.h>
#include <unistd.h>

using namespace tapestry::rt;

int64_t tapestry::rt::nowNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

int tapestry::rt::availableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(CPU_COUNT(&set), 1);
  return static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

/// The first number of a small file; `otherwise` where there is none ("max").
static int64_t numberIn(const std::string &path, int64_t otherwise) {
  FILE *file = fopen(path.c_str(), "re");
  if (!file)
    return otherwise;
  long long value;
  bool found = fscanf(file, "%lld", &value) == 1;
  fclose(file);
  return found ? value : otherwise;
}

std::vector<int> tapestry::rt::distinctCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  std::set<int64_t> known;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      // "0-1" or "0,64": the first of those that share a core.
      std::string siblings = "/sys/devices/system/cpu/cpu" +
                             std::to_string(core) +
                             "/topology/thread_siblings_list";
      if (CPU_ISSET(core, &set) &&
          known.insert(numberIn(siblings, core)).second)
        cores.push_back(core);
    }
  if (cores.empty())
    cores.push_back(0);
  return cores;
}

int64_t tapestry::rt::threadsPerRank(int64_t ranks) {
  auto cores = static_cast<int64_t>(distinctCores().size());
  return std::clamp<int64_t>(cores / ranks, 1, maxThreads);
}

void tapestry::rt::stayOnCore(int core) { stayOnCores({core}); }

std::vector<int> tapestry::rt::allowedCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set))
        cores.push_back(core);
  return cores;
}

void tapestry::rt::stayOnCores(const std::vector<int> &cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int core : cores)
    CPU_SET(core, &set);
  if (!cores.empty())
    sched_setaffinity(0, sizeof(set), &set);
}

/// Free memory that needs no swapping, and free swap, of the whole machine.
static int64_t systemMemory() {
  FILE *file = fopen("/proc/meminfo", "re");
  if (!file)
    return INT64_MAX;
  int64_t total = 0;
  bool found = false;
  char line[256];
  while (fgets(line, sizeof(line), file)) {
    long long kilobytes;
    if (sscanf(line, "MemAvailable: %lld", &kilobytes) == 1)
      found = true;
    else if (sscanf(line, "SwapFree: %lld", &kilobytes) != 1)
      continue;
    total += kilobytes * 1024;
  }
  fclose(file);
  return found ? total : INT64_MAX;
}

/// What the control groups (version 2) of this process still allow.
static int64_t groupMemory() {
  FILE *file = fopen("/proc/self/cgroup", "re");
  if (!file)
    return INT64_MAX;
  char line[4096];
  std::string group;
  while (fgets(line, sizeof(line), file))
    if (strncmp(line, "0::", 3) == 0)
      group.assign(line + 3, strcspn(line + 3, "\n"));
  fclose(file);
  int64_t least = INT64_MAX;
  // A limit of any ancestor holds as well.
  while (!group.empty()) {
    std::string folder = "/sys/fs/cgroup" + group;
    int64_t limit = numberIn(folder + "/memory.max", INT64_MAX);
    if (limit != INT64_MAX)
      least = std::min(least, limit - numberIn(folder + "/memory.current", 0));
    if (group == "/")
      break;
    group.resize(group.rfind('/'));
    if (group.empty())
      group = "/";
  }
  return least;
}

/// What is left under the address space limit (ulimit -v).
static int64_t addressSpace() {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return INT64_MAX;
  int64_t used = numberIn("/proc/self/statm", 0) * sysconf(_SC_PAGESIZE);
  return static_cast<int64_t>(limit.rlim_cur) - used;
}

int64_t tapestry::rt::availableMemory() {
  return std::max<int64_t>(
      std::min({systemMemory(), groupMemory(), addressSpace()}), 0);
}

std::string tapestry::rt::executableFolder() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  if (length <= 0 || length == sizeof(path))
    return "";
  std::string folder(path, length);
  folder.resize(folder.rfind('/'));
  return folder;
}

/// The number in a variable; -1: there is none.
static int64_t numberOf(const char *variable) {
  const char *text = getenv(variable);
  char *end = nullptr;
  long long number = text ? strtoll(text, &end, 10) : -1;
  return text && end != text && *end == '\0' && number >= 0 ? number : -1;
}

LaunchedAs tapestry::rt::launchedAs() {
  static constexpr const char *launchers[][2] = {
      // Open MPI's mpirun.
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      // MPICH's and Intel's mpiexec, srun --mpi=pmi2, HPE's PALS.
      {"PMI_RANK", "PMI_SIZE"},
      {"PALS_RANKID", "PALS_SIZE"},
      {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
      {"FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
      // srun of any kind; salloc's and sbatch's own shells are no steps.
      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const auto &[rankName, sizeName] : launchers) {
    int64_t rank = numberOf(rankName), size = numberOf(sizeName);
    if (rank >= 0 && size > rank)
      return {rank, size};
  }
  // PMIx tells the rank; how many there are is to be asked for.
  for (const char *rankName : {"PMIX_RANK", "PALS_RANKID"})
    if (int64_t rank = numberOf(rankName); rank >= 0)
      return {rank, 0};
  return {};
}
