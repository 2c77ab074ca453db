//===- TapestryDialect.td - The tapestry dialect -----------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYDIALECT_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYDIALECT_TD

include "mlir/IR/DialectBase.td"

def Tapestry_Dialect : Dialect {
  let name = "tapestry";
  let cppNamespace = "::tapestry::teg";
  let summary = "Tensor expression graphs";
  let description = [{
    One op per vertex of a tensor expression graph: sources and sinks bring data
    in and out, an einsum computes a tensor from others by a scalar function and
    a reduction. Values are builtin ranked tensors of static shape.

    ```mlir
    tapestry.graph @product {
      %A = tapestry.source "A" : tensor<97x41xf32>
      %B = tapestry.source "B" : tensor<41x53xf32>
      %C = tapestry.einsum "C" [i = 97, j = 53, k = 41] (%A[i, k], %B[k, j]) -> [i, j] reduce add {
      ^bb0(%a: f32, %b: f32):
        %m = arith.mulf %a, %b : f32
        tapestry.yield %m : f32
      } : (tensor<97x41xf32>, tensor<41x53xf32>) -> tensor<97x53xf32>
      tapestry.sink "C", %C : tensor<97x53xf32>
    }
    ```

    Two attributes say what a user asks of a plan: `tapestry.constraints`, a
    list of `#tapestry.constraint`, and `tapestry.layout_group`, a name: tensors of
    one group are kept in equal layouts. A sink's constraints are on the layout in
    which the tensor is handed out. `tapestry.unread_inputs` on a graph names
    the sources that it had until nothing read them: whoever runs the program
    may name files for them.

    Constraints:
    - (tapestry_c1) `tapestry.constraints` is a list of constraints on an operator
      (BlockOpInterface) or a sink; a sink's are on the home.
    - (tapestry_c2) a constraint on the cut names labels of the operator or numbers
      of a source's dimensions; one on the home numbers of dimensions.
    - (tapestry_c3) `tapestry.layout_group` is a string, not empty, on an
      operator.
    - (tapestry_c4) `tapestry.unread_inputs` is a list of strings on a graph.
    - (tapestry_c5) attributes that passes leave to each other hold what these
      expect, and the dialect has no others.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::math::MathDialect", "::tapestry::index::TapestryIndexDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Registers types and attributes; defined beside them.
    void registerTypes();
    void registerAttributes();
    void registerBytecode();
  }];
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYDIALECT_TD
