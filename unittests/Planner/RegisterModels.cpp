//===- RegisterModels.cpp - The cost models that these tests plan by ------===//

#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"

using namespace tapestry::cost;

static const bool areRegistered =
    !registerCostModel(elements::elementsModel()) &&
    !registerCostModel(seconds::secondsModel());
