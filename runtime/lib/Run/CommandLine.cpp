//===- CommandLine.cpp - The options of a standalone program --------------===//

#include "Core/Machine.h"
#include "Core/Program.h"
#include "tapestry-rt/Counted.h"
#include "tapestry-rt/Files.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tapestry;
using namespace tapestry::rt;

#ifndef TAPESTRY_RT_VERSION
#define TAPESTRY_RT_VERSION "unknown"
#endif

namespace {

/// Goes through the arguments once; stops at the first that is wrong.
class CommandLine {
public:
  CommandLine(int argc, char **argv, const TapestryProgram &program,
              RunOptions &options)
      : argc(argc), argv(argv), program(program), options(options) {}

  /// As parseCommandLine.
  int parse();

private:
  bool isOption(const char *name);
  bool nextValue();
  bool pair(std::vector<std::pair<std::string, std::string>> &list,
            const char *form);
  /// The option's value, a number from 1.
  bool number(int64_t &result, int64_t most);
  /// The option's value, a number of bytes from 1.
  bool bytes(int64_t &result);
  bool parseOption();
  bool wrong(const std::string &message);
  void printHelp() const;

  int argc;
  char **argv;
  const TapestryProgram &program;
  RunOptions &options;
  int at = 1;
  std::string name;  // of the option that is being read
  std::string value; // its value
  bool hasValue = false;
  bool isRepeatGiven = false;
  enum { Run, Help, Version } action = Run;
};

} // namespace

/// Every process of a launcher sees the same command line: one speaks.
static bool speaks() { return launchedAs().rank == 0; }

bool CommandLine::wrong(const std::string &message) {
  if (speaks())
    fprintf(stderr, "%s: error: %s (see %s --help)\n", options.tool.c_str(),
            printable(message).c_str(), options.tool.c_str());
  return false;
}

void CommandLine::printHelp() const {
  const char *tool = options.tool.c_str();
  printf("usage: %s -i NAME=FILE ... -o NAME=FILE ... [options]\n\n"
         "Runs the Tapestry program '%s' on %s.\n\n",
         tool, program.name ? program.name : "",
         countOf(program.devices, "device").c_str());
  printf("inputs (NumPy .npy files, all needed but where one is in brackets):"
         "\n%s\n"
         "outputs (written where asked for, or into the file in brackets; "
         "numbers are printed where none is asked for):\n%s\n",
         listInputs(program).c_str(), listOutputs(program).c_str());
  fputs(
      "options:\n"
      "  --backend local|mpi  ranks are threads, or processes under mpirun\n"
      "                       (default: mpi under mpirun, else local)\n"
      "  --collectives ring|mpi|nccl\n"
      "                       the runtime's own, the same bits on every back "
      "end (default),\n"
      "                       or those of MPI, or of NCCL between GPUs\n"
      "  --slow-link BYTES    let ranks of the local back end send at most so "
      "much in a\n"
      "                       second (such as 100MB)\n"
      "  --share-devices      let ranks of this machine share its GPUs\n"
      "  --repeat K           run K times\n"
      "  --threads T          threads of each rank (default: as many as there "
      "are cores for)\n"
      "  --feed OUT=IN        output OUT of one run is input IN of the next\n"
      "  --report FILE        write times, bytes and memory as JSON\n"
      "  --trace FILE         write a Chrome trace\n"
      "  -v                   say what is done, and how long it takes\n"
      "  -q                   no progress, no list of what is not written\n"
      "  --help, --version\n\n"
      "exit status: 0 done, 1 wrong data, 2 wrong usage, 3 the machine is "
      "not able,\n4 a rank failed. A process that has ended, is stopped or "
      "cannot be\nreached is given up after TAPESTRY_TIMEOUT seconds "
      "(300).\n",
      stdout);
}

/// Whether the argument at hand is the option `name`; splits off "=value" of a
/// long option and the rest of a short one.
bool CommandLine::isOption(const char *option) {
  const char *argument = argv[at];
  size_t length = strlen(option);
  if (strncmp(argument, option, length) != 0)
    return false;
  bool isLong = option[1] == '-';
  const char *rest = argument + length;
  if (isLong && *rest != '\0' && *rest != '=')
    return false;
  name = option;
  hasValue = *rest != '\0';
  value = isLong && hasValue ? rest + 1 : rest;
  return true;
}

/// An empty value is that of a variable of a shell that is not set.
bool CommandLine::nextValue() {
  if (!hasValue)
    value = at + 1 < argc ? argv[++at] : "";
  if (value.empty())
    return wrong(format("%s needs a value", name.c_str()));
  if (value.compare(0, 2, "--") == 0)
    return wrong(format("%s needs a value, and '%s' begins like an option (for "
                        "a file: ./%s)",
                        name.c_str(), value.c_str(), value.c_str()));
  return true;
}

bool CommandLine::pair(std::vector<std::pair<std::string, std::string>> &list,
                       const char *form) {
  if (!nextValue())
    return false;
  size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == value.size())
    return wrong(format("%s '%s' is not of the form %s", name.c_str(),
                        value.c_str(), form));
  list.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  return true;
}

bool CommandLine::number(int64_t &result, int64_t most) {
  if (!nextValue())
    return false;
  char *end;
  errno = 0;
  result = strtoll(value.c_str(), &end, 10);
  if (*end != '\0' || errno != 0 || result < 1)
    return wrong(
        format("%s '%s' is no number from 1", name.c_str(), value.c_str()));
  if (result > most)
    return wrong(format("%s takes at most %lld, not %s", name.c_str(),
                        static_cast<long long>(most), value.c_str()));
  return true;
}

bool CommandLine::bytes(int64_t &result) {
  if (!nextValue())
    return false;
  static const struct {
    const char *name;
    double bytes;
  } units[] = {{"", 1},          {"B", 1},        {"kB", 1e3},
               {"MB", 1e6},      {"GB", 1e9},     {"KiB", 1 << 10},
               {"MiB", 1 << 20}, {"GiB", 1 << 30}};
  char *end;
  double number = strtod(value.c_str(), &end);
  for (const auto &unit : units)
    if (end != value.c_str() && strcmp(end, unit.name) == 0 &&
        number * unit.bytes >= 1 && number * unit.bytes < 0x1p62) {
      result = static_cast<int64_t>(number * unit.bytes);
      return true;
    }
  return wrong(format("%s '%s' is no number of bytes such as 100MB",
                      name.c_str(), value.c_str()));
}

bool CommandLine::parseOption() {
  if (isOption("--help") || strcmp(argv[at], "-h") == 0) {
    action = Help;
    return true;
  }
  if (isOption("--version")) {
    action = Version;
    return true;
  }
  if (strcmp(argv[at], "-v") == 0) {
    options.verbose = true;
    return true;
  }
  if (strcmp(argv[at], "-q") == 0) {
    options.progress = false;
    return true;
  }
  if (strcmp(argv[at], "--share-devices") == 0) {
    options.sharesDevices = true;
    return true;
  }
  if (isOption("--backend"))
    return nextValue() && (options.backend = value, true);
  if (isOption("--collectives"))
    return nextValue() && (options.collectives = value, true);
  if (isOption("--report"))
    return nextValue() && (options.reportPath = writtenFile(value), true);
  if (isOption("--trace"))
    return nextValue() && (options.tracePath = writtenFile(value), true);
  if (isOption("--feed"))
    return pair(options.feeds, "OUT=IN");
  if (isOption("--repeat")) {
    isRepeatGiven = true;
    return number(options.repeat, INT64_MAX);
  }
  if (isOption("--slow-link"))
    return bytes(options.slowLink);
  if (isOption("--threads"))
    return number(options.threads, maxThreads);
  if (argv[at][0] == '-' && argv[at][1] != '-') {
    if (isOption("-i"))
      return pair(options.inputs, "NAME=FILE");
    if (isOption("-o")) {
      if (!pair(options.outputs, "NAME=FILE"))
        return false;
      std::string &file = options.outputs.back().second;
      file = writtenFile(file);
      return true;
    }
  }
  return wrong(format("unknown %s '%s'",
                      argv[at][0] == '-' ? "option" : "argument", argv[at]));
}

int CommandLine::parse() {
  for (; at < argc; ++at) {
    if (!parseOption())
      return ExitUsage;
    if (action == Run)
      continue;
    if (!speaks())
      return ExitDone;
    if (action == Help)
      printHelp();
    else
      printf("%s: Tapestry runtime %s, ABI %d\n", options.tool.c_str(),
             TAPESTRY_RT_VERSION, TAPESTRY_ABI_VERSION);
    return ExitDone;
  }
  if (!options.feeds.empty() && !isRepeatGiven) {
    wrong("--feed is for the next repetition: it needs --repeat");
    return ExitUsage;
  }
  return -1;
}

int tapestry::rt::parseCommandLine(int argc, char **argv,
                                   const TapestryProgram &program,
                                   RunOptions &options) {
  return CommandLine(argc, argv, program, options).parse();
}

int tapestry_rt_main(int argc, char **argv, const TapestryProgram *program) {
  holdStandardFiles();
  RunOptions options;
  options.ownsProcess = true;
  options.showsResults = true;
  if (argc > 0 && argv[0][0] != '\0') {
    const char *slash = strrchr(argv[0], '/');
    options.tool = printable(slash ? slash + 1 : argv[0]);
  }
  // --help reads the tables, so they are checked first.
  Status status = checkProgram(*program);
  if (status.failed()) {
    if (speaks())
      fprintf(stderr, "%s: error: %s\n", options.tool.c_str(),
              status.message().c_str());
    return status.exitStatus();
  }
  int ends = parseCommandLine(argc, argv, *program, options);
  if (ends < 0)
    ends = run(*program, options);
  if (fflush(stdout) == 0)
    return ends;
  fprintf(stderr, "%s: error: cannot write to standard output: %s\n",
          options.tool.c_str(), errnoText(errno).c_str());
  return ends == ExitDone ? ExitEnvironment : ends;
}
