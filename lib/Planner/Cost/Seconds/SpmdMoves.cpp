//===- SpmdMoves.cpp - The seconds of moves between choices ---------------===//

#include "SpmdDecoding.h"
#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <limits>

using namespace tapestry;
using namespace tapestry::cost::seconds;
using namespace tapestry::model;
using namespace tapestry::optimize;

static constexpr double infinity = std::numeric_limits<double>::infinity();

static bool isScatterTarget(SpmdProblem::Decoding &m, LayoutId from,
                            LayoutId to) {
  // Looking at every device pays on grids whose cuts are all looked at.
  constexpr int64_t mostDevices = 512;
  return m.grid.numDevices() <= mostDevices ? m.costs.canScatter(from, to)
                                            : m.costs.scattersEvenly(from, to);
}

const MoveTable &SpmdProblem::Decoding::movesHome(const PlanVertex &vertex,
                                                  const WorkForm &work,
                                                  const HomeForm &home) {
  ReshardingTable &table = *home.table;
  std::vector<int64_t> key = {0, work.result.number,
                              vertex.bytesPerElement(true), vertex.elementBytes,
                              vertex.trips};
  key.insert(key.end(), home.allowed.begin(), home.allowed.end());
  key.insert(key.end(), vertex.shape.begin(), vertex.shape.end());
  // What goes on beside the work depends on that.
  if (machine.cutProducts) {
    key.push_back(vertex.cutAs.has_value());
    for (double seconds : work.seconds)
      key.push_back(llvm::bit_cast<int64_t>(seconds));
  }
  std::unique_ptr<MoveTable> &known = moves[key];
  if (known)
    return *known;
  known = std::make_unique<MoveTable>();
  auto seconds = std::make_shared<CostTable>();
  seconds->rows = work.result.layouts.size();
  seconds->columns = home.allowed.size();
  for (auto [made, computed] :
       llvm::zip_equal(work.result.layouts, work.seconds)) {
    auto combine = [&, made = made, computed = computed](LayoutId to,
                                                         bool isScatter) {
      return combineSeconds(vertex, costs.layout(made), costs.layout(to),
                            costs.combination(made, isScatter), grid, machine,
                            computed);
    };
    LayoutId whole = costs.wholeOf(made);
    bool isPartial = whole != made;
    double allReduce = isPartial ? combine(whole,
                                           /*isScatter=*/false)
                                 : 0;
    // Where the values may lie once they are combined, and for how much.
    std::vector<std::pair<unsigned, double>> firsts;
    std::optional<unsigned> inTable = table.find(whole);
    if (inTable)
      firsts.push_back({*inTable, allReduce});
    for (unsigned number = 0; isPartial && number < table.size(); ++number)
      if (isScatterTarget(*this, made, table.idOf(number)))
        firsts.push_back({number, combine(table.idOf(number),
                                          /*isScatter=*/true)});
    for (unsigned number : home.allowed) {
      double best = infinity;
      unsigned stop = noStop;
      if (!inTable)
        best = allReduce + table.secondsFrom(whole, number);
      for (auto [first, price] : firsts)
        if (double total = price + table.seconds(first, number); total < best) {
          best = total;
          stop = first;
        }
      seconds->values.push_back(double(vertex.trips) * best);
      known->stop.push_back(stop);
    }
  }
  known->seconds = seconds;
  return *known;
}

const MoveTable &
SpmdProblem::Decoding::movesToOperand(const PlanVertex &producer,
                                      const HomeForm &home,
                                      const Shown &operand, int64_t trips) {
  ReshardingTable &table = *home.table;
  std::vector<int64_t> key = {1, operand.number, producer.elementBytes, trips};
  key.insert(key.end(), home.allowed.begin(), home.allowed.end());
  std::unique_ptr<MoveTable> &known = moves[key];
  if (known)
    return *known;
  known = std::make_unique<MoveTable>();
  auto seconds = std::make_shared<CostTable>();
  uint32_t columns = operand.layouts.size();
  seconds->rows = home.allowed.size();
  seconds->columns = columns;
  seconds->values.resize(size_t(seconds->rows) * columns);
  known->stop.resize(seconds->values.size());
  for (uint32_t column = 0; column < columns; ++column) {
    LayoutId target = operand.layouts[column];
    std::vector<ReshardingTable::Read> reads = table.readsAs(target);
    for (uint32_t row = 0; row < seconds->rows; ++row) {
      size_t entry = size_t(row) * columns + column;
      const ReshardingTable::Read &read = reads[home.allowed[row]];
      seconds->values[entry] = double(trips) * read.seconds;
      known->stop[entry] = read.last;
    }
  }
  known->seconds = seconds;
  return *known;
}
