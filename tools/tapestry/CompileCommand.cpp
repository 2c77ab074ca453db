//===- CompileCommand.cpp - tapestry compile ------------------------------===//
//
// Links the program's object with the runtime into an executable. The
// executable appears whole or not at all.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "tapestry-rt/Files.h"
#include "tapestry/Driver/BlockObjects.h"
#include "tapestry/Driver/Compilation.h"
#include "tapestry/Driver/OutputFile.h"
#include "tapestry/Driver/Stage.h"
#include "tapestry/Driver/TemporaryFolder.h"
#include "tapestry/Object/Object.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
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

static std::string absolutePath(llvm::StringRef file) {
  llvm::SmallString<256> path(file);
  // What has no absolute path is left to the linker to refuse.
  if (llvm::sys::fs::make_absolute(path))
    return file.str();
  llvm::sys::path::remove_dots(path);
  return path.str().str();
}

/// The files with functions of blocks. A library is found where it lies now,
/// wherever the executable is started, under its path or, where it has a name
/// of its own, in its folder.
static void addObjects(std::vector<std::string> &arguments,
                       llvm::ArrayRef<std::string> files,
                       const BlockObjects &blocks) {
  for (const std::string &file : files) {
    std::string path = absolutePath(file);
    arguments.push_back(path);
    auto isThis = [&](const std::string &library) {
      return absolutePath(library) == path;
    };
    if (!llvm::any_of(blocks.getFiles().libraries, isThis))
      continue;
    // One word each: with commas in it a folder would be several of -Wl.
    for (llvm::StringRef word :
         {llvm::StringRef("-rpath"), llvm::sys::path::parent_path(path)})
      llvm::append_range(arguments,
                         llvm::ArrayRef<std::string>{"-Xlinker", word.str()});
  }
}

/// Links `objects` into the file `executable`; says why not.
static ExitStatus link(llvm::ArrayRef<std::string> objects,
                       const BlockObjects &blocks,
                       const std::string &executable, const Target &target,
                       const Options &options) {
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
  std::vector<std::string> arguments = {linker};
  llvm::append_range(arguments, objects);
  addObjects(arguments, options.objects, blocks);
  llvm::append_range(arguments, llvm::ArrayRef{main, runtime, std::string("-o"),
                                               executable, folder});
  llvm::append_range(arguments, target.getLinkArguments());
  if (options.verbose)
    llvm::errs() << "linking: " << llvm::join(arguments, " ") << '\n';
  std::string problem;
  int status = rt::runChild(arguments, problem);
  if (status == 0)
    return ExitDone;
  if (ExitStatus undefined = blocks.reportUndefined())
    return undefined;
  printError(llvm::Twine(linker) + " could not link '" + options.executable +
             "'" + (problem.empty() ? "" : ": " + problem));
  return ExitEnvironment;
}

ExitStatus tapestry::driver::compileProgram(const Options &options) {
  Compilation compilation(options);
  if (!options.stopAfter.empty())
    return compilation.printAfterPhase();
  if (ExitStatus status = compilation.load())
    return status;
  BlockObjects blocks;
  if (ExitStatus status = blocks.read(options.objects, compilation.getGraph(),
                                      BlockObjects::Use::Link))
    return status;
  if (ExitStatus status = compilation.planGraph())
    return status;
  if (!options.format.empty()) {
    std::string text;
    if (ExitStatus status = compilation.emitForm(text))
      return status;
    return report(rt::putFile(options.executable, text));
  }
  std::unique_ptr<llvm::MemoryBuffer> object;
  if (ExitStatus status = compilation.makeObject(object))
    return status;

  TemporaryFolder folder;
  if (ExitStatus status = folder.make())
    return status;
  auto parts = objectsIn(*object);
  if (!parts)
    return report(parts.takeError());
  std::vector<std::string> objects;
  for (llvm::MemoryBufferRef part : *parts) {
    objects.push_back(
        folder.file("program" + llvm::Twine(objects.size()) + ".o"));
    if (ExitStatus status =
            writeOutputFile(objects.back(), [&](llvm::raw_ostream &os) {
              os << part.getBuffer();
            }))
      return status;
  }
  std::string linked = folder.file("program");
  Stage stage(options, "linking");
  if (ExitStatus status =
          link(objects, blocks, linked, compilation.getTarget(), options))
    return status;
  auto contents = llvm::MemoryBuffer::getFile(linked);
  if (!contents) {
    printError(linked, contents.getError().message());
    return ExitEnvironment;
  }
  return report(rt::putFile(options.executable, (*contents)->getBuffer().str(),
                            /*executable=*/true));
}
