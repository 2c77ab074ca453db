//===- ProductNest.h - What the library of products computes ----*- C++ -*-===//
//
// Reads a nest, and what is made of each of its results, as a product of
// matrices with an epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CODEGEN_GPU_PRODUCTNEST_H
#define TAPESTRY_LIB_CODEGEN_GPU_PRODUCTNEST_H

#include "tapestry-rt/ABI.h"
#include "tapestry/Codegen/Common/Nest.h"
#include "tapestry/Codegen/GPU/ProductShape.h"

namespace tapestry {

/// What is made of each result, and where it goes then.
struct Epilogue {
  mlir::linalg::GenericOp op;
  /// A number per column; null for none.
  mlir::Value bias;
  /// A matrix as the result; null for none.
  mlir::Value addend;
  /// A sum of TapestryEpilogue.
  int64_t functions = 0;
  /// Not that of the product where elements are of another type, which nothing
  /// else reads then.
  mlir::Value result;
  TapestryDType type = TAPESTRY_F32;
};

/// A nest that a call computes.
struct Product {
  MatrixProduct matrices;
  TapestryDType type = TAPESTRY_F32;
  double alpha = 1;
  /// It begins with the 0 that this stores; null: it adds to its result.
  mlir::linalg::GenericOp fill;
};

/// The product that `nest` is; nothing is changed.
std::optional<Product> findProduct(Nest &nest);

/// What `op`, behind the nest of `product`, makes of its results, if one call
/// computes both. `product.alpha` becomes that of both.
std::optional<Epilogue> findEpilogue(Nest &nest, Product &product,
                                     mlir::linalg::GenericOp op);

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_GPU_PRODUCTNEST_H
