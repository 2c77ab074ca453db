//===- CostModel.cpp - The registered cost models -------------------------===//

#include "tapestry/Planner/Cost/CostModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace tapestry;
using namespace tapestry::cost;

ModelProblem::~ModelProblem() = default;
CostModel::~CostModel() = default;

std::string CostModel::format(double cost) const { return countText(cost); }

std::string cost::countText(double count) {
  return llvm::formatv(std::round(count) == count ? "{0:f0}" : "{0:f2}", count)
      .str();
}

/// Filled before the first plan, read by any thread after that.
static std::vector<const CostModel *> &registry() {
  static std::vector<const CostModel *> models;
  return models;
}

llvm::Error cost::registerCostModel(const CostModel &model) {
  for (const CostModel *known : registry())
    if (known->name() == model.name())
      return known == &model ? llvm::Error::success()
                             : planError("there are two cost models named '",
                                         model.name(), "'");
  registry().push_back(&model);
  return llvm::Error::success();
}

llvm::ArrayRef<const CostModel *> cost::costModels() { return registry(); }

std::vector<std::string> cost::costModelNames() {
  std::vector<std::string> names;
  for (const CostModel *model : costModels())
    names.push_back(model->name().str());
  return names;
}

llvm::Expected<const CostModel *> cost::costModelNamed(llvm::StringRef name) {
  std::string known;
  for (auto [number, model] : llvm::enumerate(costModels())) {
    if (model->name() == name)
      return model;
    bool isLast = number + 1 == costModels().size();
    known += (number == 0 ? "" : isLast ? " and " : ", ");
    known += "'" + model->name().str() + "'";
  }
  return faultError(Fault::Usage, "", "unknown cost model '", name,
                    "', there are ", known.empty() ? "none" : known);
}
