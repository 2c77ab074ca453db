//===- PlanFileReader.h - Reading plan.json ---------------------*- C++ -*-===//
//
// Private to the planner: PlanFileReader.cpp reads values, the header and what
// is compared with the plan, PlanFileVertices.cpp what is decided of vertices.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_PLANNER_PLAN_PLANFILEREADER_H
#define TAPESTRY_LIB_PLANNER_PLAN_PLANFILEREADER_H

#include "tapestry/Planner/Plan/PlanFile.h"
#include "llvm/Support/JSON.h"

namespace tapestry {

namespace json = llvm::json;

/// A value in the file and the path that leads to it.
struct Cursor {
  const json::Value *value;
  std::string path;

  Cursor at(llvm::StringRef key, const json::Value &child) const {
    return {&child, path.empty() ? key.str() : path + "." + key.str()};
  }
  Cursor at(size_t index, const json::Value &child) const {
    return {&child, path + "[" + std::to_string(index) + "]"};
  }
};

/// What the file says of one vertex; what is open, the planner decides.
struct VertexEntry {
  /// Where it stands; empty: nowhere.
  std::string path;
  /// Parts per label, 0 where they are open.
  PartVector parts;
  /// Axes per label, nothing where they are open.
  llvm::SmallVector<std::optional<Cut>, 4> cuts;
  /// The same of the dimensions of the home; empty where it is not given.
  llvm::SmallVector<std::optional<Cut>, 4> home;
  Route homeRoute;
  std::vector<Route> operandRoutes;
  /// One per component of the cost model.
  std::vector<std::optional<double>> costs;

  bool hasParts() const;
  bool hasCuts() const;
  bool hasHome() const;
};

class PlanFileReader {
public:
  /// Adds the file's constraints to `graph`.
  PlanFileReader(llvm::StringRef text, llvm::StringRef fileName,
                 PlanGraph &graph, const PlannerOptions &options)
      : text(text), fileName(fileName), graph(graph), options(options) {}

  llvm::Expected<Plan> read();

private:
  template <typename... Parts>
  llvm::Error fail(const Cursor &at, const Parts &...parts) const;
  /// An error of another room that names no place is about the file.
  llvm::Error inFile(llvm::Error error) const {
    return withPlace(fileName, std::move(error));
  }
  llvm::Error expected(const Cursor &at, llvm::StringRef what) const;

  llvm::Expected<const json::Object *> objectAt(const Cursor &at) const;
  llvm::Expected<const json::Array *> arrayAt(const Cursor &at) const;
  llvm::Error read(const Cursor &at, int64_t &result) const;
  llvm::Error read(const Cursor &at, double &result) const;
  llvm::Error read(const Cursor &at, bool &result) const;
  llvm::Error read(const Cursor &at, std::string &result) const;
  /// Reads the member `key` if it is there.
  template <typename T>
  llvm::Error readMember(const Cursor &at, llvm::StringRef key,
                         std::optional<T> &result) const;
  llvm::Error checkKeys(const Cursor &at,
                        llvm::ArrayRef<llvm::StringRef> known) const;

  llvm::Error readHeader(const Cursor &top);
  llvm::Error readGrid(const Cursor &top);
  llvm::Error readMachine(const Cursor &top);
  llvm::Error readGroups(const Cursor &top);

  // Vertices (PlanFileVertices.cpp).
  llvm::Error readVertices(const Cursor &at);
  llvm::Error readVertex(const Cursor &at);
  llvm::Error readParts(const Cursor &at, const PlanVertex &vertex,
                        VertexEntry &entry);
  llvm::Error readAxes(const Cursor &at, const PlanVertex &vertex,
                       VertexEntry &entry);
  llvm::Error readHome(const Cursor &at, const PlanVertex &vertex,
                       VertexEntry &entry);
  llvm::Error readRoute(const Cursor &at, const PlanVertex &vertex,
                        Route &route);
  llvm::Error readOperandRoutes(const Cursor &at, const PlanVertex &vertex,
                                VertexEntry &entry);
  llvm::Error readCut(const Cursor &at, Cut &cut);
  llvm::Error axesNamed(const Cursor &at, llvm::StringRef name, Cut &cut);
  llvm::Error checkEntry(const Cursor &at, const PlanVertex &vertex,
                         VertexEntry &entry);
  llvm::Error readDims(const Cursor &at, const PlanVertex &vertex,
                       bool allowOpen,
                       llvm::SmallVectorImpl<std::optional<Cut>> &dims);
  /// Whether `input` is stored as its only reader wants it, as far as the file
  /// goes: then its entry says nothing new.
  bool followsReader(unsigned input) const;
  void addConstraints(unsigned vertex);

  // The plan that follows.
  llvm::Expected<Plan> decide();
  llvm::Expected<Plan> followPlacement();
  llvm::Expected<Plan> followParts();
  llvm::Expected<Plan> planTheRest();

  llvm::Error compareCosts(const Cursor &top, Plan &plan) const;
  llvm::Error compareCollectives(const Cursor &top, const Plan &plan) const;
  llvm::Error compareCost(const Cursor &at, std::optional<double> stated,
                          double counted) const;

  llvm::StringRef text;
  std::string fileName;
  PlanGraph &graph;
  const PlannerOptions &options;
  PlanSketch sketch;
  const CostModel *model = nullptr;
  DeviceGrid grid;
  std::vector<VertexEntry> entries;
  /// Whose entries are constraints of `graph` by now.
  std::vector<bool> isConstrained;
  /// Whether the file decides everything, so that what it states of costs and
  /// collectives is to be compared.
  bool isComplete = false;
};

template <typename... Parts>
llvm::Error PlanFileReader::fail(const Cursor &at,
                                 const Parts &...parts) const {
  return errorAt(fileName, at.path.empty() ? "" : at.path + ": ", parts...);
}

template <typename T>
llvm::Error PlanFileReader::readMember(const Cursor &at, llvm::StringRef key,
                                       std::optional<T> &result) const {
  const json::Value *member = at.value->getAsObject()->get(key);
  if (!member)
    return llvm::Error::success();
  result.emplace();
  return read(at.at(key, *member), *result);
}

} // namespace tapestry

#endif // TAPESTRY_LIB_PLANNER_PLAN_PLANFILEREADER_H
