// Headers that libraries without MLIR parse; precompiled once.
#ifndef TAPESTRY_CMAKE_TAPESTRYPLAINPCH_H
#define TAPESTRY_CMAKE_TAPESTRYPLAINPCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#endif // TAPESTRY_CMAKE_TAPESTRYPLAINPCH_H
