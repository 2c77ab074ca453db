//===- ToyOps.td - A dialect that Tapestry knows nothing of -*- tablegen -*-===//

#ifndef TAPESTRY_TEST_TOYDIALECT_TOYOPS_TD
#define TAPESTRY_TEST_TOYDIALECT_TOYOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/Index/IR/IndexAttrs.td"
include "tapestry/Interfaces/BlockOpInterface.td"

def Toy_Dialect : Dialect {
  let name = "toy";
  let cppNamespace = "::toy";
  // What its operator lowers to.
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def Toy_MedianStatsOp : Op<Toy_Dialect, "median_stats", [
    Pure, DeclareOpInterfaceMethods<BlockOpInterface, [
      "getPad", "getHomeRouteLayouts", "getOperandRouteLayouts", "setRoutes",
      "lowerLocal", "evaluate"]>]> {
  let summary = "Statistics of the rows of a matrix without its outliers";
  let description = [{
    Every element is replaced by the median of itself and its neighbours above
    and below (0 outside). Of each row of these, `energy` is the norm (the user's
    monoid a ⊕ b = sqrt(a² + b²)), accumulated in f32, and `peak` the largest.
    A median is no reduction by a monoid, so that this is no einsum.

    ```mlir
    %energy, %peak = toy.median_stats "S", %X
        : tensor<97x53xf32> -> tensor<97xf32>, tensor<97xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, AnyRankedTensor:$input,
                       OptionalAttr<TapestryIndex_PartitionAttr>:$partition,
                       OptionalAttr<ArrayAttr>:$homes,
                       OptionalAttr<ArrayAttr>:$routes);
  let results = (outs AnyRankedTensor:$energy, AnyRankedTensor:$peak);
  let assemblyFormat = [{
    $name `,` $input attr-dict `:` type($input) `->` type(results)
  }];
  let hasVerifier = 1;
}

#endif // TAPESTRY_TEST_TOYDIALECT_TOYOPS_TD
