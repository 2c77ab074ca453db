//===- Rim.h - What lies beside a device's part -----------------*- C++ -*-===//
//
// A window that reaches over edges of what a device holds is a part of that and
// strips beside it, which alone are to be fetched.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_RIM_H
#define TAPESTRY_SUPPORT_RIM_H

#include "tapestry/Support/Layout.h"

namespace tapestry {

/// The layouts whose boxes together hold what each device lacks of `to` in
/// `from`, which is plain, each point once: along every dimension a strip in
/// front of the blocks, as wide on all devices, and one behind them, clipped to
/// the tensor. Where windows and blocks are cut elsewhere, there are more of
/// them, which only some blocks have (`LayoutTerm::within`). Those of the first
/// dimensions run through the corners, those of a cross, too. None where that
/// is not what devices lack, or too many.
llvm::SmallVector<Layout, 2> findRims(const DeviceGrid &grid,
                                      const Layout &from, Layout to);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_RIM_H
