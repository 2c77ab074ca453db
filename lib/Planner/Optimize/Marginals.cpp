//===- Marginals.cpp - The best plan with every single choice -------------===//
//
// Elimination has left, per bucket, a table of what the variables below cost at
// least. Backwards, every bucket is given the same of all that is not below it,
// over the same classes; the two add up to whole solutions. What a bucket says
// to one below it is that sum without the table that came from there. Messages
// are shifted to a least entry of 0, and costs are multiples of a power of two:
// sums are exact, and the messages of equal blocks become the same ones.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Optimize/Marginals.h"
#include "Buckets.h"
#include "tapestry/Planner/Optimize/DualBound.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

using namespace tapestry;
using namespace tapestry::optimize;
using namespace tapestry::optimize::buckets;

static constexpr double infinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// A power of two far below `cost`, that of a plan; 0 where plans cost next to
/// nothing. Sums of up to 2^7 times that cost are then exact.
static double quantumOf(double cost) {
  return cost > 1e-200 ? std::exp2(std::floor(std::log2(cost)) - 46) : 0;
}

/// The nearest multiples of a power of two.
TAPESTRY_WIDE_VECTORS static void roundAll(double *values, size_t count,
                                           double quantum) {
  double scale = 1 / quantum;
  for (size_t i = 0; i < count; ++i)
    values[i] = std::nearbyint(values[i] * scale) * quantum;
}

/// The problem with costs that are multiples of `quantum`; what was shared is
/// shared again.
static PlanProblem rounded(const PlanProblem &problem, double quantum) {
  PlanProblem result = problem;
  if (quantum == 0)
    return result;
  auto round = [&](std::vector<double> values) {
    roundAll(values.data(), values.size(), quantum);
    return values;
  };
  std::map<const void *, SharedCosts> costs;
  for (PlanProblem::Variable &variable : result.variables) {
    SharedCosts &shared = costs[variable.costs.get()];
    if (!shared)
      shared =
          std::make_shared<const std::vector<double>>(round(*variable.costs));
    variable.costs = shared;
  }
  std::map<const void *, SharedTable> tables;
  for (PlanProblem::Edge &edge : result.edges) {
    SharedTable &shared = tables[edge.table.get()];
    if (!shared)
      shared = std::make_shared<const CostTable>(CostTable{
          edge.table->rows, edge.table->columns, round(edge.table->values)});
    edge.table = shared;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Innermost loops
//===----------------------------------------------------------------------===//

/// row[j] = a[j] + b[j], and the least of them; `row` may be `a`.
TAPESTRY_WIDE_VECTORS static double addRows(double *row, const double *a,
                                            const double *b, size_t count) {
  double lanes[8];
  std::fill(lanes, lanes + 8, infinity);
  size_t j = 0;
  for (; j + 8 <= count; j += 8) {
    double sums[8];
    for (size_t lane = 0; lane < 8; ++lane)
      sums[lane] = a[j + lane] + b[j + lane];
    for (size_t lane = 0; lane < 8; ++lane)
      row[j + lane] = sums[lane];
    for (size_t lane = 0; lane < 8; ++lane)
      lanes[lane] = lesser(lanes[lane], sums[lane]);
  }
  for (; j < count; ++j) {
    row[j] = a[j] + b[j];
    lanes[0] = lesser(lanes[0], row[j]);
  }
  return *std::min_element(lanes, lanes + 8);
}

/// least[j] = min(least[j], base + row[j]).
TAPESTRY_WIDE_VECTORS static void lower(double *__restrict least,
                                        const double *__restrict row,
                                        size_t count, double base) {
  for (size_t j = 0; j < count; ++j)
    least[j] = lesser(least[j], base + row[j]);
}

TAPESTRY_WIDE_VECTORS static double leastOf(const double *row, size_t count) {
  double lanes[8];
  std::fill(lanes, lanes + 8, infinity);
  size_t j = 0;
  for (; j + 8 <= count; j += 8)
    for (size_t lane = 0; lane < 8; ++lane)
      lanes[lane] = lesser(lanes[lane], row[j + lane]);
  for (; j < count; ++j)
    lanes[0] = lesser(lanes[0], row[j]);
  return *std::min_element(lanes, lanes + 8);
}

//===----------------------------------------------------------------------===//
// Messages from the root
//===----------------------------------------------------------------------===//

namespace {

using SharedMessage = std::shared_ptr<const Table>;

/// What a bucket works out from the message that it is given.
struct Answer {
  /// Per class of its variable, what all but the variable's own costs come to.
  std::vector<double> others;
  /// Per factor, the message to the bucket it came from; null for an edge's.
  std::vector<SharedMessage> messages;
};

/// One bucket with its message, summed up entry by entry.
class Bucket {
public:
  Bucket(const Record &record, const Table *message);
  /// Sums to be formed.
  double work() const;
  /// Everything, with messages as they come.
  void sum();
  std::vector<double> others;
  /// Per factor that is a bucket's table: over its classes, what all other
  /// factors and the message cost at least.
  std::vector<Table> messages;

private:
  struct Part {
    Operand operand;
    /// Where the factor is a bucket's table, the least sum of each entry.
    std::vector<double> least;
    /// In the current row: whether it varies within it, and its first entry.
    bool varies = false;
    size_t place = 0;
  };
  void sumRow(size_t start, size_t group);

  const Record &record;
  const Table *message;
  const Table &table;
  std::vector<Part> parts;
  std::vector<double> row, zeros;
};

class Downward {
public:
  Downward(const PlanProblem &problem, const Trace &trace,
           const MarginalLimits &limits, Marginals &marginals);
  llvm::Error run();

private:
  llvm::Expected<std::shared_ptr<const Answer>>
  answerOf(const Record &record, const SharedMessage &message);
  void passOn(const Record &record, const Answer &answer);
  /// Shifts a message to a least entry of 0 and shares it with equal ones.
  SharedMessage share(Table message);
  /// What an answer depends on.
  std::vector<const void *> keyOf(const Record &record,
                                  const SharedMessage &message);

  const PlanProblem &problem;
  const Trace &trace;
  const MarginalLimits &limits;
  Marginals &marginals;
  /// Per record, what it is given. The roots, and no others, are given nothing.
  std::vector<SharedMessage> given;
  /// Per variable, the records whose table is over it alone.
  std::vector<llvm::SmallVector<unsigned, 4>> alone;
  std::map<std::vector<const void *>, std::shared_ptr<const Answer>> known;
  /// Tables of the way up by the messages that they are but for a shift.
  std::map<const Table *, SharedMessage> shifted;
  std::unordered_multimap<uint64_t, SharedMessage> messages;
  int64_t messageBytes = 0;
};

} // namespace

Bucket::Bucket(const Record &record, const Table *message)
    : record(record), message(message), table(*record.result->table) {
  for (auto [i, factor] : llvm::enumerate(record.factors)) {
    Part &part = parts.emplace_back();
    part.operand = operandOf(record.step, record.factors, i);
    if (factor.producer)
      part.least.assign(part.operand.values.size(), infinity);
    part.varies =
        !part.operand.strides.empty() && part.operand.strides.back() != 0;
  }
}

double Bucket::work() const {
  // Short rows cost more per entry.
  double inner = table.dims.empty() ? 1 : table.dims.back();
  return record.step.work * (1 + 8 / inner) * (1 + 0.5 * parts.size());
}

void Bucket::sumRow(size_t start, size_t group) {
  double fixed = 0, own = record.result->groupCosts[group];
  const double *sums = message ? &message->values[start] : nullptr;
  double least = infinity;
  bool isLeast = false;
  for (Part &part : parts) {
    const double *values = part.operand.values.data() + part.place;
    if (!part.varies) {
      fixed += *values;
    } else if (sums) {
      least = addRows(row.data(), sums, values, row.size());
      isLeast = true;
      sums = row.data();
    } else {
      sums = values;
    }
  }
  if (!sums)
    sums = zeros.data();
  if (!isLeast)
    least = leastOf(sums, row.size());
  least += fixed;
  others[group] = lesser(others[group], least);
  for (Part &part : parts) {
    if (!part.least.empty() && part.varies)
      lower(&part.least[part.place], sums, row.size(), fixed + own);
    else if (!part.least.empty())
      part.least[part.place] = lesser(part.least[part.place], least + own);
    part.place += part.operand.ownStride;
  }
}

void Bucket::sum() {
  size_t rank = table.dims.size();
  size_t groups = record.result->groupCosts.size();
  row.resize(rank ? table.dims.back() : 1);
  zeros = row;
  others.assign(groups, infinity);
  std::vector<size_t> index(rank, 0);
  for (size_t start = 0; start < table.values.size(); start += row.size()) {
    for (Part &part : parts) {
      part.place = 0;
      for (size_t dim = 0; dim + 1 < rank; ++dim)
        part.place += index[dim] * part.operand.strides[dim];
    }
    for (size_t group = 0; group < groups; ++group)
      sumRow(start, group);
    for (size_t dim = rank ? rank - 1 : 0; dim-- > 0;) {
      if (++index[dim] < table.dims[dim])
        break;
      index[dim] = 0;
    }
  }
  messages.resize(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part &part = parts[i];
    if (part.least.empty())
      continue;
    const Table &came = *record.factors[i].table;
    Table &result = messages[i];
    result.dims = came.dims;
    result.values.assign(came.values.size(), infinity);
    const double *least = part.least.data();
    part.operand.visitRows([&](size_t base) {
      for (size_t offset : part.operand.offsets.back()) {
        double &value = result.values[base + offset];
        value = lesser(value, *least++);
      }
    });
    // Classes without a choice stay at infinity.
    for (auto [value, own] : llvm::zip_equal(result.values, came.values))
      if (!std::isinf(value))
        value -= own;
  }
}

Downward::Downward(const PlanProblem &problem, const Trace &trace,
                   const MarginalLimits &limits, Marginals &marginals)
    : problem(problem), trace(trace), limits(limits), marginals(marginals),
      given(trace.records.size()), alone(problem.variables.size()) {
  for (auto [number, record] : llvm::enumerate(trace.records))
    if (record.step.scope.size() == 1)
      alone[record.step.scope[0]].push_back(number);
}

SharedMessage Downward::share(Table message) {
  double least = leastOf(message.values.data(), message.values.size());
  if (!std::isinf(least))
    for (double &value : message.values)
      value -= least;
  uint64_t hash = llvm::xxh3_64bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(message.values.data()),
                     message.values.size() * sizeof(double)));
  auto [first, last] = messages.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (it->second->dims == message.dims &&
        it->second->values == message.values)
      return it->second;
  messageBytes += message.values.size() * sizeof(double);
  auto shared = std::make_shared<const Table>(std::move(message));
  messages.emplace(hash, shared);
  return shared;
}

std::vector<const void *> Downward::keyOf(const Record &record,
                                          const SharedMessage &message) {
  // Adding a number to all of a table shifts the answer, which is nothing.
  auto key = structureOf(record.step, record.factors,
                         [&](const Factor &factor) -> const void * {
                           if (!factor.producer)
                             return factor.table.get();
                           SharedMessage &shared = shifted[factor.table.get()];
                           if (!shared)
                             shared = share(*factor.table);
                           return shared.get();
                         });
  const std::vector<double> &own = record.result->groupCosts;
  key.push_back(share({{uint32_t(own.size())}, own}).get());
  key.push_back(message.get());
  return key;
}

llvm::Expected<std::shared_ptr<const Answer>>
Downward::answerOf(const Record &record, const SharedMessage &message) {
  auto &shared = known[keyOf(record, message)];
  if (shared)
    return shared;
  Bucket bucket(record, message.get());
  marginals.work += bucket.work();
  if (marginals.work > limits.work)
    return planError("marginals need more than ",
                     llvm::format("%.1e", limits.work), " sums");
  bucket.sum();
  auto answer = std::make_shared<Answer>();
  answer->others = std::move(bucket.others);
  for (Table &table : bucket.messages)
    answer->messages.push_back(table.values.empty() ? nullptr
                                                    : share(std::move(table)));
  if (messageBytes > limits.tableBytes)
    return planError("marginals need more than ", limits.tableBytes,
                     " bytes of tables");
  shared = std::move(answer);
  return shared;
}

/// Sets the marginals of a bucket's variable, and what is given to the buckets
/// below it.
void Downward::passOn(const Record &record, const Answer &answer) {
  unsigned variable = record.step.var;
  std::vector<double> &sums = marginals.costs[variable];
  sums = *record.costs;
  for (auto [choice, sum] : llvm::enumerate(sums))
    sum +=
        answer.others[record.step.own ? record.step.own->joint->classOf[choice]
                                      : 0];
  for (auto [factor, message] :
       llvm::zip_equal(record.factors, answer.messages))
    if (factor.producer)
      given[*factor.producer] = message;
  for (unsigned number : alone[variable]) {
    const Record &child = trace.records[number];
    const Table &came = *child.result->table;
    const ClassMap &classes = *child.step.classes[0]->joint;
    Table message;
    message.dims = came.dims;
    message.values.assign(came.values.size(), infinity);
    for (auto [choice, sum] : llvm::enumerate(sums)) {
      double &least = message.values[classes.classOf[choice]];
      least = lesser(least, sum);
    }
    for (auto [value, own] : llvm::zip_equal(message.values, came.values))
      if (!std::isinf(value))
        value -= own;
    given[number] = share(std::move(message));
  }
  // From one solution to all: every variable's best is the optimum.
  double least = leastOf(sums.data(), sums.size());
  for (double &sum : sums)
    sum = sum - least + marginals.optimum;
}

llvm::Error Downward::run() {
  marginals.costs.resize(problem.variables.size());
  for (size_t number = trace.records.size(); number-- > 0;) {
    const Record &record = trace.records[number];
    auto answer = answerOf(record, given[number]);
    if (!answer)
      return answer.takeError();
    passOn(record, **answer);
    given[number] = nullptr;
  }
  return llvm::Error::success();
}

llvm::Expected<Marginals>
optimize::computeMarginals(const PlanProblem &problem,
                           const MarginalLimits &limits) {
  if (problem.memoryLimit > 0)
    return planError("marginals do not look at a memory limit");
  EliminationLimits upward;
  upward.mostStepWork = limits.work / 4;
  upward.mostWork = limits.work / 4;
  upward.tableBytes = limits.tableBytes;
  Trace trace;
  double quantum = quantumOf(problem.evaluate(descendFromCheapest(problem)));
  auto eliminate = [&] {
    trace = Trace();
    return buckets::eliminateAll(rounded(problem, quantum), upward, trace);
  };
  auto elimination = eliminate();
  // A start that breaks what must hold, at a forbidding price, is no measure
  // of what plans cost.
  while (elimination && elimination->isComplete) {
    double finer = quantumOf(problem.evaluate(elimination->choice));
    if (finer >= quantum / 16)
      break;
    quantum = finer;
    elimination = eliminate();
  }
  if (!elimination)
    return elimination.takeError();
  if (!elimination->isComplete)
    return planError("marginals need more than ",
                     llvm::format("%.1e", limits.work), " sums");
  Marginals marginals;
  marginals.optimum = problem.evaluate(elimination->choice);
  marginals.work = elimination->work;
  if (llvm::Error error = Downward(problem, trace, limits, marginals).run())
    return std::move(error);
  return std::move(marginals);
}
