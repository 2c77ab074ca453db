//===- TargetInfo.h - What code generation knows of a CPU -------*- C++ -*-===//
//
// The few numbers that choose register tiles and cache blocks.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_CPU_TARGETINFO_H
#define TAPESTRY_CODEGEN_CPU_TARGETINFO_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tapestry {

/// A cache line, and an AVX-512 register: what buffers are aligned to.
constexpr int64_t bufferAlignment = 64;

struct TargetInfo {
  /// Width of a vector register.
  unsigned vectorBits = 128;
  unsigned vectorRegisters = 16;
  /// Loads and stores under a mask cost what plain ones do (AVX-512).
  bool maskedMemory = false;
  bool fusedMultiplyAdd = false;
  /// Adds products of two bf16 to each f32 lane, in no more time than an FMA.
  bool dotBF16 = false;
  /// Adds products of two i16, or of four u8 with i8, to each i32 lane.
  bool dotIntegers = false;
  /// Tile registers (AMX), which multiply 16 x 16 words of bf16, of 8 bits. A
  /// process has to ask the system for them.
  bool tilesBF16 = false;
  bool tilesI8 = false;
  /// Adds products of two i16 to each other in vectors of this width.
  bool addsPairs = false;
  /// Cache sizes that blocks are fitted into; modest ones, so that one set
  /// serves all current server processors.
  int64_t l1Bytes = int64_t(32) * 1024;
  int64_t l2Bytes = int64_t(1024) * 1024;

  /// The processor `cpu`, as LLVM names it ("native": the one that compiles).
  /// A nonzero `vectorBits` overrides the width. None for an unknown name or
  /// width. "native" has tile registers where the system gives them to this
  /// process, which asks for them then.
  static std::optional<TargetInfo> get(llvm::StringRef cpu,
                                       unsigned vectorBits = 0);
  /// Features of the processor that generated code may make use of, as LLVM
  /// names them; those of every x86-64 left out.
  static std::vector<std::string> featuresUsed(llvm::StringRef cpu);
  /// The names besides "native".
  static llvm::SmallVector<llvm::StringRef> allNames();
};

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_CPU_TARGETINFO_H
