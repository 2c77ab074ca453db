//===- Overlap.cpp - What goes on beside straight-line code ---------------===//

#include "tapestry/Support/Overlap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>

using namespace tapestry;

namespace {

class Spans {
public:
  Spans(llvm::ArrayRef<LineStep> steps,
        llvm::ArrayRef<LineCollective> collectives, const OverlapLimits &limits)
      : steps(steps), collectives(collectives), limits(limits),
        spans(collectives.size()), under(steps.size() + 1, 0) {}

  std::vector<LineSpan> find();

private:
  void readSteps();
  size_t earliestStart(const LineCollective &collective) const;
  size_t latestWait(const LineCollective &collective) const;
  bool conflict(size_t a, size_t b) const;
  void fitBetween(size_t number, LineSpan &span) const;
  size_t behindOthers(size_t number, size_t start) const;
  void place(size_t number);
  void placeSmall(size_t number);
  void makeRoom(size_t step);
  void set(size_t number, LineSpan span);
  bool isWorthIt(const LineSpan &span) const {
    return times[span.wait] > times[span.start];
  }
  bool isSmall(size_t number) const {
    return collectives[number].bytes < limits.leastBytes;
  }

  llvm::ArrayRef<LineStep> steps;
  llvm::ArrayRef<LineCollective> collectives;
  const OverlapLimits &limits;
  std::vector<LineSpan> spans;
  /// Per collective the first step before which it could start; and their
  /// numbers in the order of these.
  std::vector<size_t> earliest, byEarliest;
  /// Per step how many large ones are on their way while it runs.
  std::vector<unsigned> under;
  /// Per step how many before it take time.
  std::vector<size_t> times;
  std::vector<size_t> fences;
  /// Per buffer the steps that touch it, and those that write it.
  std::map<unsigned, std::vector<size_t>> touched, written;
};

} // namespace

void Spans::readSteps() {
  llvm::DenseSet<size_t> own;
  for (const LineCollective &collective : collectives) {
    own.insert(collective.step);
    // All that is asked for is there.
    for (unsigned buffer : steps[collective.step].reads)
      written[buffer];
    for (unsigned buffer : steps[collective.step].writes)
      touched[buffer];
  }
  times.push_back(0);
  for (auto [number, step] : llvm::enumerate(steps)) {
    if (step.isFence)
      fences.push_back(number);
    // What is moved is no time to move something else in.
    times.push_back(times.back() + (step.takesTime && !own.contains(number)));
    for (unsigned buffer : step.reads)
      touched[buffer].push_back(number);
    for (unsigned buffer : step.writes) {
      written[buffer].push_back(number);
      if (touched[buffer].empty() || touched[buffer].back() != number)
        touched[buffer].push_back(number);
    }
  }
}

/// The place behind the last of `sorted` that is before `step`.
static size_t behindLast(const std::vector<size_t> &sorted, size_t step) {
  auto next = llvm::lower_bound(sorted, step);
  return next == sorted.begin() ? 0 : *std::prev(next) + 1;
}

/// The first of `sorted` that is behind `step`.
static size_t firstBehind(const std::vector<size_t> &sorted, size_t step,
                          size_t end) {
  auto next = llvm::upper_bound(sorted, step);
  return next == sorted.end() ? end : *next;
}

size_t Spans::earliestStart(const LineCollective &collective) const {
  const LineStep &step = steps[collective.step];
  size_t start =
      std::max(collective.earliest, behindLast(fences, collective.step));
  for (unsigned source : step.reads)
    start = std::max(start, behindLast(written.at(source), collective.step));
  for (unsigned target : step.writes)
    start = std::max(start, behindLast(touched.at(target), collective.step));
  return start;
}

size_t Spans::latestWait(const LineCollective &collective) const {
  const LineStep &step = steps[collective.step];
  size_t wait = firstBehind(fences, collective.step, steps.size());
  for (unsigned source : step.reads)
    wait = std::min(
        wait, firstBehind(written.at(source), collective.step, steps.size()));
  for (unsigned target : step.writes)
    wait = std::min(
        wait, firstBehind(touched.at(target), collective.step, steps.size()));
  return wait;
}

/// Whether the order of two collectives matters.
bool Spans::conflict(size_t a, size_t b) const {
  const LineStep &first = steps[collectives[a].step];
  const LineStep &second = steps[collectives[b].step];
  auto meet = [](llvm::ArrayRef<unsigned> x, llvm::ArrayRef<unsigned> y) {
    return llvm::any_of(
        x, [&](unsigned buffer) { return llvm::is_contained(y, buffer); });
  };
  return meet(first.writes, second.writes) ||
         meet(first.writes, second.reads) || meet(first.reads, second.writes);
}

/// What others that are on their way leave of a span: they may have moved to
/// where its steps know nothing of them.
void Spans::fitBetween(size_t number, LineSpan &span) const {
  size_t step = collectives[number].step;
  for (size_t other = 0; other < spans.size(); ++other) {
    if (other == number || spans[other].isWhole ||
        spans[other].wait <= span.start || spans[other].start >= span.wait ||
        !conflict(number, other))
      continue;
    if (collectives[other].step < step)
      span.start = std::max(span.start, spans[other].wait);
    else
      span.wait = std::min(span.wait, spans[other].start);
  }
}

/// Not before `start`, and behind those that stand before it and could start
/// then as well: they are needed first.
size_t Spans::behindOthers(size_t number, size_t start) const {
  for (size_t other : byEarliest) {
    if (earliest[other] > start)
      break;
    const LineSpan &span = spans[other];
    if (collectives[other].step < collectives[number].step)
      start = std::max(start, span.start + span.isWhole);
  }
  return start;
}

void Spans::set(size_t number, LineSpan span) {
  if (!spans[number].isWhole && !isSmall(number))
    for (size_t step = spans[number].start; step < spans[number].wait; ++step)
      --under[step];
  size_t own = collectives[number].step;
  span.isWhole = !isWorthIt(span);
  if (span.isWhole)
    span.start = span.wait = own;
  spans[number] = span;
  if (!span.isWhole && !isSmall(number))
    for (size_t step = span.start; step < span.wait; ++step)
      ++under[step];
}

/// Waits at `step` for the one that was started first.
void Spans::makeRoom(size_t step) {
  size_t first = spans.size();
  for (size_t other = 0; other < spans.size(); ++other)
    if (!spans[other].isWhole && !isSmall(other) &&
        spans[other].start <= step && spans[other].wait > step &&
        (first == spans.size() || spans[other].start < spans[first].start))
      first = other;
  LineSpan span = spans[first];
  span.wait = step;
  set(first, span);
}

void Spans::place(size_t number) {
  const LineCollective &collective = collectives[number];
  LineSpan span = {earliest[number], latestWait(collective), false};
  fitBetween(number, span);
  // Later starts, and then earlier waits, keep within the limit.
  size_t start = collective.step;
  while (start > span.start && under[start - 1] < limits.most)
    --start;
  span.start = std::min(behindOthers(number, start), collective.step);
  if (!isWorthIt(span))
    return;
  if (under[collective.step] >= limits.most)
    makeRoom(collective.step);
  set(number, span);
}

/// One that would have to wait where it stands.
void Spans::placeSmall(size_t number) {
  const LineCollective &collective = collectives[number];
  if (under[collective.step] == 0)
    return;
  LineSpan span = {earliest[number], latestWait(collective), false};
  fitBetween(number, span);
  span.start = std::min(behindOthers(number, span.start), collective.step);
  set(number, span);
}

std::vector<LineSpan> Spans::find() {
  readSteps();
  for (auto [number, collective] : llvm::enumerate(collectives)) {
    spans[number].start = spans[number].wait = collective.step;
    earliest.push_back(earliestStart(collective));
    byEarliest.push_back(number);
  }
  llvm::sort(byEarliest, [&](size_t a, size_t b) {
    return std::pair(earliest[a], a) < std::pair(earliest[b], b);
  });
  for (size_t number = 0; number < collectives.size(); ++number)
    if (!isSmall(number))
      place(number);
  for (size_t number = 0; number < collectives.size(); ++number)
    if (isSmall(number))
      placeSmall(number);
  return std::move(spans);
}

std::vector<LineSpan>
tapestry::findSpans(llvm::ArrayRef<LineStep> steps,
                    llvm::ArrayRef<LineCollective> collectives,
                    const OverlapLimits &limits) {
  return Spans(steps, collectives, limits).find();
}
