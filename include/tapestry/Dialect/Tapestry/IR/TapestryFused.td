//===- TapestryFused.td - Operators that are one vertex ----*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYFUSED_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYFUSED_TD

include "tapestry/Dialect/Tapestry/IR/TapestryOps.td"

def Tapestry_FusedOp : Tapestry_VertexOp<"fused", [
    RecursiveMemoryEffects, IsolatedFromAbove,
    DeclareOpInterfaceMethods<RangeInterface, ["readsPlaceAlong"]>]> {
  let summary = "A producer and what is made of it, as one operator";
  let description = [{
    Computes the second operator in its region, the consumer, of what the first,
    the producer, makes: the white paper's `Linear => ReLU`. What lies between them
    is no tensor of the graph. Each point of the consumer reads one element of it,
    the one that has its labels, in any order, so that the index space is the
    consumer's. What a point reads of the producer's operands is composed of both
    projections: labels that the producer reduces are read whole, and so are not
    cut.

    ```mlir
    // Y[b, o] = max(sum[i] X[b, i] * W[i, o] + B[o], 0)
    %Y = tapestry.fused "Y" (%X, %W, %B) {
    ^bb0(%x: tensor<100x7xf32>, %w: tensor<7x6xf32>, %bias: tensor<6xf32>):
      %Z = tapestry.einsum "Z" [b = 100, o = 6, i = 7] (%x[b, i], %w[i, o]) -> [b, o] reduce add {
      ^bb0(%p: f32, %q: f32):
        %m = arith.mulf %p, %q : f32
        tapestry.yield %m : f32
      } : (tensor<100x7xf32>, tensor<7x6xf32>) -> tensor<100x6xf32>
      %Y = tapestry.einsum "Y" [b = 100, o = 6] (%Z[b, o], %bias[o]) -> [b, o] {
      ^bb0(%z: f32, %c: f32):
        %s = arith.addf %z, %c : f32
        %zero = arith.constant 0.0 : f32
        %r = arith.maximumf %s, %zero : f32
        tapestry.yield %r : f32
      } : (tensor<100x6xf32>, tensor<6xf32>) -> tensor<100x6xf32>
      tapestry.fused_yield %Y : tensor<100x6xf32>
    } : (tensor<100x7xf32>, tensor<7x6xf32>, tensor<6xf32>) -> tensor<100x6xf32>
    ```

    Its signature is that of one operator, so it is cut, sharded and proved as any
    other, and either of the two may be such a one itself. On a device the producer
    is computed, then the consumer; what lies between them is there for the block
    alone. Constraints on the producer's cut stay with it, for when it is a vertex
    again (`unfuse`).

    Constraints:
    - (fused_c1) the region holds two operators with an index space and one result,
      which have blocks and no plan, and run on along no label.
    - (fused_c2) both read every operand in one piece, at all points.
    - (fused_c3) both write elements: each dimension of the result is one label. The
      consumer has no other labels, the producer others that it reduces.
    - (fused_c4) the consumer reads the producer's result, everywhere by one
      projection, whose dimensions are all of its labels.
    - (fused_c5) the producer takes the first arguments, the consumer the others, in
      their order; `tapestry.fused_yield` takes the consumer's result, and nothing
      else is read.
    - (fused_c6) operands have the arguments' types, and the result the consumer's.
    - (fused_c7) labels that the producer reduces have points, and do not stand with
      others in a subscript that is divided or wraps around.
    - (fused_c8) `partition` has one entry per label, over axes of the graph's grid
      where that is given.
    - (fused_c9) `home` has the result's shape, no partial axes, and the graph's grid
      where that is given.
    - (fused_c10) `home_route` holds plain layouts of the result's shape,
      `operand_routes` has one list per operand, of plain layouts of its shape, and
      there is a home on the same grid.
  }];
  let arguments = (ins
    StrAttr:$name,
    Variadic<Tapestry_Tensor>:$inputs,
    OptionalAttr<TapestryIndex_PartitionAttr>:$partition,
    OptionalAttr<TapestryIndex_LayoutAttr>:$home,
    OptionalAttr<Tapestry_RouteAttr>:$home_route,
    OptionalAttr<TypedArrayAttrBase<Tapestry_RouteAttr,
                                    "a route per operand">>:$operand_routes);
  let results = (outs Tapestry_Tensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name ` ` `(` $inputs `)` $body attr-dict-with-keyword
    `:` functional-type(operands, results) `` custom<Placement>($partition, $home)
  }];
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// Of a producer and a consumer that reads its result, which stay as they
    /// are; it has the consumer's name.
    OpBuilder<(ins "::tapestry::BlockOpInterface":$producer,
                   "::tapestry::BlockOpInterface":$consumer)>
  ];
  let extraClassDeclaration = vertexDeclaration # [{
    ::mlir::TypedAttr getPad(unsigned operand);
    ::std::optional<::llvm::SmallVector<int64_t>> getDeviceSet();
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>
    lowerLocal(::mlir::OpBuilder &builder, ::mlir::Location loc,
               const ::tapestry::LocalBlock &block);
    ::llvm::Expected<::std::vector<::tapestry::HostTensor>>
    evaluate(::llvm::ArrayRef<const ::tapestry::HostTensor *> operands);

    ::tapestry::BlockOpInterface getProducer() {
      return ::mlir::cast<::tapestry::BlockOpInterface>(getBody().front().front());
    }
    ::tapestry::BlockOpInterface getConsumer() {
      return ::mlir::cast<::tapestry::BlockOpInterface>(
          *::std::next(getBody().front().begin()));
    }
    /// The points of the producer that points of a box read what comes of.
    ::tapestry::ZBox getProducerRange(::llvm::ArrayRef<::tapestry::ZRange> box);
  }];
}

def Tapestry_FusedYieldOp : Tapestry_Op<"fused_yield", [
    Pure, Terminator, HasParent<"FusedOp">]> {
  let summary = "Ends a fused operator with its result";
  let description = [{
    ```mlir
    tapestry.fused_yield %Y : tensor<100x6xf32>
    ```
  }];
  let arguments = (ins Tapestry_Tensor:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYFUSED_TD
