//===- CachedObject.cpp - Compiles what was not compiled before -----------===//

#include "tapestry/Driver/CachedObject.h"
#include "mlir/IR/Diagnostics.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Driver/ObjectCache.h"
#include "tapestry/Driver/Stage.h"
#include "tapestry/Driver/Version.h"
#include "tapestry/Interfaces/Place.h"
#include "tapestry/Plugin/Loader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::driver;

namespace {
/// Hashes what is written.
class HashStream : public llvm::raw_ostream {
public:
  ~HashStream() override { flush(); }

  /// A field, of which no other can be a part.
  void add(llvm::StringRef field) { *this << field.size() << ':' << field; }
  std::string hex() {
    flush();
    return llvm::toHex(hash.final(), /*LowerCase=*/true);
  }

private:
  void write_impl(const char *bytes, size_t size) override {
    hash.update(llvm::StringRef(bytes, size));
    written += size;
  }
  uint64_t current_pos() const override { return written; }

  llvm::BLAKE3 hash;
  uint64_t written = 0;
};
} // namespace

/// What an object depends on; empty where that is not known.
static std::string keyOf(ModuleOp module, const CodegenOptions &codegen) {
  HashStream key;
  // Of how entries and keys are written.
  key.add("1");
  // LLVM and the C library, which folds constants, are shared libraries. What
  // is loaded later are functions of blocks, which no object contains.
  static const std::vector<std::string> builds = buildIds();
  for (const std::string &id : builds) {
    if (id.empty())
      return {};
    key.add(id);
  }
  std::string words;
  llvm::raw_string_ostream os(words);
  codegen.print(os);
  key.add(words);
  key.add(llvm::sys::getHostCPUName());
  const llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  llvm::SmallVector<llvm::StringRef> features;
  for (const auto &feature : host)
    if (feature.second)
      features.push_back(feature.first());
  llvm::sort(features);
  key.add(llvm::join(features, " "));
  // All of the IR but its locations. The generic form leaves nothing to those
  // who print operations.
  module->print(key, OpPrintingFlags().printGenericOpForm().assumeVerified());
  // These alone are in the code: it says where a run has ended.
  module.walk([&](teg::RequireOp op) { key.add(placeOf(op.getLoc())); });
  return key.hex();
}

ExitStatus tapestry::driver::cachedObject(
    const Options &options, const CodegenOptions &codegen, ModuleOp module,
    ObjectMaker make, std::unique_ptr<llvm::MemoryBuffer> &object) {
  auto cache = ObjectCache::ofUser(/*create=*/true);
  if (!cache)
    llvm::consumeError(cache.takeError());
  if (!cache || hasPlugins())
    return make(object);
  std::string key;
  {
    Stage stage(options, "looking for the object");
    key = keyOf(module, codegen);
    if (!key.empty())
      object = cache->find(key);
  }
  if (object) {
    if (options.verbose)
      llvm::errs() << "tapestry: it is one of an earlier compilation\n";
    return ExitDone;
  }
  // What is said is said again the next time.
  bool isSilent = true;
  ScopedDiagnosticHandler listener(module.getContext(), [&](Diagnostic &) {
    isSilent = false;
    return failure();
  });
  if (ExitStatus status = make(object))
    return status;
  if (isSilent && !key.empty())
    cache->keep(key, object->getBuffer());
  return ExitDone;
}
