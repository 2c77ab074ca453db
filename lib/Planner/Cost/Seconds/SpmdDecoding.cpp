//===- SpmdDecoding.cpp - From a solution to a placement ------------------===//

#include "SpmdDecoding.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::cost::seconds;
using namespace tapestry::layout;
using namespace tapestry::model;
using namespace tapestry::optimize;

SpmdProblem::SpmdProblem() = default;
SpmdProblem::SpmdProblem(SpmdProblem &&) = default;
SpmdProblem &SpmdProblem::operator=(SpmdProblem &&) = default;
SpmdProblem::~SpmdProblem() = default;

llvm::ArrayRef<SpmdProblem::Variables> SpmdProblem::variables() const {
  return decoding->variables;
}

llvm::ArrayRef<Partition> SpmdProblem::partitionsOf(unsigned vertex) const {
  return decoding->work[vertex]->partitions;
}

Placement SpmdProblem::placementOf(llvm::ArrayRef<uint32_t> choice) const {
  const Decoding &m = *decoding;
  Placement placement;
  placement.vertices.resize(m.graph.vertices.size());
  auto homeNumber = [&](unsigned v) {
    return m.home[v]->allowed[choice[*m.variables[v].home]];
  };
  for (unsigned v = 0; v < m.graph.vertices.size(); ++v) {
    VertexPlacement &placed = placement.vertices[v];
    const PlanVertex &vertex = m.graph.vertices[v];
    if (m.home[v])
      placed.home = m.home[v]->table->layouts()[homeNumber(v)];
    if (vertex.isInput) {
      if (m.home[v])
        placed.partition = partitionOf(placed.home);
      continue;
    }
    uint32_t work = choice[*m.variables[v].work];
    const WorkForm &form = *m.work[v];
    placed.partition = form.partitions[work];
    ReshardingTable &table = *m.home[v]->table;
    uint32_t made = form.result.classes->classOf[work];
    uint32_t row = m.home[v]->classes->classOf[choice[*m.variables[v].home]];
    unsigned first =
        m.toHome[v]->stop[size_t(made) * m.home[v]->allowed.size() + row];
    const Layout &result = m.costs.layout(form.result.layouts[made]);
    if (first == noStop) {
      if (!result.partial.empty()) {
        placed.homeRoute.push_back(result);
        placed.homeRoute.back().partial.clear();
      }
    } else {
      if (!result.partial.empty() && first != homeNumber(v))
        placed.homeRoute.push_back(table.layouts()[first]);
      table.appendRoute(first, homeNumber(v), placed.homeRoute);
    }
    for (unsigned o = 0; o < vertex.operands.size(); ++o) {
      unsigned producer = vertex.operands[o].producer;
      Route &route = placed.operandRoutes.emplace_back();
      const Shown &shown = form.operands[o];
      uint32_t column = shown.classes->classOf[work];
      const Layout &read = m.costs.layout(shown.layouts[column]);
      if (!m.toOperand[v][o]) {
        VertexPlacement &input = placement.vertices[producer];
        input.home = read;
        input.partition = partitionOf(input.home);
        continue;
      }
      const HomeForm &home = *m.home[producer];
      unsigned from = homeNumber(producer);
      uint32_t homeRow =
          home.classes->classOf[choice[*m.variables[producer].home]];
      unsigned last =
          m.toOperand[v][o]
              ->stop[size_t(homeRow) * shown.layouts.size() + column];
      home.table->appendRoute(from, last, route);
      const Layout &stop = home.table->layouts()[last];
      if (last != from && stop != read)
        route.push_back(stop);
    }
  }
  listCollectives(m.graph, m.grid, placement);
  return placement;
}

double SpmdProblem::penalty(llvm::ArrayRef<uint32_t> choice) const {
  const Decoding &m = *decoding;
  double penalty = 0;
  for (unsigned v = 0; v < m.graph.vertices.size(); ++v) {
    if (m.graph.vertices[v].constraints.empty())
      continue;
    const PlanVertex &vertex = m.graph.vertices[v];
    if (m.variables[v].work) {
      uint32_t work = choice[*m.variables[v].work];
      penalty += (*m.work[v]->costs)[work] -
                 workSeconds(m.graph, vertex, m.grid, m.machine,
                             m.work[v]->partitions[work]);
    }
    // The members of a group share one home.
    bool isFirst = true;
    for (unsigned u = 0; u < v && m.variables[v].home; ++u)
      isFirst = isFirst && m.variables[u].home != m.variables[v].home;
    if (!m.variables[v].home || !isFirst)
      continue;
    uint32_t home = choice[*m.variables[v].home];
    penalty += (*m.home[v]->costs)[home] - m.home[v]->border[home];
  }
  return std::max(0.0, penalty);
}

std::vector<Layout> SpmdProblem::homesOf(unsigned vertex) const {
  const HomeForm &home = *decoding->home[vertex];
  std::vector<Layout> layouts;
  for (unsigned number : home.allowed)
    layouts.push_back(home.table->layouts()[number]);
  return layouts;
}
