//===- Split.cpp - A module in parts --------------------------------------===//

#include "Split.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <functional>
#include <tuple>

using namespace llvm;

// A part of fewer instructions costs more to set up than it saves.
static constexpr uint64_t leastInstructions = 1500;

/// Whether the address of a variable or a function is a part of `value`.
static bool hasAddress(const Value *value) {
  if (isa<GlobalValue>(value))
    return true;
  auto *constant = dyn_cast<Constant>(value);
  return constant && any_of(constant->operands(),
                            [](const Use &use) { return hasAddress(use); });
}

/// Calls may lead anywhere; an address in the code may be out of reach where it
/// is another part's.
static bool isMovable(const Function &function) {
  return !function.isDeclaration() && !function.hasAddressTaken() &&
         none_of(instructions(function), [](const Instruction &instruction) {
           auto *call = dyn_cast<CallBase>(&instruction);
           return any_of(instruction.operands(), [&](const Use &use) {
             return !(call && call->isCallee(&use)) && hasAddress(use);
           });
         });
}

/// The part of every function that is not in the first.
static DenseMap<const Function *, unsigned> assignParts(const Module &module,
                                                        unsigned parts) {
  SmallVector<std::tuple<uint64_t, size_t, const Function *>> movable;
  uint64_t total = 0;
  for (const Function &function : module) {
    uint64_t length = function.getInstructionCount();
    total += length;
    if (isMovable(function))
      movable.emplace_back(length, movable.size(), &function);
  }
  DenseMap<const Function *, unsigned> partOf;
  parts = static_cast<unsigned>(
      std::min<uint64_t>(parts, total / leastInstructions));
  if (parts < 2)
    return partOf;
  SmallVector<uint64_t> lengths(parts, 0);
  lengths[0] = total;
  for (const auto &[length, number, function] : movable)
    lengths[0] -= length;
  // The longest first, each where there is least.
  llvm::sort(movable, std::greater<>());
  for (const auto &[length, number, function] : movable) {
    auto part = static_cast<unsigned>(min_element(lengths) - lengths.begin());
    lengths[part] += length;
    if (part > 0)
      partOf[function] = part;
  }
  return partOf;
}

std::vector<SmallVector<char, 0>> tapestry::splitModule(Module &module,
                                                        unsigned parts) {
  DenseMap<const Function *, unsigned> partOf = assignParts(module, parts);
  if (partOf.empty())
    return {};
  for (Function &function : module)
    if (function.hasLocalLinkage()) {
      function.setLinkage(GlobalValue::ExternalLinkage);
      function.setVisibility(GlobalValue::HiddenVisibility);
    }
  unsigned last = 0;
  for (const auto &[function, part] : partOf)
    last = std::max(last, part);
  std::vector<SmallVector<char, 0>> texts(last);
  for (unsigned part = 1; part <= last; ++part) {
    ValueToValueMapTy map;
    std::unique_ptr<Module> copy =
        CloneModule(module, map, [&](const GlobalValue *value) {
          auto *function = dyn_cast<Function>(value);
          return function && partOf.lookup(function) == part;
        });
    raw_svector_ostream os(texts[part - 1]);
    WriteBitcodeToFile(*copy, os);
  }
  for (Function &function : module)
    if (partOf.contains(&function))
      function.deleteBody();
  return texts;
}
