//===- CacheCommand.cpp - tapestry cache ----------------------------------===//

#include "Commands.h"
#include "tapestry/Driver/ObjectCache.h"
#include "tapestry/Support/Counted.h"

using namespace tapestry;
using namespace tapestry::driver;

ExitStatus tapestry::driver::manageCache(const Options &options) {
  auto cache = ObjectCache::ofUser(/*create=*/false);
  if (!cache) {
    ErrorFacts why = factsOf(cache.takeError());
    printText("nothing is kept: " + why.place +
              (why.place.empty() ? "" : ": ") + why.text + "\n");
    return ExitDone;
  }
  if (options.clear) {
    llvm::Error error = cache->clear();
    return error ? report(std::move(error)) : ExitDone;
  }
  auto contents = cache->count();
  if (!contents)
    return report(contents.takeError());
  const ObjectCache::Limits &limits = cache->getLimits();
  printText(joinedText(
      cache->getFolder(), ": ", countOf(int64_t(contents->objects), "object"),
      " of ", countOf(int64_t(contents->bytes), "byte"), "; kept are the ",
      limits.objects, " used last, of up to ", limits.bytes, " bytes\n"));
  return ExitDone;
}
