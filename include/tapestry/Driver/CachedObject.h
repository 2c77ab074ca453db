//===- CachedObject.h - Compiles what was not compiled before ---*- C++ -*-===//

#ifndef TAPESTRY_DRIVER_CACHEDOBJECT_H
#define TAPESTRY_DRIVER_CACHEDOBJECT_H

#include "mlir/IR/BuiltinOps.h"
#include "tapestry/Codegen/Pipeline.h"
#include "tapestry/Driver/Options.h"
#include "tapestry/Driver/Status.h"
#include "llvm/Support/MemoryBuffer.h"

namespace tapestry::driver {

using ObjectMaker =
    llvm::function_ref<ExitStatus(std::unique_ptr<llvm::MemoryBuffer> &)>;

/// The object that `make` makes of `module`, which it may change; or what an
/// earlier process made of the same, as it would say nothing now either: `make`
/// depends on the module (of whose locations only those of tapestry.require are
/// in the object), on `codegen`, this machine's processor and this build alone.
/// Where plug-ins are loaded, which may read anything, all is made anew.
ExitStatus cachedObject(const Options &options, const CodegenOptions &codegen,
                        mlir::ModuleOp module, ObjectMaker make,
                        std::unique_ptr<llvm::MemoryBuffer> &object);

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_CACHEDOBJECT_H
