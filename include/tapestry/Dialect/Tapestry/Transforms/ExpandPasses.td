//===- ExpandPasses.td - Passes that say what names mean ---*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_EXPANDPASSES_TD
#define TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_EXPANDPASSES_TD

include "tapestry/Dialect/Tapestry/Transforms/PricedPlanOptions.td"

def TapestryExpand : Pass<"tapestry-expand", "::tapestry::teg::GraphOp"> {
  let summary = "Replace operators that are known by name by what they mean";
  let description = [{
    Every `tapestry.operator` is expanded by a rule for operators of its kind
    (Transforms/RewriteRules.h), and so are those that expansions bring. Of
    several rules that apply the first in the order of precedence is taken, or,
    where `devices` or `grid` say for how many, the one by which the operator has
    the cheapest plan, its operands lying as they like, and the first of those
    that cost the same. It is written down on the graph. An operator that no rule
    expands is an error that tells of each rule why it does not apply; so is one
    that expands into itself.

    The rules that there are, in the order of precedence; plug-ins add theirs:

    | kind | rule | expansion |
    |---|---|---|
    | `linear` | `linear-block` | `sum[in] X * W`, which keeps `in` whole, and `+ b`; unless a constraint asks to cut `in` |
    | | `linear-sum` | a `matmul` and `+ b` |
    | `matmul` | `matmul-einsum` | `sum[in] X * W` |
    | | `matmul-prod` | the product at every `[batch, in, out]`, and its sum over `in` |
    | `where` | `where-einsum` | per element the tensor behind the first condition that holds |
    | `max` | `max-einsum` | per element the largest of the tensors |
    | `min` | `min-einsum` | per element the least of the tensors |

    Before:
    ```mlir
    tapestry.graph @g {
      %X = tapestry.source "X" : tensor<4x6xf32>
      %W = tapestry.source "W" : tensor<6x5xf32>
      %Y = tapestry.operator "Y" "matmul"(%X, %W)
          : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
      tapestry.sink "Y", %Y : tensor<4x5xf32>
    }
    ```

    After:
    ```mlir
    tapestry.graph @g attributes {tapestry.rewrites = [["expand", "Y", "matmul-einsum"]]} {
      %X = tapestry.source "X" : tensor<4x6xf32>
      %W = tapestry.source "W" : tensor<6x5xf32>
      %Y = tapestry.einsum "Y" [batch = 4, out = 5, in = 6]
          (%X[batch, in], %W[in, out]) -> [batch, out] reduce add {
      ^bb0(%x: f32, %w: f32):
        %0 = arith.mulf %x, %w : f32
        tapestry.yield %0 : f32
      } : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
      tapestry.sink "Y", %Y : tensor<4x5xf32>
    }
    ```
  }];
  let options = !listconcat([
    ListOption<"prefer", "prefer", "std::string",
               "Rules that come before all others">
  ], pricedPlanOptions);
  let statistics = [
    Statistic<"numExpanded", "expanded", "Number of operators expanded">
  ];
}

def TapestryExpandSources
    : Pass<"tapestry-expand-sources", "::tapestry::teg::GraphOp"> {
  let summary = "Compute the values of generated sources where they are read";
  let description = [{
    A source with a `#tapestry.generator` becomes an einsum that reads nothing, so
    that it is no argument of the graph any longer, every device makes the part
    that it reads, and nothing is sent. Its labels are d0, d1, ...; pins of
    dimensions become pins of those.

    Before:
    ```mlir
    tapestry.graph @g {
      %W = tapestry.source "W" from generator<iota> : tensor<4xi64>
      tapestry.sink "Z", %W : tensor<4xi64>
    }
    ```

    After:
    ```mlir
    tapestry.graph @g {
      %W = tapestry.einsum "W" [d0 = 4] () -> [d0] {
      ^bb0:
        %0 = tapestry.label "d0"
        %1 = arith.index_cast %0 : index to i64
        tapestry.yield %1 : i64
      } : () -> tensor<4xi64>
      tapestry.sink "Z", %W : tensor<4xi64>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tapestry::index::TapestryIndexDialect"];
  let statistics = [
    Statistic<"numExpanded", "expanded", "Number of sources expanded">
  ];
}

#endif // TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_EXPANDPASSES_TD
