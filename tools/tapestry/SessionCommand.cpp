//===- SessionCommand.cpp - tapestry session ------------------------------===//
//
// Reads commands and carries them out on a session of the runtime. What a
// program is compiled to is kept for the next time that it is applied to
// tensors of the same shapes, which lie the same way.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "tapestry-rt/Files.h"
#include "tapestry-rt/Session.h"
#include "tapestry/Driver/Compilation.h"
#include "tapestry/Driver/InProcess.h"
#include "tapestry/Driver/SessionScript.h"
#include "tapestry/Driver/Stage.h"
#include "tapestry/Support/PlainLayout.h"
#include "tapestry/Support/TextTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <list>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::driver;

// More of them are compiled anew.
static constexpr size_t mostPrograms = 64;

namespace {

/// Code, and all that it depends on beside the session's options.
struct CompiledProgram {
  /// Path, graph, params and text.
  std::string source;
  std::vector<HeldInput> inputs;
  /// Of files that the program names and that decided its params.
  std::map<std::string, std::vector<int64_t>> fileShapes;
  LoadedProgram loaded;
};

class SessionRunner {
public:
  SessionRunner(const Options &options, DeviceGrid grid)
      : options(options), grid(std::move(grid)) {}
  ~SessionRunner() { tapestry_session_close(session); }

  ExitStatus open();
  /// All commands of a stream; `name` is what messages call it.
  ExitStatus runAll(FILE *stream, llvm::StringRef name);

private:
  ExitStatus runLine(llvm::StringRef line);
  ExitStatus run(const SessionCommand &command);
  ExitStatus apply(const SessionCommand &command);
  ExitStatus compile(const Options &program, const TapestryProgram *&result);
  Options optionsOf(const SessionCommand &command);
  std::optional<HeldInput> heldAs(const std::string &inProgram,
                                  const std::string &inSession);
  void list();
  /// Prints what a call of the runtime ended with.
  ExitStatus report(int status);
  ExitStatus timed(const char *what, llvm::function_ref<int()> call);

  const Options &options;
  const DeviceGrid grid; // its axes are prime
  TapestrySession *session = nullptr;
  std::list<CompiledProgram> programs; // the newest last
};

} // namespace

ExitStatus SessionRunner::open() {
  TapestrySessionOptions wanted = {};
  wanted.version = TAPESTRY_SESSION_VERSION;
  wanted.struct_size = sizeof(wanted);
  wanted.devices = grid.numDevices();
  wanted.memory_limit = options.planning.memoryLimit;
  wanted.progress = !options.quiet;
  const char *problem = nullptr;
  session = tapestry_session_open(&wanted, &problem);
  if (session)
    return ExitDone;
  printError(problem);
  return ExitEnvironment;
}

ExitStatus SessionRunner::report(int status) {
  if (status != ExitDone)
    printMessage(tapestry_session_message(session));
  return static_cast<ExitStatus>(status);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

std::optional<HeldInput> SessionRunner::heldAs(const std::string &inProgram,
                                               const std::string &inSession) {
  TapestryTensor tensor;
  if (tapestry_session_describe(session, inSession.c_str(), &tensor) !=
      ExitDone)
    return std::nullopt;
  HeldInput held = {inProgram, {tensor.shape, tensor.shape + tensor.rank}, {}};
  const TapestryRange *range = tensor.boxes;
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    ZBox &box = held.boxes.emplace_back();
    for (int32_t dim = 0; dim < tensor.rank; ++dim, ++range)
      box.push_back({range->lo, range->hi});
  }
  return held;
}

/// What the program's inputs may be, in the session's tensors.
Options SessionRunner::optionsOf(const SessionCommand &command) {
  Options program = options;
  program.command = Command::Run;
  program.program = command.path;
  program.graph = command.graph;
  program.params = command.params;
  program.planning.program = llvm::sys::path::filename(command.path).str();
  // Programs are imported while the command is carried out.
  program.whyNotHeld = [this, &command](llvm::StringRef input) {
    std::string name = input.str();
    for (const auto &[inProgram, inSession] : command.bindings)
      if (inProgram == input)
        name = inSession;
    TapestryTensor tensor;
    tapestry_session_describe(session, name.c_str(), &tensor);
    llvm::StringRef why = tapestry_session_message(session);
    why.consume_front("error: ");
    return (why + " (for input '" + input + "')").str();
  };
  llvm::StringSet<> bound;
  auto add = [&](const std::string &inProgram, const std::string &inSession) {
    if (auto held = heldAs(inProgram, inSession))
      program.held.push_back(std::move(*held));
  };
  for (const auto &[inProgram, inSession] : command.bindings)
    if (bound.insert(inProgram).second)
      add(inProgram, inSession);
  for (int64_t i = 0; i < tapestry_session_count(session); ++i) {
    std::string name = tapestry_session_name(session, i);
    if (!bound.contains(name))
      add(name, name);
  }
  return program;
}

/// Those of the tensors that a program has as inputs.
static std::vector<HeldInput> inputsOf(const TapestryProgram &program,
                                       llvm::ArrayRef<HeldInput> held) {
  llvm::StringSet<> names;
  for (int32_t i = 0; i < program.num_inputs; ++i)
    names.insert(program.inputs[i].name);
  // They decide params, too.
  for (int64_t i = 0; i < program.num_unread_inputs; ++i)
    names.insert(program.unread_inputs[i]);
  std::vector<HeldInput> inputs;
  llvm::copy_if(held, std::back_inserter(inputs), [&](const HeldInput &input) {
    return names.contains(input.name);
  });
  return inputs;
}

/// Whether files still have the shapes that params were taken from.
static bool
areShapes(const std::map<std::string, std::vector<int64_t>> &fileShapes) {
  return llvm::all_of(fileShapes, [](const auto &known) {
    std::vector<int64_t> shape;
    return !rt::readShape(known.first, shape).failed() && shape == known.second;
  });
}

ExitStatus SessionRunner::compile(const Options &program,
                                  const TapestryProgram *&result) {
  auto text = llvm::MemoryBuffer::getFile(program.program, /*IsText=*/true);
  if (!text) {
    printError(program.program, text.getError().message());
    return ExitBadInput;
  }
  std::string source;
  llvm::raw_string_ostream os(source);
  os << program.program << '\0' << program.graph << '\0';
  std::vector<llvm::StringRef> params;
  for (const auto &entry : program.params)
    params.push_back(entry.first());
  llvm::sort(params);
  for (llvm::StringRef name : params)
    os << name << '=' << ein::toString(program.params.lookup(name)) << '\0';
  os << '\0' << (*text)->getBuffer();
  for (const CompiledProgram &known : programs)
    if (known.source == source &&
        known.inputs == inputsOf(*known.loaded.program, program.held) &&
        areShapes(known.fileShapes)) {
      result = known.loaded.program;
      return ExitDone;
    }
  Compilation compilation(program);
  if (ExitStatus status = compilation.load())
    return status;
  BlockObjects blocks;
  if (ExitStatus status = blocks.read(program.objects, compilation.getGraph()))
    return status;
  if (ExitStatus status = compilation.planGraph())
    return status;
  LoadedProgram loaded;
  if (ExitStatus status = loadProgram(compilation, blocks, loaded))
    return status;
  result = loaded.program;
  programs.push_back({source, inputsOf(*result, program.held),
                      compilation.getFileShapes(), std::move(loaded)});
  if (programs.size() > mostPrograms)
    programs.pop_front();
  return ExitDone;
}

ExitStatus SessionRunner::apply(const SessionCommand &command) {
  const TapestryProgram *program = nullptr;
  if (ExitStatus status = compile(optionsOf(command), program))
    return status;
  std::vector<TapestryBinding> bindings;
  for (const auto &[inProgram, inSession] : command.bindings)
    bindings.push_back({inProgram.c_str(), inSession.c_str()});
  return report(tapestry_session_apply(
      session, program, bindings.data(), bindings.size(),
      command.reportFile.empty() ? nullptr : command.reportFile.c_str()));
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// As a pin would say it; "whole" where every device has all.
static std::string layoutCell(const DeviceGrid &grid, const HeldInput &held) {
  std::optional<Layout> layout = findPlainLayout(grid, held.shape, held.boxes);
  if (!layout)
    return "boxes";
  llvm::SmallVector<std::string> cuts;
  for (auto [number, dim] : llvm::enumerate(layout->dims)) {
    if (dim.cut().empty())
      continue;
    llvm::SmallVector<std::string> axes;
    for (unsigned axis : dim.cut())
      axes.push_back(grid.axes[axis].name);
    cuts.push_back(std::to_string(number) + ": [" + llvm::join(axes, ", ") +
                   "]");
  }
  return cuts.empty() ? "whole" : "{" + llvm::join(cuts, ", ") + "}";
}

void SessionRunner::list() {
  TextTable table({"name", "type", "shape", "layout", "bytes per device"}, 4);
  for (int64_t i = 0; i < tapestry_session_count(session); ++i) {
    const char *name = tapestry_session_name(session, i);
    TapestryTensor tensor;
    tapestry_session_describe(session, name, &tensor);
    HeldInput held = *heldAs(name, name);
    int64_t most = 0;
    for (const ZBox &box : held.boxes)
      most = std::max(most, volume(box));
    llvm::SmallVector<std::string> extents;
    for (int64_t extent : held.shape)
      extents.push_back(std::to_string(extent));
    table.add({name, tapestry_type_name(tensor.dtype),
               "[" + llvm::join(extents, ", ") + "]", layoutCell(grid, held),
               std::to_string(most * tapestry_type_bytes(tensor.dtype))});
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os);
  printText(text);
  llvm::outs().flush();
}

ExitStatus SessionRunner::timed(const char *what,
                                llvm::function_ref<int()> call) {
  int status;
  {
    Stage stage(options, what);
    status = call();
  }
  return report(status);
}

ExitStatus SessionRunner::run(const SessionCommand &command) {
  using Verb = SessionCommand::Verb;
  const char *name = command.name.c_str();
  const char *path = command.path.c_str();
  switch (command.verb) {
  case Verb::Load:
    return timed("reading a tensor", [&] {
      return tapestry_session_load(session, name, path, command.type.c_str());
    });
  case Verb::Apply:
    return apply(command);
  case Verb::Export:
    return timed("writing a tensor",
                 [&] { return tapestry_session_export(session, name, path); });
  case Verb::Checkpoint:
    return timed("writing a checkpoint",
                 [&] { return tapestry_session_checkpoint(session, path); });
  case Verb::Restore:
    return timed("reading a checkpoint",
                 [&] { return tapestry_session_restore(session, path); });
  case Verb::Drop:
    return report(tapestry_session_drop(session, name));
  case Verb::List:
    list();
    return ExitDone;
  }
  llvm_unreachable("no other command");
}

ExitStatus SessionRunner::runLine(llvm::StringRef line) {
  auto command = parseSessionCommand(line);
  if (!command)
    return driver::report(command.takeError());
  return *command ? run(**command) : ExitDone;
}

ExitStatus SessionRunner::runAll(FILE *stream, llvm::StringRef name) {
  bool isTerminal = isatty(fileno(stream)) != 0;
  char *line = nullptr;
  size_t capacity = 0;
  ExitStatus status = ExitDone;
  for (int64_t number = 1; status == ExitDone || isTerminal; ++number) {
    if (isTerminal && !options.quiet)
      llvm::errs() << "tapestry> ";
    errno = 0;
    ssize_t length = getline(&line, &capacity, stream);
    MessagePlace place(name + ":" + llvm::Twine(number));
    if (length < 0 && errno != 0) {
      printError("cannot read: " + llvm::Twine(strerror(errno)));
      status = ExitBadInput;
    }
    if (length < 0)
      break;
    status = runLine(
        llvm::StringRef(line, static_cast<size_t>(length)).rtrim("\r\n"));
  }
  free(line);
  return status;
}

ExitStatus tapestry::driver::runSession(const Options &given) {
  Options options = given;
  auto request = plan::resolveRequest(options.planning);
  if (!request)
    return report(request.takeError());
  int64_t devices = std::max(request->devices, request->grid.numDevices());
  if (ExitStatus status = checkLocalRanks(devices))
    return status;
  // Programs share the tensors' devices, so that none may leave some out.
  if (options.planning.grid.empty())
    options.planning.grid = "d=" + std::to_string(devices);
  request = plan::resolveRequest(options.planning);
  if (!request)
    return report(request.takeError());
  SessionRunner runner(options, splitIntoPrimes(request->grid));
  if (ExitStatus status = runner.open())
    return status;
  if (options.commandFile.empty() || options.commandFile == "-")
    return runner.runAll(stdin, "<stdin>");
  FILE *file = fopen(options.commandFile.c_str(), "re");
  if (!file) {
    printError(options.commandFile,
               "cannot open: " + llvm::Twine(strerror(errno)));
    return ExitBadInput;
  }
  ExitStatus status = runner.runAll(file, options.commandFile);
  fclose(file);
  return status;
}
