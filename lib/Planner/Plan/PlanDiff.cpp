//===- PlanDiff.cpp - What two plan files decide differently --------------===//
//
// Keys are compared one by one, known or not: what later versions write into a
// plan is compared without a word here.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Plan/PlanDiff.h"
#include "tapestry/Planner/Machine/JSONText.h"
#include "tapestry/Planner/Plan/PlanFile.h"
#include "tapestry/Planner/Plan/PlanText.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <map>
#include <set>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::plan;
namespace json = llvm::json;

namespace {

using Members = std::map<std::string, const json::Value *>;

struct DiffVertex {
  std::string name;
  Members members;
};

/// One of the two files.
struct DiffSide {
  std::string file;
  json::Value value = nullptr;
  /// The grid as text, whose axes have an order.
  std::shared_ptr<const json::Value> grid;
  Members members;
  std::vector<DiffVertex> vertices;
  /// Number and bytes per kind of collective.
  std::map<std::string, std::pair<int64_t, double>> kinds;
};

} // namespace

static Members membersOf(const json::Object &object) {
  Members members;
  for (const auto &[key, value] : object)
    members[llvm::StringRef(key).str()] = &value;
  return members;
}

/// Takes the list of objects under `key`, if there is one.
template <typename Take>
static llvm::Error eachObject(DiffSide &side, llvm::StringRef key, Take take) {
  auto it = side.members.find(key.str());
  if (it == side.members.end())
    return llvm::Error::success();
  const json::Array *list = it->second->getAsArray();
  if (!list)
    return errorAt(side.file, key, ": expected a list");
  for (auto [number, entry] : llvm::enumerate(*list)) {
    const json::Object *object = entry.getAsObject();
    if (!object)
      return errorAt(side.file, key, "[", number, "]: expected an object");
    if (llvm::Error error = take(number, *object))
      return error;
  }
  side.members.erase(it);
  return llvm::Error::success();
}

static std::string numberText(double number) {
  if (std::round(number) == number && std::abs(number) < 1e15)
    return llvm::formatv("{0:f0}", number).str();
  return llvm::formatv("{0}", llvm::format("%.6g", number)).str();
}

/// A value in a few characters: {"i": ["d.0"], "k": 2} as "i:d.0 k=2".
static std::string valueText(const json::Value *value) {
  if (!value)
    return "-";
  if (auto string = value->getAsString())
    return string->str();
  if (auto number = value->getAsNumber())
    return numberText(*number);
  std::string text;
  if (const json::Array *list = value->getAsArray()) {
    for (const json::Value &entry : *list)
      text += (text.empty() ? "" : ",") + valueText(&entry);
    return text.empty() ? "none" : text;
  }
  if (const json::Object *object = value->getAsObject()) {
    for (auto &[key, member] : membersOf(*object))
      text += (text.empty() ? "" : " ") + key +
              (member->getAsNumber() ? "=" : ":") + valueText(member);
    return text.empty() ? "none" : text;
  }
  llvm::raw_string_ostream(text) << *value;
  return text;
}

static llvm::Expected<DiffSide> readSide(const PlanText &given) {
  DiffSide side;
  side.file = given.name;
  auto value = parseJSON(given.text, side.file, "a plan", deepestPlan);
  if (!value)
    return value.takeError();
  side.value = std::move(*value);
  const json::Object *top = side.value.getAsObject();
  if (!top || top->getInteger("tapestry_plan") != 1)
    return errorAt(side.file, "not a plan: expected an object with "
                              "\"tapestry_plan\": 1");
  side.members = membersOf(*top);
  llvm::Error error =
      eachObject(side, "vertices",
                 [&](size_t number, const json::Object &object) -> llvm::Error {
                   auto name = object.getString("name");
                   if (!name)
                     return errorAt(side.file, "vertices[", number,
                                    "].name: expected a string");
                   side.vertices.push_back({name->str(), membersOf(object)});
                   side.vertices.back().members.erase("name");
                   return llvm::Error::success();
                 });
  if (!error)
    error = eachObject(
        side, "collectives",
        [&](size_t number, const json::Object &object) -> llvm::Error {
          auto kind = object.getString("kind");
          auto bytes = object.getNumber("bytes");
          if (!kind || !bytes)
            return errorAt(side.file, "collectives[", number,
                           "]: expected a \"kind\" and \"bytes\"");
          auto &sum = side.kinds[kind->str()];
          ++sum.first;
          sum.second += *bytes;
          return llvm::Error::success();
        });
  if (error)
    return error;
  if (const json::Object *grid = top->getObject("grid")) {
    std::string text;
    for (const std::string &axis : keysInOrder(given.text, "grid"))
      text +=
          (text.empty() ? "" : " ") + axis + "=" + valueText(grid->get(axis));
    side.grid = std::make_shared<const json::Value>(text);
    side.members["grid"] = side.grid.get();
  }
  side.members.erase("plan_seconds");
  return side;
}

/// What a fresh plan file of the completed plan says.
static llvm::Expected<PlanText> complete(const PlanText &given,
                                         const PlanGraph &graph) {
  auto plan = parsePlan(given.text, given.name, graph);
  if (!plan)
    return plan.takeError();
  PlanText result{given.name, ""};
  llvm::raw_string_ostream os(result.text);
  writePlan(os, graph, *plan);
  return result;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string changeText(double left, double right) {
  if (left == 0)
    return "";
  double ratio = right / left - 1;
  return (ratio >= 0 ? "+" : "") + percentText(ratio);
}

/// Whether a number under this key is in the unit of a cost model.
static bool isCostKey(llvm::StringRef key) {
  return key == "cost" || key == "lower_bound" ||
         llvm::any_of(costModels(), [&](const CostModel *model) {
           return llvm::any_of(model->components(),
                               [&](const CostComponent &component) {
                                 return component.key == key;
                               });
         });
}

/// Rows for all keys whose values differ; whether there were any. Costs in
/// different units are not compared.
static bool addChanges(TextTable &table, const std::string &owner,
                       const Members &left, const Members &right,
                       bool sameUnit) {
  std::set<std::string> keys;
  for (const Members *members : {&left, &right})
    for (auto &[key, value] : *members)
      keys.insert(key);
  bool differs = false;
  for (const std::string &key : keys) {
    auto find = [&](const Members &members) -> const json::Value * {
      auto it = members.find(key);
      return it == members.end() ? nullptr : it->second;
    };
    const json::Value *a = find(left), *b = find(right);
    if (a && b && *a == *b)
      continue;
    std::string change;
    bool isCost = isCostKey(key);
    if (a && b && a->getAsNumber() && b->getAsNumber() && (sameUnit || !isCost))
      change = changeText(*a->getAsNumber(), *b->getAsNumber());
    std::vector<std::string> row = {key, valueText(a), valueText(b), change};
    if (!owner.empty())
      row.insert(row.begin(), owner);
    table.add(row);
    differs = true;
  }
  return differs;
}

/// Puts the entries of `value`, at any depth, in its place: "machine.link".
static void flatten(Members &members, const std::string &key,
                    const json::Value &value) {
  if (const json::Object *object = value.getAsObject()) {
    for (auto &[name, member] : membersOf(*object))
      flatten(members, key + "." + name, *member);
  } else if (const json::Array *list = value.getAsArray()) {
    for (auto [number, entry] : llvm::enumerate(*list))
      flatten(members, key + "[" + std::to_string(number) + "]", entry);
  } else {
    members[key] = &value;
  }
}

/// A machine's numbers are a row each: in one they would be a long line.
static Members flattened(Members members) {
  auto it = members.find("machine");
  if (it == members.end())
    return members;
  const json::Value *machine = it->second;
  members.erase(it);
  flatten(members, "machine", *machine);
  return members;
}

static std::string textOf(const Members &members, const std::string &key,
                          const std::string &missing) {
  auto it = members.find(key);
  return it == members.end() ? missing : valueText(it->second);
}

/// Whether the files name different programs whose vertices differ, too, or
/// have no vertex in common.
static bool areOfDifferentPrograms(const DiffSide &left,
                                   const DiffSide &right) {
  std::set<std::string> names[2];
  for (const DiffVertex &vertex : left.vertices)
    names[0].insert(vertex.name);
  for (const DiffVertex &vertex : right.vertices)
    names[1].insert(vertex.name);
  if (names[0].empty() || names[1].empty())
    return false;
  bool haveCommon = llvm::any_of(names[0], [&](const std::string &name) {
    return names[1].count(name) != 0;
  });
  std::string a = textOf(left.members, "program", "");
  std::string b = textOf(right.members, "program", "");
  return !haveCommon ||
         (!a.empty() && !b.empty() && a != b && names[0] != names[1]);
}

/// Vertices by name; the n-th of a name with the n-th of the other file.
static std::vector<std::pair<const DiffVertex *, const DiffVertex *>>
pairVertices(const DiffSide &left, const DiffSide &right) {
  std::map<std::pair<std::string, unsigned>, const DiffVertex *> others;
  auto keyOf = [](std::map<std::string, unsigned> &seen,
                  const DiffVertex &vertex) {
    return std::make_pair(vertex.name, seen[vertex.name]++);
  };
  std::map<std::string, unsigned> seenRight, seenLeft;
  for (const DiffVertex &vertex : right.vertices)
    others[keyOf(seenRight, vertex)] = &vertex;
  std::vector<std::pair<const DiffVertex *, const DiffVertex *>> pairs;
  std::set<const DiffVertex *> taken;
  for (const DiffVertex &vertex : left.vertices) {
    auto it = others.find(keyOf(seenLeft, vertex));
    pairs.push_back({&vertex, it == others.end() ? nullptr : it->second});
    taken.insert(pairs.back().second);
  }
  for (const DiffVertex &vertex : right.vertices)
    if (!taken.count(&vertex))
      pairs.push_back({nullptr, &vertex});
  return pairs;
}

static bool printKinds(llvm::raw_ostream &os, const DiffSide &left,
                       const DiffSide &right) {
  auto kinds = left.kinds;
  for (auto &[kind, sum] : right.kinds)
    kinds.try_emplace(kind);
  TextTable table({"collective", "number", "bytes", "number", "bytes", ""}, 1);
  double total[2] = {0, 0};
  bool differs = false;
  auto sumOf = [](const DiffSide &side, const std::string &kind) {
    auto it = side.kinds.find(kind);
    return it == side.kinds.end() ? std::pair<int64_t, double>() : it->second;
  };
  for (auto &[kind, ignored] : kinds) {
    auto a = sumOf(left, kind), b = sumOf(right, kind);
    total[0] += a.second;
    total[1] += b.second;
    differs |= a != b;
    table.add({kind, std::to_string(a.first), numberText(a.second),
               std::to_string(b.first), numberText(b.second),
               changeText(a.second, b.second)});
  }
  if (!differs)
    return false;
  table.add({"total", "", numberText(total[0]), "", numberText(total[1]),
             changeText(total[0], total[1])});
  os << "\ncollectives of " << left.file << ", then of " << right.file << "\n";
  table.print(os);
  return true;
}

llvm::Expected<std::string> plan::diffPlans(const PlanText &leftText,
                                            const PlanText &rightText,
                                            const PlanGraph *graph) {
  auto readOne = [&](const PlanText &given) -> llvm::Expected<DiffSide> {
    if (!graph)
      return readSide(given);
    auto completed = complete(given, *graph);
    if (!completed)
      return completed.takeError();
    return readSide(*completed);
  };
  auto left = readOne(leftText);
  if (!left)
    return left.takeError();
  auto right = readOne(rightText);
  if (!right)
    return right.takeError();

  std::string text;
  llvm::raw_string_ostream os(text);
  if (areOfDifferentPrograms(*left, *right))
    os << "the plans are of different programs\n\n";
  std::string missing = defaultCostModel.str();
  bool sameUnit = textOf(left->members, "cost_model", missing) ==
                  textOf(right->members, "cost_model", missing);
  TextTable plans({"plan", left->file, right->file, ""}, 3);
  bool differs = addChanges(plans, "", flattened(left->members),
                            flattened(right->members), sameUnit);
  if (differs)
    plans.print(os);
  differs |= printKinds(os, *left, *right);

  TextTable table({"vertex", "", left->file, right->file, ""}, 4);
  unsigned changed = 0, count = 0;
  const Members none;
  for (auto [a, b] : pairVertices(*left, *right)) {
    ++count;
    bool isMissing = !a || !b;
    if (isMissing)
      table.add({(a ? a : b)->name, "only in", a ? left->file : "",
                 b ? right->file : "", ""});
    else
      isMissing = addChanges(table, a->name, a->members, b->members, sameUnit);
    changed += isMissing;
  }
  if (changed) {
    os << (text.empty() ? "" : "\n");
    table.print(os);
  }
  if (!differs && !changed)
    os << "the plans decide the same\n";
  else
    os << "\n"
       << changed << " of " << countOf(count, "vertex")
       << (changed == 1 ? " differs\n" : " differ\n");
  return text;
}
