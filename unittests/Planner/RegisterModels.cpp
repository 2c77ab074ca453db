//===- RegisterModels.cpp - The cost models that these tests plan by ------===//

#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"

static const bool areRegistered =
    tapestry::cost::registerCostModel(
        tapestry::cost::elements::elementsModel()) &&
    tapestry::cost::registerCostModel(tapestry::cost::seconds::secondsModel());
