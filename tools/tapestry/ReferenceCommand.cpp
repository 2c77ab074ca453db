#include "Commands.h"
#include "Compilation.h"
using namespace tapestry::driver;
ExitStatus tapestry::driver::evaluateReference(const Options &options) {
  printError("reference evaluation is not built yet");
  return Unable;
}
