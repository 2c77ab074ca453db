//===- CollectiveSample.cpp - A standalone program of random collectives --===//
//
// For SAMPLE_DEVICES devices; SAMPLE_SEED says which. Fails where a value is
// wrong.
//
//===----------------------------------------------------------------------===//

#include "RandomCollectives.h"
#include <cstdlib>

using namespace tapestry::rt::testing;

int main(int argc, char **argv) {
  RandomCollectives sample(atoi(getenv("SAMPLE_DEVICES")),
                           RandomCollectives::usualCount,
                           atoi(getenv("SAMPLE_SEED")));
  return tapestry_rt_main(argc, argv, &sample.program.table());
}
