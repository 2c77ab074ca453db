//===- LinkFit.cpp - A link's numbers from measured times -----------------===//

#include "tapestry/Planner/Machine/LinkFit.h"
#include "tapestry/Planner/Model/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace tapestry;
using namespace tapestry::machine;

/// Weighted least squares of messages * latency + bytes * secondsPerByte.
static llvm::Error solve(llvm::ArrayRef<LinkSample> samples,
                         llvm::ArrayRef<double> weights, double &latency,
                         double &secondsPerByte) {
  double mm = 0, mn = 0, nn = 0, mt = 0, nt = 0;
  for (auto [sample, weight] : llvm::zip_equal(samples, weights)) {
    mm += weight * sample.messages * sample.messages;
    mn += weight * sample.messages * sample.bytes;
    nn += weight * sample.bytes * sample.bytes;
    mt += weight * sample.messages * sample.seconds;
    nt += weight * sample.bytes * sample.seconds;
  }
  double determinant = mm * nn - mn * mn;
  if (!(determinant > 1e-9 * mm * nn))
    return planError("no link fits ", samples.size(),
                     " samples: they do not tell latency from bandwidth");
  latency = (mt * nn - nt * mn) / determinant;
  secondsPerByte = (mm * nt - mn * mt) / determinant;
  if (latency < 0) {
    latency = 0;
    secondsPerByte = nt / nn;
  }
  if (!(secondsPerByte > 0))
    return planError("no link fits ", samples.size(),
                     " samples: larger messages took no longer");
  return llvm::Error::success();
}

llvm::Expected<Link> machine::fitLink(llvm::ArrayRef<LinkSample> samples) {
  std::vector<double> weights;
  for (const LinkSample &sample : samples) {
    if (!(sample.seconds > 0))
      return planError("a collective of ", llvm::format("%g", sample.bytes),
                       " bytes took ", llvm::format("%g", sample.seconds),
                       " seconds");
    weights.push_back(1 / (sample.seconds * sample.seconds));
  }
  // Errors relative to the sample alone would favour links that are too fast:
  // a sample counts against its own time and the link's in equal measure.
  double latency = 0, secondsPerByte = 0;
  constexpr int rounds = 50;
  for (int round = 0; round < rounds; ++round) {
    if (llvm::Error error = solve(samples, weights, latency, secondsPerByte))
      return std::move(error);
    for (auto [sample, weight] : llvm::zip_equal(samples, weights)) {
      double fitted = sample.messages * latency + sample.bytes * secondsPerByte;
      if (fitted > 0)
        weight = 1 / (sample.seconds * fitted);
    }
  }
  return Link{1 / secondsPerByte, latency};
}
