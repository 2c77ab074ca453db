//===- PaperBound.cpp - What the paper charges a vertex at least ----------===//

#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Model/ArrayImage.h"
#include "tapestry/Planner/Optimize/GeometricProgram.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::cost::elements;
using namespace tapestry::model;
using namespace tapestry::optimize;

/// p times the image of a full block is the whole image, once for every block
/// along all labels but its sides. The aggregation adds n_Z (n_agg - 1), where
/// rounding up only adds.
double cost::elements::paperVertexBound(const PlanGraph &graph,
                                        const PlanVertex &vertex,
                                        llvm::ArrayRef<int64_t> parts) {
  if (!vertex.hasWork())
    return 0;
  RealCutSpace space;
  for (auto [label, count] : llvm::zip_equal(vertex.labels, parts)) {
    space.caps.push_back(label.extent);
    space.parts *= count;
  }
  auto repeated = [&](double factor, const ArrayImage &image) {
    Monomial term{factor, {}};
    for (unsigned label = 0; label < space.caps.size(); ++label)
      term.exponents.push_back(!llvm::is_contained(image.sides, label));
    return term;
  };
  Posynomial f;
  for (const PlanOperand &operand : vertex.operands) {
    ArrayImage image =
        imageOf(operand.projection, operand.padded, operand.isPartial(),
                space.caps, graph.vertices[operand.producer].shape);
    if (image.constant != 0)
      f.push_back(repeated(image.wholeImage(space.caps), image));
  }
  double whole = 0;
  if (llvm::any_of(vertex.labels, [](const PlanLabel &label) {
        return label.reduced && label.extent > 1;
      })) {
    ArrayImage result = imageOf(vertex.output, /*padded=*/false,
                                /*isPartial=*/false, space.caps, vertex.shape);
    whole = result.wholeImage(space.caps);
    f.push_back(repeated(whole, result));
  }
  if (f.empty())
    return 0;
  return double(vertex.trips) *
         std::max(minimizeOverCuts(space, f).bound - whole, 0.0);
}
