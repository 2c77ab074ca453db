//===- PredictMemory.cpp - The peak of the runtime's arena ----------------===//
//
// What every device will hold at most: its parts of inputs and outputs, the
// buffers of generated code, and what the runtime needs for collectives: the
// same whether ranks share memory or not.
//
//===----------------------------------------------------------------------===//

#include "ProgramAttributes.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/MemoryTrace.h"
#include "tapestry/Codegen/Target.h"
#include "tapestry/Conversion/Passes.h"
#include "tapestry/Conversion/PeakMemory.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Support/Resharding.h"
#include <map>

namespace tapestry {
#define GEN_PASS_DEF_PREDICTMEMORY
#include "tapestry/Conversion/Passes.h.inc"
} // namespace tapestry

using namespace mlir;
using namespace tapestry;

std::optional<int64_t> tapestry::predictedPeakBytes(ModuleOp module) {
  FailureOr<SmallVector<DictionaryAttr>> programs =
      program::readAll(module, {});
  if (failed(programs))
    return std::nullopt;
  std::optional<int64_t> most;
  for (DictionaryAttr program : *programs) {
    auto peaks = program.getAs<DenseI64ArrayAttr>(program::peakBytes);
    if (!peaks || peaks.empty())
      return std::nullopt;
    most = std::max(most.value_or(0), *llvm::max_element(peaks.asArrayRef()));
  }
  return most;
}

static int64_t elementBytes(DictionaryAttr entry) {
  return storedSize(entry.getAs<TypeAttr>(program::type).getValue());
}

/// The device's parts of inputs and outputs, which the runtime allocates.
static int64_t heldOutside(DictionaryAttr program, int64_t device) {
  int64_t bytes = 0;
  for (StringRef key : {program::inputs, program::outputs})
    for (auto entry :
         program.getAs<ArrayAttr>(key).getAsRange<DictionaryAttr>()) {
      auto layout = entry.getAs<index::LayoutAttr>(program::layout);
      bytes += elementBytes(entry) *
               volume(layout.getLayout().box(layout.getDeviceGrid(), device));
    }
  return bytes;
}

std::optional<std::vector<int64_t>>
tapestry::predictedScratchBytes(ModuleOp module) {
  FailureOr<SmallVector<DictionaryAttr>> programs =
      program::readAll(module, {program::inputs, program::outputs});
  if (failed(programs))
    return std::nullopt;
  std::vector<int64_t> scratch;
  for (DictionaryAttr program : *programs) {
    auto peaks = program.getAs<DenseI64ArrayAttr>(program::peakBytes);
    if (!peaks || peaks.empty())
      return std::nullopt;
    scratch.push_back(peaks[0] - heldOutside(program, /*device=*/0));
  }
  return scratch;
}

/// Per device, what the runtime keeps of a reduce_scatter under way: two
/// sums of the largest part in the group (ringReduceScatter in
/// runtime/lib/Collectives/Ring.cpp). Other collectives go from part to part;
/// what messages are staged in has a fixed size and is not the arena's.
static std::vector<int64_t> stagingOf(DictionaryAttr collective) {
  auto from = collective.getAs<index::LayoutAttr>(program::from);
  auto to = collective.getAs<index::LayoutAttr>(program::to);
  const DeviceGrid &grid = from.getDeviceGrid();
  std::vector<int64_t> bytes(grid.numDevices(), 0);
  if (collective.getAs<StringAttr>(program::kind) !=
      stringifyCollective(CollectiveKind::ReduceScatter))
    return bytes;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    if (firstOfGroup(grid, from.getLayout().partial, device) != device)
      continue;
    SmallVector<int64_t> members =
        groupOf(grid, from.getLayout().partial, device);
    int64_t largest = 0;
    for (int64_t member : members)
      largest = std::max(largest, volume(to.getLayout().box(grid, member)));
    for (int64_t member : members)
      bytes[member] = 2 * largest * elementBytes(collective);
  }
  return bytes;
}

/// A buffer is not needed for those who only ask for its sizes.
static void forwardSizes(memref::AllocOp alloc) {
  for (Operation *user : llvm::make_early_inc_range(alloc->getUsers())) {
    auto dim = dyn_cast<memref::DimOp>(user);
    std::optional<int64_t> number = dim ? dim.getConstantIndex() : std::nullopt;
    if (!number || !alloc.getType().isDynamicDim(*number))
      continue;
    dim.getResult().replaceAllUsesWith(
        alloc.getDynamicSizes()[alloc.getType().getDynamicDimIndex(*number)]);
    dim.erase();
  }
}

namespace {

/// The runtime's pointers say nothing of sizes; the entry reads none.
struct UnknownSizes : ArgumentSizes {
  std::optional<int64_t> valueOf(unsigned) override { return std::nullopt; }
  std::optional<int64_t> sizeOf(unsigned, unsigned) override {
    return std::nullopt;
  }
};

struct PredictMemory : tapestry::impl::PredictMemoryBase<PredictMemory> {
  using PredictMemoryBase::PredictMemoryBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<SmallVector<DictionaryAttr>> programs = program::readAll(
        module, {program::devices, program::entry, program::inputs,
                 program::outputs, program::collectives});
    if (failed(programs))
      return signalPassFailure();
    if (programs->empty())
      return;
    llvm::Expected<std::unique_ptr<Target>> made =
        createTarget({target, cpu, vectorBits, /*tiles=*/false, threads});
    if (!made) {
      module.emitError(llvm::toString(made.takeError()));
      return signalPassFailure();
    }
    dropUnused(module);
    SmallVector<Attribute> predicted;
    for (DictionaryAttr program : *programs)
      predicted.push_back(withPeaks(program, **made));
    module->setAttr(program::attribute,
                    ArrayAttr::get(&getContext(), predicted));
  }

private:
  /// `program`, and the peak of every device where it is known: nothing is said
  /// rather than something wrong.
  DictionaryAttr withPeaks(DictionaryAttr program, const Target &target) {
    auto entry = getOperation().lookupSymbol<func::FuncOp>(
        program.getAs<FlatSymbolRefAttr>(program::entry).getValue());
    if (!entry || entry.isExternal())
      return program;
    std::map<int64_t, Copied> copied;
    SmallVector<int64_t> peaks = predict(entry, program, target, copied);
    NamedAttrList attributes(program);
    if (auto copies = program.getAs<ArrayAttr>(program::copies))
      attributes.set(program::copies, withBytes(program, copies, copied));
    if (!peaks.empty())
      attributes.set(program::peakBytes,
                     DenseI64ArrayAttr::get(&getContext(), peaks));
    numDevices += peaks.size();
    return attributes.getDictionary(&getContext());
  }

  /// What one list of copies writes, by the devices that were followed.
  struct Copied {
    int64_t devices = 0;
    int64_t bytes = 0;
  };

  ArrayAttr withBytes(DictionaryAttr program, ArrayAttr copies,
                      std::map<int64_t, Copied> &copied) {
    OpBuilder b(&getContext());
    int64_t devices = program.getAs<IntegerAttr>(program::devices).getInt();
    SmallVector<Attribute> entries;
    for (auto [number, entry] : llvm::enumerate(copies)) {
      NamedAttrList attributes(cast<DictionaryAttr>(entry));
      if (const Copied &all = copied[number]; all.devices == devices)
        attributes.set(program::bytes, b.getI64IntegerAttr(all.bytes));
      entries.push_back(attributes.getDictionary(&getContext()));
    }
    return b.getArrayAttr(entries);
  }

  /// What is not used is not allocated: the next pass would drop it.
  static void dropUnused(ModuleOp module) {
    for (auto function : module.getOps<func::FuncOp>())
      if (isDeviceCode(function))
        function.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
          if (auto alloc = dyn_cast<memref::AllocOp>(op))
            forwardSizes(alloc);
          if (isOpTriviallyDead(op))
            op->erase();
        });
  }

  /// The peak of every device; none where one is not known.
  SmallVector<int64_t> predict(func::FuncOp entry, DictionaryAttr program,
                               const Target &target,
                               std::map<int64_t, Copied> &copied) {
    auto collectives = program.getAs<ArrayAttr>(program::collectives);
    std::vector<std::vector<int64_t>> stagings(collectives.size());
    MemoryTrace::Hooks hooks;
    hooks.alignment = target.getMemorySpaces().front().alignment;
    hooks.staging = [&](int64_t number, int64_t device) -> int64_t {
      program::CollectiveNumber of(number);
      if (number < 0 || of.index >= int64_t(stagings.size()))
        return 0;
      std::vector<int64_t> &staging = stagings[of.index];
      if (staging.empty())
        staging = stagingOf(cast<DictionaryAttr>(collectives[of.index]));
      return staging[device] / of.parts;
    };
    hooks.temporaries = [&](func::FuncOp kernel) {
      return target.getTemporaries(kernel);
    };
    // Of passes alike a device is told each time.
    std::map<int64_t, std::optional<int64_t>> ofDevice;
    hooks.copied = [&](int64_t index, std::optional<int64_t> bytes) {
      ofDevice[index] = bytes;
    };
    MemoryTrace trace(getOperation(), hooks);
    UnknownSizes arguments;
    int64_t devices = program.getAs<IntegerAttr>(program::devices).getInt();
    SmallVector<int64_t> peaks;
    for (int64_t device = 0; device < devices; ++device) {
      ofDevice.clear();
      std::optional<MemoryUse> use = trace.trace(entry, device, arguments);
      for (auto [index, bytes] : ofDevice)
        if (bytes) {
          ++copied[index].devices;
          copied[index].bytes += *bytes;
        }
      if (!use)
        return {};
      peaks.push_back(heldOutside(program, device) + use->peak);
    }
    return peaks;
  }
};

} // namespace
