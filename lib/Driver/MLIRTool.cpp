//===- MLIRTool.cpp - Tools whose main is one of MLIR's -------------------===//
//
// Those mains open the file of -o themselves, and end a failed write as a fatal
// error. So they are given a file aside instead, and fatal errors of streams
// come here.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Driver/MLIRTool.h"
#include "tapestry-rt/Files.h"
#include "tapestry/Driver/OutputFile.h"
#include "tapestry/Driver/Status.h"
#include "tapestry/InitAll.h"
#include "tapestry/Pipelines/Pipelines.h"
#include "tapestry/Plugin/Loader.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::driver;

namespace {
/// The arguments, in which the output has a place of its own.
class Arguments {
public:
  Arguments(int argc, char **argv);

  std::vector<char *> words;
  /// The file of -o; empty: standard output.
  std::string output;
  /// What may be files that are read.
  std::vector<rt::NamedFile> others;

  /// Puts another file in the place of the output.
  void redirect(const std::string &path) {
    replacement = prefix + path;
    words[position] = replacement.data();
  }

private:
  size_t position = 0;
  /// "-o=", where option and file are one word.
  std::string prefix;
  std::string replacement;
};
} // namespace

Arguments::Arguments(int argc, char **argv) : words(argv, argv + argc) {
  for (size_t at = 1; at < words.size(); ++at) {
    llvm::StringRef word = words[at];
    auto [option, value] = word.split('=');
    if (!word.starts_with("-") || word == "-") {
      others.emplace_back("the input", word);
    } else if (word == "-o" || word == "--o") {
      if (++at < words.size())
        output = words[at];
      position = at;
      prefix.clear();
    } else if (option == "-o" || option == "--o") {
      output = value;
      position = at;
      prefix = (option + "=").str();
    }
  }
  if (output == "-")
    output.clear();
  // A null pointer ends an argv.
  words.push_back(nullptr);
}

/// For the handler of fatal errors, which are those of the process.
static std::string toolName, outputName;

/// What a stream could not write is known for certain when it is closed, which
/// LLVM takes for a fatal error.
static void onFatalError(void *, const char *reason, bool) {
  llvm::StringRef text = reason;
  if (!text.consume_front("IO failure on output stream: ")) {
    llvm::errs() << "LLVM ERROR: " << text << '\n';
    return;
  }
  if (outputName.empty())
    printError(toolName, "cannot write to standard output: " + text);
  else
    printError(outputName, "cannot write: " + text);
  rt::removeTemporaries();
  _exit(ExitEnvironment);
}

int tapestry::driver::runMLIRTool(
    llvm::StringRef name, int argc, char **argv,
    llvm::function_ref<llvm::LogicalResult(int, char **)> main) {
  rt::holdStandardFiles();
  toolName = name;
  llvm::install_fatal_error_handler(onFatalError);
  // LLVM's own handlers of signals first: they do not replace those that follow
  // when `main` asks for them.
  llvm::sys::SetInterruptFunction(nullptr);
  rt::SignalGuard signals;
  // Before plug-ins, which must not take their names.
  registerAllTargets();
  registerAllCostModels();
  if (int status = loadPluginsOrReport(name, argc, argv))
    return status;

  Arguments arguments(argc, argv);
  rt::NewFile file;
  bool isAside = false;
  if (!arguments.output.empty()) {
    rt::Status status =
        rt::checkDistinct({{"-o", arguments.output}}, arguments.others);
    if (status.failed()) {
      printError(name, status.message());
      return status.exitStatus();
    }
    if (ExitStatus failed = report(file.prepare(arguments.output)))
      return failed;
    isAside = file.isWanted();
  }
  if (isAside) {
    file.nameAside(rt::uniqueId());
    int fd;
    if (ExitStatus failed = report(file.create(fd)))
      return failed;
    arguments.redirect(file.aside());
    outputName = arguments.output;
  }
  uint64_t said = llvm::errs().tell();
  if (failed(main(argc, arguments.words.data()))) {
    // MLIR's reader of bytecode refuses some attributes without a word.
    if (llvm::errs().tell() == said)
      printError(name, "the input is not what " + name +
                           " reads: damaged "
                           "bytecode?");
    return ExitBadInput;
  }
  return isAside ? report(file.commit()) : ExitDone;
}
