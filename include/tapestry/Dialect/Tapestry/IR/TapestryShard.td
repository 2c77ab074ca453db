//===- TapestryShard.td - Blocks of operators --------------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSHARD_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSHARD_TD

include "tapestry/Dialect/Tapestry/IR/TapestryOps.td"
include "tapestry/Interfaces/ScanInterface.td"

def Tapestry_ShardOp : Tapestry_Op<"shard", [
    RecursiveMemoryEffects, IsolatedFromAbove, OpAsmOpInterface,
    BlockOpInterface,
    DeclareOpInterfaceMethods<RangeInterface, ["readsPlaceAlong"]>,
    DeclareOpInterfaceMethods<ScanInterface, ["getTotalCount",
                                              "readsBehindTotals"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let summary = "A block of another operator's index space, on slices";
  let description = [{
    Computes those index points of the operator in its region that lie in a range,
    as the operator would on the tensors that the region's arguments stand for:
    the white paper's shards. Each operand is the part of such a tensor that
    these points read; each result the part that they write or, where some of the
    points that are combined lie elsewhere, what these contribute, in
    accumulators. Which parts these are follows from the operator's projections,
    so that any operator with an index space has shards.

    ```mlir
    %Y.1, %E.1 = tapestry.shard "Y.1" [0, 0] => [50, 62] (%X.1, %W) {
    ^bb0(%X: tensor<100x127xf32>, %W: tensor<3xf32>):
      %Y, %E = tapestry.block "Y" #smooth [b = 100, x = 62] (%X, %W) {scale = 0.5 : f32}
          : (tensor<100x127xf32>, tensor<3xf32>) -> (tensor<100x62xf32>, tensor<100xf64>)
      tapestry.part_of %Y, %E : tensor<100x62xf32>, tensor<100xf64>
    } : (tensor<50x127xf32>, tensor<3xf32>) -> (tensor<50x62xf32>, tensor<50xf64>)
    ```

    An operand is the least box that has what the range reads, whole in dimensions
    in which it goes around a tensor; what is folded at an end of the tensor is so
    at an equal end of the box. Of what the range reads nothing of it is one element.
    A region of scalars takes an operand at all points, also where it chooses
    another: 0 beside the box. Labels keep the values that they have in the whole.

    Sources and sinks have blocks, too, unless they wait for points, are waited for
    or are on a device: a shard of a source is given the range of its tensor, that of
    a sink hands it out. All those of one name are of one tensor, which is put
    together again before anything is planned (`tapestry-join-nodes`).

    ```mlir
    %X.2 = tapestry.shard "X.2" [500, 0] => [1000, 10] () {
      %X = tapestry.source "X" from file<"x.npy"> : tensor<1000x10xf32>
      tapestry.part_of %X : tensor<1000x10xf32>
    } : () -> tensor<500x10xf32>
    tapestry.shard "Y.2" [500, 0] => [1000, 10] (%X.2) {
    ^bb0(%Y: tensor<1000x10xf32>):
      tapestry.sink "Y", %Y : tensor<1000x10xf32>
      tapestry.part_of
    } : (tensor<500x10xf32>) -> ()
    ```

    Constraints:
    - (shard_c1) the region holds one operator with an index space, which has
      blocks, is no shard, takes the arguments in their order, and has no plan;
      `tapestry.part_of` takes its results.
    - (shard_c2) there is one range per label, not empty and inside of the label's
      extent.
    - (shard_c3) the range has all points of a label that values run on along, and
      of one whose points write regions.
    - (shard_c4) there is one operand per argument, of its element type and of the
      shape of what the range reads.
    - (shard_c5) there is one result per result of the operator, of the shape of
      what the range writes, and of its element type or, where points are missing
      that are combined, the accumulator's.
    - (shard_c6) `partition` has one entry per label, over axes of the graph's
      grid where that is given.
    - (shard_c7) `homes` has one layout per result, of its shape, without partial
      axes, and on the graph's grid where that is given.
    - (shard_c8) `home_routes` and `operand_routes` have one list per result and
      per piece that is read, of plain layouts of its shape, and there are homes
      on the same grid.
  }];
  let arguments = (ins
    StrAttr:$name,
    TapestryIndex_RangeAttr:$range,
    Variadic<Tapestry_Tensor>:$inputs,
    OptionalAttr<TapestryIndex_PartitionAttr>:$partition,
    OptionalAttr<TypedArrayAttrBase<TapestryIndex_LayoutAttr,
                                    "a layout per result">>:$homes,
    OptionalAttr<TypedArrayAttrBase<Tapestry_RouteAttr,
                                    "a route per result">>:$home_routes,
    OptionalAttr<TypedArrayAttrBase<Tapestry_RouteAttr,
                                    "a route per piece">>:$operand_routes);
  let results = (outs Variadic<Tapestry_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$whole);
  let assemblyFormat = [{
    $name custom<StartsAndEnds>($range) ` ` `(` $inputs `)` $whole
    attr-dict-with-keyword `:` functional-type(operands, results)
    (`partition` $partition^)? (`homes` $homes^)?
  }];
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// A block of an operator or, where that is a shard, of what it is one of;
    /// operands are what it reads.
    OpBuilder<(ins "::llvm::StringRef":$name,
                   "::tapestry::BlockOpInterface":$whole,
                   "::llvm::ArrayRef<::tapestry::ZRange>":$range,
                   "::mlir::ValueRange":$operands)>
  ];
  let extraClassDeclaration = [{
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn setName);
    /// The operator that it computes a block of.
    ::tapestry::BlockOpInterface getWholeOp() {
      return ::mlir::cast<::tapestry::BlockOpInterface>(
          getWhole().front().front());
    }
    ::tapestry::ZBox getBox() { return getRange().getBox(); }

    ::llvm::StringRef getVertexName() { return getName(); }
    ::llvm::SmallVector<::std::string> getLabelNames();
    ::llvm::SmallVector<int64_t> getLabelExtents();
    ::llvm::SmallVector<::tapestry::LabelKind> getLabelKinds();
    ::llvm::SmallVector<::mlir::Value> getTensorOperands();
    ::std::vector<::tapestry::Access> getAccesses(unsigned operand);
    ::mlir::TypedAttr getPad(unsigned operand);
    ::std::vector<::tapestry::Projection> getResultProjections();
    ::std::vector<::tapestry::Write> getWrites(unsigned result);
    ::std::optional<::llvm::SmallVector<int64_t>> getDeviceSet();
    ::tapestry::Monoid getResultMonoid(unsigned result);
    ::mlir::TypedAttr getMonoidIdentity(unsigned result);
    ::mlir::Value emitCombine(unsigned result, ::mlir::OpBuilder &builder,
                              ::mlir::Location loc, ::mlir::Value a,
                              ::mlir::Value b);
    ::mlir::Region *getScalarRegion();
    ::std::optional<unsigned> getLabelReadBy(::mlir::Operation *op);
    int64_t getLabelStart(unsigned label);
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
    ::tapestry::Route getHomeRouteLayouts(unsigned result) {
      return detail::resolveRoutes(getHomeRoutesAttr(),
                                   getNumResults())[result];
    }
    ::llvm::SmallVector<::tapestry::Route> getOperandRouteLayouts() {
      return detail::resolveRoutes(getOperandRoutesAttr(), getReads().size());
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

def Tapestry_PartOfOp : Tapestry_Op<"part_of", [
    Pure, Terminator, HasParent<"ShardOp">]> {
  let summary = "Ends what a shard is a block of";
  let description = [{
    Takes the results of the operator, in order, of which the shard has parts.

    ```mlir
    tapestry.part_of %Y, %E : tensor<100x62xf32>, tensor<100xf64>
    ```
  }];
  let arguments = (ins Variadic<Tapestry_Tensor>:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSHARD_TD
