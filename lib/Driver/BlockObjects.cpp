//===- BlockObjects.cpp - Files with functions of blocks ------------------===//

#include "tapestry/Driver/BlockObjects.h"
#include "tapestry-rt/Crash.h"
#include "tapestry/Dialect/Tapestry/IR/BlockFunctions.h"
#include "tapestry/Interfaces/Place.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/TargetParser/Host.h"

using namespace tapestry;
using namespace tapestry::driver;

static constexpr llvm::StringLiteral prefix = "tapestry_block_v";

static std::string linkerName(llvm::StringRef function) {
  return joinedText(prefix, TAPESTRY_BLOCK_VERSION, "_", function);
}

/// Whether functions are to be called before anything of an object is used.
static bool hasInitialisers(const llvm::object::ELFObjectFileBase &elf) {
  return llvm::any_of(
      elf.sections(), [](const llvm::object::ELFSectionRef section) {
        llvm::Expected<llvm::StringRef> name = section.getName();
        bool isNamed = name && (name->starts_with(".ctors") ||
                                name->starts_with(".init_array"));
        if (!name)
          llvm::consumeError(name.takeError());
        return section.getSize() > 0 &&
               (isNamed || section.getType() == llvm::ELF::SHT_INIT_ARRAY ||
                section.getType() == llvm::ELF::SHT_PREINIT_ARRAY);
      });
}

ExitStatus BlockObjects::readFile(const std::string &path, Use use) {
  auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!text) {
    printError(path, text.getError().message());
    return ExitBadInput;
  }
  auto object =
      llvm::object::ObjectFile::createELFObjectFile((*text)->getMemBufferRef());
  auto *elf =
      object ? llvm::dyn_cast<llvm::object::ELFObjectFileBase>(object->get())
             : nullptr;
  if (!elf || (elf->getEType() != llvm::ELF::ET_REL &&
               elf->getEType() != llvm::ELF::ET_DYN)) {
    if (!object)
      llvm::consumeError(object.takeError());
    printError(path, "is no object file");
    return ExitBadInput;
  }
  llvm::Triple host(llvm::sys::getProcessTriple());
  if (elf->getArch() != host.getArch()) {
    printError(path, "is an object file for " +
                         llvm::Triple::getArchTypeName(elf->getArch()) +
                         ", not for " + host.getArchName());
    return ExitBadInput;
  }
  bool isLibrary = elf->getEType() == llvm::ELF::ET_DYN;
  if (!isLibrary && use == Use::Load && hasInitialisers(*elf)) {
    printError(path,
               "has initialisers, which run before main, as of C++: here "
               "they would not. Those of a shared library do (c++ -shared "
               "-fPIC), and those of an executable (tapestry compile)");
    return ExitBadInput;
  }
  std::vector<llvm::object::SymbolRef> all;
  if (isLibrary)
    llvm::append_range(all, elf->getDynamicSymbolIterators());
  else
    llvm::append_range(all, elf->symbols());
  for (const llvm::object::SymbolRef &symbol : all) {
    auto name = symbol.getName();
    auto flags = symbol.getFlags();
    if (!name || !flags) {
      llvm::consumeError(name ? llvm::Error::success() : name.takeError());
      llvm::consumeError(flags ? llvm::Error::success() : flags.takeError());
      printError(path, "is no object file that can be read");
      return ExitBadInput;
    }
    llvm::StringRef rest = *name;
    unsigned version = 0;
    bool isUndefined = *flags & llvm::object::SymbolRef::SF_Undefined;
    if (!(*flags & llvm::object::SymbolRef::SF_Global))
      continue;
    if (!isUndefined)
      symbols.insert(*name);
    else if (!(*flags & llvm::object::SymbolRef::SF_Weak))
      needed.push_back({name->str(), path, isLibrary});
    if (isUndefined || !rest.consume_front(prefix) ||
        rest.consumeInteger(10, version) || !rest.consume_front("_"))
      continue;
    if (version != TAPESTRY_BLOCK_VERSION) {
      otherVersions[rest] = {path, static_cast<int>(version)};
      continue;
    }
    auto [known, isNew] = defined.try_emplace(rest, path);
    if (!isNew) {
      printError(path, "defines block '" + rest + "', which '" + known->second +
                           "' defines, too");
      return ExitBadInput;
    }
  }
  if (isLibrary)
    // Without a folder it would be looked for elsewhere.
    files.libraries.push_back(
        llvm::StringRef(path).contains('/') ? path : "./" + path);
  else
    files.objects.push_back((*text)->getMemBufferRef());
  buffers.push_back(std::move(*text));
  return ExitDone;
}

ExitStatus BlockObjects::checkUses(teg::GraphOp graph) {
  for (const teg::BlockUse &use : teg::findBlocks(graph)) {
    if (defined.contains(use.function))
      continue;
    auto other = otherVersions.find(use.function);
    if (other != otherVersions.end()) {
      printError(other->second.first,
                 "defines block '" + use.function + "' for version " +
                     llvm::Twine(other->second.second) +
                     " of tapestry-rt/Block.h, but this is version " +
                     llvm::Twine(TAPESTRY_BLOCK_VERSION));
      return ExitEnvironment;
    }
    std::string text =
        joinedText("block '", use.name, "' calls '", use.function, "', which ");
    text += defined.empty() ? "no --object defines"
                            : "is none of the functions that --object defines";
    return report(errorAt(placeOf(use.loc), text));
  }
  return ExitDone;
}

ExitStatus BlockObjects::read(llvm::ArrayRef<std::string> paths,
                              teg::GraphOp graph, Use use) {
  for (const std::string &path : paths)
    if (ExitStatus status = readFile(path, use))
      return status;
  return checkUses(graph);
}

ExitStatus BlockObjects::reportFirst(
    llvm::function_ref<bool(const Needed &)> isMissing) const {
  for (const Needed &symbol : needed) {
    // The linker's own.
    if (symbol.symbol == "_GLOBAL_OFFSET_TABLE_" || !isMissing(symbol) ||
        llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(symbol.symbol))
      continue;
    printError(symbol.path,
               "needs '" + symbol.symbol +
                   "', which neither a file of --object nor a library defines");
    return ExitBadInput;
  }
  return ExitDone;
}

ExitStatus BlockObjects::reportUndefined() const {
  return reportFirst(
      [&](const Needed &symbol) { return !symbols.contains(symbol.symbol); });
}

ExitStatus BlockObjects::checkLibraries() const {
  // What object files define libraries do not see.
  return reportFirst([](const Needed &symbol) { return symbol.isLibrary; });
}

ExitStatus BlockObjects::loadInto(teg::GraphOp graph) {
  if (defined.empty())
    return ExitDone;
  auto made = JitProgram::create(nullptr, {}, files);
  if (!made) {
    printError(llvm::toString(made.takeError()));
    return ExitEnvironment;
  }
  jit = std::move(*made);
  if (ExitStatus status = checkLibraries())
    return status;
  auto &known = teg::BlockFunctions::of(graph.getContext());
  known.guardedCall = [](TapestryBlockFunction function,
                         const TapestryBlockCall *call,
                         const std::string &failure) {
    rt::CrashGuard guard(failure, ExitBadInput);
    return function(call);
  };
  for (const teg::BlockUse &use : teg::findBlocks(graph)) {
    auto address = jit->lookup(linkerName(use.function));
    if (!address) {
      std::string why = llvm::toString(address.takeError());
      if (ExitStatus status = reportUndefined())
        return status;
      printError(why);
      return ExitEnvironment;
    }
    known.functions[use.function] =
        reinterpret_cast<TapestryBlockFunction>(*address);
  }
  return ExitDone;
}
