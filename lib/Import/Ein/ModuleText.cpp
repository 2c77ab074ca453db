//===- ModuleText.cpp - Where the text of a module lies -------------------===//

#include "ModuleText.h"
#include "tapestry/Import/Ein/Library.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tapestry::ein;

llvm::Expected<llvm::StringRef>
tapestry::ein::loadModule(llvm::SourceMgr &sources, llvm::StringRef name) {
  llvm::SmallString<128> path = llvm::sys::path::parent_path(
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier());
  llvm::sys::path::append(path, name + ".ein");
  std::unique_ptr<llvm::MemoryBuffer> text;
  if (llvm::sys::fs::exists(path)) {
    auto read = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
    if (!read)
      return llvm::createStringError(path + ": " + read.getError().message());
    text = std::move(*read);
  }
  std::string names;
  for (const LibraryModule &module : libraryModules()) {
    names += (names.empty() ? "" : ", ") + module.name.str();
    if (!text && module.name == name)
      text = llvm::MemoryBuffer::getMemBuffer(
          module.text, (name + ".ein of the library").str());
  }
  if (!text)
    return llvm::createStringError("there is no module '" + name +
                                   "': no file " + path +
                                   ", and the library has " + names);
  unsigned id = sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  return sources.getMemoryBuffer(id)->getBuffer();
}
