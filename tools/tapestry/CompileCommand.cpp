//===- CompileCommand.cpp - tapestry compile ------------------------------===//
//
// Links the program's object with the runtime into an executable. The
// executable appears whole or not at all.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "tapestry/Driver/Compilation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace tapestry;
using namespace tapestry::driver;

/// An archive of the runtime, in the folder lib beside this executable's.
static std::string findArchive(llvm::StringRef name) {
  std::string self = llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&findArchive));
  llvm::SmallString<256> path(
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(self)));
  llvm::sys::path::append(path, "lib", name);
  return path.str().str();
}

static std::string findLinker() {
  for (const char *name : {"c++", "g++", "clang++-22", "clang++"})
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  return {};
}

/// Links `object` into `executable`; says why not.
static ExitStatus link(llvm::StringRef object, llvm::StringRef executable,
                       const Target &target, bool verbose) {
  std::string main = findArchive("libTapestryRuntimeMain.a");
  std::string runtime = findArchive("libTapestryRuntime.a");
  for (const std::string &archive : {main, runtime})
    if (!llvm::sys::fs::exists(archive)) {
      printError(llvm::Twine("the runtime's archive is missing: ") + archive);
      return ExitEnvironment;
    }
  std::string linker = findLinker();
  if (linker.empty()) {
    printError("no C++ compiler to link with: tried c++, g++, clang++-22 and "
               "clang++");
    return ExitEnvironment;
  }
  // Where the program finds the runtime's plug-ins.
  std::string folder =
      ("-Wl,-rpath," + llvm::sys::path::parent_path(runtime)).str();
  llvm::SmallVector<llvm::StringRef> arguments = {
      linker, object, main, runtime, "-o", executable, folder};
  std::vector<std::string> libraries = target.getLinkArguments();
  arguments.append(libraries.begin(), libraries.end());
  if (verbose)
    llvm::errs() << "linking: " << llvm::join(arguments, " ") << '\n';
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(linker, arguments, std::nullopt, {}, 0,
                                         0, &problem);
  if (status == 0)
    return ExitDone;
  printError(llvm::Twine(linker) + " could not link '" + executable + "'" +
             (problem.empty() ? "" : ": " + problem));
  return ExitEnvironment;
}

ExitStatus tapestry::driver::compileProgram(const Options &options) {
  Compilation compilation(options);
  if (!options.stopAfter.empty())
    return compilation.printAfterPhase();
  if (ExitStatus status = compilation.load())
    return status;
  if (ExitStatus status = compilation.planGraph())
    return status;
  if (ExitStatus status = compilation.lower(Phase::Code))
    return status;
  std::unique_ptr<llvm::MemoryBuffer> object = compilation.emitObject();
  if (!object)
    return ExitEnvironment;

  llvm::SmallString<128> objectPath;
  int descriptor;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile(
          "tapestry", "o", descriptor, objectPath)) {
    printError("cannot make a temporary file: " + error.message());
    return ExitEnvironment;
  }
  llvm::FileRemover removeObject(objectPath);
  {
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << object->getBuffer();
    stream.flush();
    if (stream.has_error()) {
      printError(llvm::Twine(objectPath) + ": " + stream.error().message());
      stream.clear_error();
      return ExitEnvironment;
    }
  }

  llvm::SmallString<128> target(options.executable);
  if (llvm::sys::fs::exists(target)) {
    if (!llvm::sys::fs::is_regular_file(target)) {
      printError(options.executable, "cannot write: not a regular file");
      return ExitBadInput;
    }
    (void)llvm::sys::fs::real_path(options.executable, target);
  }
  llvm::SmallString<128> temporary;
  if (std::error_code error =
          llvm::sys::fs::createUniqueFile(target + ".%%%%%%", temporary)) {
    printError(options.executable, "cannot write: " + error.message());
    return ExitBadInput;
  }
  llvm::FileRemover removeTemporary(temporary);
  if (ExitStatus status =
          link(objectPath, temporary, compilation.getTarget(), options.verbose))
    return status;
  if (std::error_code error = llvm::sys::fs::rename(temporary, target)) {
    printError(options.executable, "cannot write: " + error.message());
    return ExitBadInput;
  }
  removeTemporary.releaseFile();
  return ExitDone;
}
