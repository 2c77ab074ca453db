// Headers that most of the compiler's libraries parse; precompiled once.
#ifndef TAPESTRY_CMAKE_TAPESTRYPCH_H
#define TAPESTRY_CMAKE_TAPESTRYPCH_H

// MLIR's library makes the statistics of passes, without members where it was
// built without assertions; the header takes what ours have to mean the same.
#include "llvm/Config/abi-breaking.h"
#if !LLVM_ENABLE_ABI_BREAKING_CHECKS && !defined(NDEBUG)
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#endif

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

#endif // TAPESTRY_CMAKE_TAPESTRYPCH_H
