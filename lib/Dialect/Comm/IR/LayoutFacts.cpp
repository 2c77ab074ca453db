//===- LayoutFacts.cpp - What follows from layouts, found out once --------===//

#include "LayoutFacts.h"
#include "tapestry/Support/Rim.h"
#include <mutex>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::comm;
using namespace tapestry::comm::detail;

LayoutFacts &LayoutFacts::of(index::LayoutAttr layout) {
  return layout.getContext()->getOrLoadDialect<CommDialect>()->getFacts();
}

/// The value of `key`, computed where nobody has before.
template <typename KeyT, typename ValueT>
static ValueT lookup(std::shared_mutex &mutex,
                     llvm::DenseMap<KeyT, ValueT> &known, KeyT key,
                     llvm::function_ref<ValueT()> compute) {
  {
    std::shared_lock<std::shared_mutex> guard(mutex);
    if (auto found = known.find(key); found != known.end())
      return found->second;
  }
  ValueT value = compute();
  std::unique_lock<std::shared_mutex> guard(mutex);
  return known.try_emplace(key, std::move(value)).first->second;
}

Collective LayoutFacts::plan(index::LayoutAttr from, index::LayoutAttr to) {
  return lookup<Pair, Collective>(mutex, plans, {from, to}, [&] {
    return planResharding(from.getDeviceGrid(), from.getLayout(),
                          to.getLayout());
  });
}

bool LayoutFacts::canReduceScatter(index::LayoutAttr from,
                                   index::LayoutAttr to) {
  return lookup<Pair, bool>(mutex, scatters, {from, to}, [&] {
    return tapestry::canReduceScatter(from.getDeviceGrid(), from.getLayout(),
                                      to.getLayout());
  });
}

BoxRelation LayoutFacts::compareBoxes(index::LayoutAttr from,
                                      index::LayoutAttr to) {
  return lookup<Pair, BoxRelation>(mutex, relations, {from, to}, [&] {
    const DeviceGrid &grid = from.getDeviceGrid();
    BoxRelation relation;
    for (int64_t device = 0, e = grid.numDevices();
         device < e && !relation.outside; ++device) {
      ZBox held = from.getLayout().box(grid, device);
      ZBox kept = to.getLayout().box(grid, device);
      relation.isSame = relation.isSame && held == kept;
      if (!contains(held, kept))
        relation.outside = device;
    }
    return relation;
  });
}

SmallVector<Layout, 2> LayoutFacts::rims(index::LayoutAttr from,
                                         index::LayoutAttr to) {
  return lookup<Pair, SmallVector<Layout, 2>>(
      mutex, knownRims, {from, to}, [&] {
        return findRims(from.getDeviceGrid(), from.getLayout(), to.getLayout());
      });
}

SmallVector<int64_t> LayoutFacts::partShape(index::LayoutAttr layout) {
  return lookup<Attribute, SmallVector<int64_t>>(mutex, shapes, layout, [&] {
    SmallVector<int64_t> shape;
    for (const LayoutDim &dim : layout.getLayout().dims)
      shape.push_back(uniformExtent(layout.getDeviceGrid(), dim)
                          .value_or(ShapedType::kDynamic));
    return shape;
  });
}
