//===- Rim.h - What lies beside a device's part -----------------*- C++ -*-===//
//
// A window that reaches over an edge of what a device holds is a part of that
// and a strip beside it, which alone is to be fetched.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_RIM_H
#define TAPESTRY_SUPPORT_RIM_H

#include "tapestry/Support/Layout.h"

namespace tapestry {

/// The layout whose boxes hold what each device lacks of `to` in `from`, which
/// is plain: a strip as wide on all devices in front of their blocks, or behind
/// them, clipped to the tensor. Nothing where that is not what they lack, or
/// they have nothing of `to`.
std::optional<Layout> findRim(const DeviceGrid &grid, const Layout &from,
                              const Layout &to);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_RIM_H
