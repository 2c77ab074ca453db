//===- LinkFitTest.cpp - Tests of fitting a link to times -----------------===//

#include "tapestry/Planner/Machine/LinkFit.h"
#include "../TestErrors.h"
#include <random>

using namespace tapestry;
using namespace tapestry::machine;
using namespace tapestry::test;

namespace {

std::vector<LinkSample> samplesOf(const Link &link, double noise,
                                  unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> factor(1 - noise, 1 + noise);
  std::vector<LinkSample> samples;
  for (double messages : {1.0, 3.0, 6.0})
    for (double bytes = 64; bytes < 1e8; bytes *= 4) {
      double seconds = messages * link.latency + bytes / link.bandwidth;
      samples.push_back({messages, bytes, seconds * factor(random)});
    }
  return samples;
}

TEST(LinkFit, FindsTheLinkBehindExactTimes) {
  for (Link link : {Link{450e9, 2e-6}, Link{1e9, 50e-6}, Link{5e9, 0}}) {
    Link found = valueOf(fitLink(samplesOf(link, 0, 1)));
    EXPECT_NEAR(found.bandwidth, link.bandwidth, 1e-6 * link.bandwidth);
    EXPECT_NEAR(found.latency, link.latency, 1e-6 * link.latency + 1e-15);
  }
}

TEST(LinkFit, IsNearUnderNoise) {
  Link link{5e9, 8e-6};
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Link found = valueOf(fitLink(samplesOf(link, 0.2, seed)));
    EXPECT_NEAR(found.bandwidth, link.bandwidth, 0.15 * link.bandwidth);
    EXPECT_NEAR(found.latency, link.latency, 0.15 * link.latency);
  }
}

TEST(LinkFit, NothingIsNegative) {
  // Times that grow faster than the bytes: the best line starts below 0.
  Link found = valueOf(fitLink({{1, 1e3, 1e-7}, {1, 1e6, 2e-3}}));
  EXPECT_EQ(found.latency, 0);
  EXPECT_GT(found.bandwidth, 0);
}

TEST(LinkFit, RefusesWhatSaysNothing) {
  expectError(fitLink({}), {"0 samples"});
  expectError(fitLink({{1, 100, 1e-6}}), {"1 samples"});
  expectError(fitLink({{1, 100, 1e-6}, {2, 200, 2e-6}}), {"2 samples"});
  expectError(fitLink({{1, 100, 0}, {1, 200, 1}}), {"100 bytes took 0"});
  expectError(fitLink({{1, 100, 2e-6}, {1, 1e6, 1e-6}}), {"no longer"});
}

} // namespace
