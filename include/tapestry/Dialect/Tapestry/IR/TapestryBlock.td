//===- TapestryBlock.td - Blocks with signatures -----------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYBLOCK_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYBLOCK_TD

include "tapestry/Dialect/Tapestry/IR/TapestryOps.td"

def Tapestry_BlockOp : Tapestry_Op<"block", [
    NoMemoryEffect, IsolatedFromAbove, OpAsmOpInterface, BlockOpInterface,
    DeclareOpInterfaceMethods<RangeInterface, ["readsPlaceAlong", "evaluateRange"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let summary = "A block operator that a function from outside, or a body, computes";
  let description = [{
    Applies a kernel (`#tapestry.kernel`) to an index space. How it may be cut
    follows from the kernel's projections; each device calls the function once,
    for its block of the index space, on strided views of what the block reads
    and writes. A block that nobody reads is left out.

    ```mlir
    %Y, %E = tapestry.block "Y" #smooth [b = 100, x = 62] (%X, %W) {scale = 0.5 : f32}
        : (tensor<100x127xf32>, tensor<3xf32>) -> (tensor<100x62xf32>, tensor<100xf64>)
    ```

    A block with a `body` needs no function. The body is given what one index
    point reads, scalars or, of dimensions that it reads more than one index of,
    tensors of those, then the parameters and the labels' values, and yields an
    element of each output, which takes part in what labels combine. Every output
    is written by elements. The kernel's function is but a name then.

    ```mlir
    #slope = #tapestry.kernel<"slope" [i] (X : f32[i - 1 : 3] params h : f32)
        -> (Y : f32[i], S : f32[] max)>
    %Y, %S = tapestry.block "Y" #slope [i = 97] (%X) pads [0.0 : f32] {h = 0.5 : f32} body {
    ^bb0(%x: tensor<3xf32>, %h: f32, %i: index):
      %zero = arith.constant 0 : index
      %two = arith.constant 2 : index
      %a = tensor.extract %x[%zero] : tensor<3xf32>
      %b = tensor.extract %x[%two] : tensor<3xf32>
      %d = arith.subf %b, %a : f32
      %s = arith.mulf %d, %h : f32
      %t = math.absf %s : f32
      tapestry.block_yield %s, %t : f32, f32
    } : (tensor<97xf32>) -> (tensor<97xf32>, tensor<f32>)
    ```

    An `idempotent` block, as one with a body is, makes the same bits of the same, however often it is
    called, and changes nothing else, so that it may be computed again: by each
    of the devices that keep copies of what it makes, which then agree, and after
    a failure, by a program that is applied to restored tensors. The reference
    calls it twice and compares. Of another, copies may differ.

    ```mlir
    %Z = tapestry.block "Z" #scale [i = 100] (%X) {} idempotent
        : (tensor<100xf32>) -> tensor<100xf32>
    ```

    What this block takes as a whole of a resource its `costs` say, instead of the
    kernel's marginal costs of that. It is divided among the points, each of which
    takes a whole number of `flops` and of bytes of `ram`; other resources are kept.

    ```mlir
    %Z = tapestry.block "Z" #scale [i = 100] (%X) {} costs {flops = 2500, ram = 0}
        : (tensor<100xf32>) -> tensor<100xf32>
    ```

    What an input reads outside of its tensor is its entry in `pads`; the view of
    it begins, and ends, outside, too.

    ```mlir
    %Z = tapestry.block "Z" #smooth [b = 5, x = 127] (%X, %W) pads [0.0 : f32, unit] {}
        : (tensor<5x127xf32>, tensor<3xf32>) -> tensor<5x127xf32>
    ```

    An output that combines along labels is the monoid's identity when the
    function is called, which combines with it. How a custom monoid combines two
    values, and its identity, the block says, of each such output in their order.
    A kernel without labels is computed whole, by every device.

    ```mlir
    %M = tapestry.block "M" #largest [n = 9, k = 5] (%X) {} combine {
    ^bb0(%a: f32, %b: f32):
      %x = math.absf %a : f32
      %y = math.absf %b : f32
      %m = arith.maximumf %x, %y : f32
      tapestry.block_yield %m : f32
    } identity 0.0 : f32 : (tensor<9x5xf32>) -> tensor<5xf32>
    ```

    Constraints:
    - (block_c1) there is one operand per input, of its element type and rank, one
      result per output, and one extent per label: at least 0, and the number of
      index points fits into 62 bits.
    - (block_c2) over the index space, unless that is empty, subscripts of inputs
      without pad stay inside their tensors, and none reaches 2^62.
    - (block_c3) every element of a result is written exactly once, but for what
      reduced labels combine.
    - (block_c4) there is one value per parameter, of its name and type.
    - (block_c5) `partition` has one entry per label, over axes of the graph's
      grid where that is given; those of labels of tiles have none.
    - (block_c6) `homes` has one layout per result, of its shape, without partial
      axes, and on the graph's grid where that is given.
    - (block_c7) `home_routes` and `operand_routes` have one list per result and
      per operand, of plain layouts of its shape, and there are homes on the same
      grid.
    - (block_c8) costs are numbers of type i64, at least 0.
    - (block_c9) no condition of a loop depends on a block that is not idempotent,
      of which devices may have computed different values.
    - (block_c10) there is one pad per input, `unit` for none or a constant of its
      element type.
    - (block_c11) there is a combine region for each output with a custom monoid,
      from two values of its element type to one, of operations as an einsum's, and
      an identity of that type.
    - (block_c12) a body has an argument per input, parameter and label, as above,
      and yields one value of its element type per output, which is written by
      elements. It holds operations as an einsum's, and reads its tensors by
      `tensor.extract` at constant indices inside of them.
  }];
  let arguments = (ins
    StrAttr:$name,
    Tapestry_KernelAttr:$kernel,
    DenseI64ArrayAttr:$extents,
    Variadic<Tapestry_Tensor>:$inputs,
    OptionalAttr<ArrayAttr>:$pads,
    DictionaryAttr:$params,
    UnitAttr:$idempotent,
    OptionalAttr<DictionaryAttr>:$costs,
    OptionalAttr<TypedArrayAttrBase<TypedAttrInterface,
                                    "an identity per combine region">>:$identities,
    OptionalAttr<TapestryIndex_PartitionAttr>:$partition,
    OptionalAttr<TypedArrayAttrBase<TapestryIndex_LayoutAttr,
                                    "a layout per result">>:$homes,
    OptionalAttr<TypedArrayAttrBase<Tapestry_RouteAttr,
                                    "a route per result">>:$home_routes,
    OptionalAttr<TypedArrayAttrBase<Tapestry_RouteAttr,
                                    "a route per operand">>:$operand_routes);
  let results = (outs Variadic<Tapestry_Tensor>:$outputs);
  let regions = (region VariadicRegion<SizedRegion<1>>:$scalars);
  let assemblyFormat = [{
    $name qualified($kernel) custom<IndexRanges>(ref($kernel), $extents) ` ` `(`
    $inputs `)` (`pads` $pads^)? $params (`idempotent` $idempotent^)?
    (`costs` $costs^)? custom<Scalars>($scalars, $identities)
    attr-dict-with-keyword `:` functional-type(operands, results)
    (`partition` $partition^)? (`homes` $homes^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  // Earlier versions of the dialect knew kernels alone.
  let useCustomPropertiesEncoding = 1;
  let extraClassDeclaration = [{
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn setName);
    const Kernel &getSignature() { return getKernel().getKernel(); }
    ::mlir::RankedTensorType getTensorType(unsigned operand) {
      return ::mlir::cast<::mlir::RankedTensorType>(
          getInputs()[operand].getType());
    }
    ::mlir::RankedTensorType getOutputType(unsigned result) {
      return ::mlir::cast<::mlir::RankedTensorType>(
          getOutputs()[result].getType());
    }
    /// What the kernel says of an input or output, its whole dimensions filled
    /// in.
    ::tapestry::Projection getInputProjection(unsigned operand);
    ::tapestry::Projection getOutputProjection(unsigned result);
    /// How an output's custom monoid combines; null of any other.
    ::mlir::Region *getCombiner(unsigned result);
    /// What computes a point; null where a function from outside does. It is the
    /// last of the regions.
    ::mlir::Region *getBody();
    /// Whether it makes the same bits of the same.
    bool isRepeatable() { return getIdempotent() || getBody(); }
    /// What a body is given of an input.
    ::mlir::Type getBodyType(unsigned operand);
    /// What index points take of a resource, so many steps along each label: by
    /// the marginal costs of the kernel, linear in the steps, or of what the
    /// block says that it takes as a whole their share. 0 of one that neither
    /// knows.
    double getCost(::llvm::StringRef resource, ::llvm::ArrayRef<int64_t> steps);
    /// The parameters' values in the kernel's order.
    ::llvm::SmallVector<::mlir::TypedAttr> getParamValues();

    ::llvm::StringRef getVertexName() { return getName(); }
    ::llvm::SmallVector<::std::string> getLabelNames();
    ::llvm::SmallVector<int64_t> getLabelExtents();
    ::llvm::SmallVector<::tapestry::LabelKind> getLabelKinds();
    ::llvm::SmallVector<::mlir::Value> getTensorOperands();
    ::std::vector<::tapestry::Access> getAccesses(unsigned operand);
    ::mlir::TypedAttr getPad(unsigned operand);
    ::std::vector<::tapestry::Projection> getResultProjections();
    ::std::vector<::tapestry::Write> getWrites(unsigned result);
    ::tapestry::Monoid getResultMonoid(unsigned result);
    ::mlir::TypedAttr getMonoidIdentity(unsigned result);
    ::mlir::Value emitCombine(unsigned result, ::mlir::OpBuilder &builder,
                              ::mlir::Location loc, ::mlir::Value a,
                              ::mlir::Value b);
    ::tapestry::PointWork getWork();
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>
    lowerLocal(::mlir::OpBuilder &builder, ::mlir::Location loc,
               const ::tapestry::LocalBlock &block);
    ::llvm::Expected<::std::vector<::tapestry::HostTensor>>
    evaluate(::llvm::ArrayRef<const ::tapestry::HostTensor *> operands);
    ::tapestry::ShardingConstraints getConstraints(unsigned result) {
      return constraintsOf((*this)->getOpResult(result));
    }

    bool hasPartition() { return static_cast<bool>(getPartitionAttr()); }
    ::mlir::FailureOr<::std::optional<::tapestry::Partition>>
    getPartitionOn(const ::tapestry::DeviceGrid &grid) {
      return detail::resolvePartition(*this, getPartitionAttr(), grid);
    }
    void setPartitionOn(const ::tapestry::DeviceGrid &grid,
                        const ::tapestry::Partition &partition) {
      setPartitionAttr(::tapestry::index::PartitionAttr::get(
          getContext(), grid, partition));
    }
    ::std::optional<::std::pair<::tapestry::DeviceGrid, ::tapestry::Layout>>
    getHomeLayout(unsigned result);
    void setHomeLayout(unsigned result, const ::tapestry::DeviceGrid &grid,
                       const ::tapestry::Layout &layout);
    ::tapestry::Route getHomeRouteLayouts(unsigned result);
    ::llvm::SmallVector<::tapestry::Route> getOperandRouteLayouts() {
      return detail::resolveRoutes(getOperandRoutesAttr(), getInputs().size());
    }
    void setRoutes(const ::tapestry::DeviceGrid &grid,
                   ::llvm::ArrayRef<::tapestry::Route> homeRoutes,
                   ::llvm::ArrayRef<::tapestry::Route> operandRoutes) {
      setHomeRoutesAttr(detail::routesAttr(getContext(), grid, homeRoutes));
      setOperandRoutesAttr(
          detail::routesAttr(getContext(), grid, operandRoutes));
    }
  }];
}

def Tapestry_BlockYieldOp : Tapestry_Op<"block_yield", [
    Pure, Terminator, HasParent<"BlockOp">]> {
  let summary = "Ends a region of a block with its values";
  let description = [{
    ```mlir
    tapestry.block_yield %y, %e : f32, f64
    ```
  }];
  let arguments = (ins Variadic<Tapestry_Element>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYBLOCK_TD
