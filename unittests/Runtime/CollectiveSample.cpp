//===- CollectiveSample.cpp - A standalone program of random collectives --===//
//
// For SAMPLE_DEVICES devices; SAMPLE_SEED says which, SAMPLE_TOGETHER how many
// are on their way at once. Fails where a value is wrong.
//
//===----------------------------------------------------------------------===//

#include "RandomCollectives.h"
#include <cstdlib>

using namespace tapestry::rt::testing;

int main(int argc, char **argv) {
  const char *together = getenv("SAMPLE_TOGETHER");
  RandomCollectives sample(
      atoi(getenv("SAMPLE_DEVICES")), RandomCollectives::usualCount,
      atoi(getenv("SAMPLE_SEED")), together ? atoi(together) : 1);
  return tapestry_rt_main(argc, argv, &sample.program.table());
}
