//===- TapestryOps.td - Operations of tapestry -------------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYOPS_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/Index/IR/IndexAttrs.td"
include "tapestry/Dialect/Tapestry/IR/TapestryAttrs.td"
include "tapestry/Dialect/Tapestry/IR/TapestryTypes.td"
include "tapestry/Interfaces/BlockOpInterface.td"
include "tapestry/Interfaces/GraphNodeInterface.td"
include "tapestry/Interfaces/RangeInterface.td"

class Tapestry_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tapestry_Dialect, mnemonic, traits>;

/// A vertex whose name, cut, home and routes are attributes of those names.
class Tapestry_VertexOp<string mnemonic, list<Trait> traits = []>
    : Tapestry_Op<mnemonic, traits # [
          OpAsmOpInterface, BlockOpInterface,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                    ["reifyResultShapes"]>]> {
  code vertexDeclaration = [{
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      detail::nameResult((*this)->getResult(0), getName(), setName);
    }
    ::llvm::StringRef getVertexName() { return getName(); }
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
    getHomeLayout(unsigned) {
      return detail::resolveHome(getHomeAttr());
    }
    void setHomeLayout(unsigned, const ::tapestry::DeviceGrid &grid,
                       const ::tapestry::Layout &layout) {
      setHomeAttr(
          ::tapestry::index::LayoutAttr::get(getContext(), grid, layout));
    }
    ::tapestry::Route getHomeRouteLayouts(unsigned) {
      return detail::resolveRoute(getHomeRouteAttr());
    }
    ::llvm::SmallVector<::tapestry::Route> getOperandRouteLayouts() {
      return detail::resolveRoutes(getOperandRoutesAttr(), getReads().size());
    }
    void setRoutes(const ::tapestry::DeviceGrid &grid,
                   ::llvm::ArrayRef<::tapestry::Route> homeRoutes,
                   ::llvm::ArrayRef<::tapestry::Route> operandRoutes) {
      setHomeRouteAttr(
          detail::routeAttr(getContext(), grid, homeRoutes.front()));
      setOperandRoutesAttr(
          detail::routesAttr(getContext(), grid, operandRoutes));
    }
    ::tapestry::ShardingConstraints getConstraints(unsigned result) {
      return constraintsOf((*this)->getOpResult(result));
    }
    ::llvm::SmallVector<::std::string> getLabelNames();
    ::llvm::SmallVector<int64_t> getLabelExtents();
    ::llvm::SmallVector<::tapestry::LabelKind> getLabelKinds();
    ::llvm::SmallVector<::mlir::Value> getTensorOperands();
    ::std::vector<::tapestry::Access> getAccesses(unsigned operand);
    ::std::vector<::tapestry::Projection> getResultProjections();
    ::tapestry::Monoid getResultMonoid(unsigned result);
    ::mlir::TypedAttr getMonoidIdentity(unsigned result);
    ::mlir::Value emitCombine(unsigned result, ::mlir::OpBuilder &builder,
                              ::mlir::Location loc, ::mlir::Value a,
                              ::mlir::Value b);
    ::tapestry::PointWork getWork();
  }];
}

/// What is seen outside a graph, and in which order.
def Tapestry_Visible : Resource<"::tapestry::teg::VisibleResource">;

//===----------------------------------------------------------------------===//
// Graph
//===----------------------------------------------------------------------===//

def Tapestry_GraphOp : Tapestry_Op<"graph", [
    FunctionOpInterface, IsolatedFromAbove, SingleBlock, NoTerminator,
    NoRegionArguments]> {
  let summary = "A tensor expression graph";
  let description = [{
    Holds one graph of tensors, from sources to sinks, and optionally the grid
    of devices that its operations are distributed over.

    It is a function. Its arguments are its sources and its results are its
    sinks, both in order; the attribute `tapestry.name` of an argument or result
    is the name of the source or sink. Sources stay operations, so that each can
    be pinned and kept in a layout. A graph whose visibility is `private` is
    there to be called and no program of its own.

    ```mlir
    tapestry.graph @copy on #tapestry_index.grid<"d.0" = 2> {
      %A = tapestry.source "A" : tensor<5xf32>
      tapestry.sink "B", %A : tensor<5xf32>
    }
    ```

    Constraints:
    - (graph_c1) the names of its sources are unique.
    - (graph_c2) the names of its sinks are unique.
    - (graph_c3) nothing waits for itself.
    - (graph_c4) no two of its sinks are in one file, and none in that of a source
      but of one that follows the sink and has its type.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<TapestryIndex_GridAttr>:$grid);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (custom<Visibility>($sym_visibility)^)? $sym_name (`on` qualified($grid)^)? attr-dict-with-keyword $body
  }];
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name,
                   CArg<"::tapestry::index::GridAttr", "{}">:$grid)>
  ];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// From the types of the sources to those of the sinks.
    ::mlir::FunctionType getFunctionType();
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    /// Changes the types of the sources; those of the sinks follow.
    void setFunctionTypeAttr(::mlir::TypeAttr type);
    ::mlir::Region *getCallableRegion() { return &getBody(); }

    /// The names of sources and sinks as `tapestry.name`, which can be changed
    /// but not removed.
    ::mlir::ArrayAttr getArgAttrsAttr();
    ::mlir::ArrayAttr getResAttrsAttr();
    void setArgAttrsAttr(::mlir::ArrayAttr attrs);
    void setResAttrsAttr(::mlir::ArrayAttr attrs);
    ::mlir::Attribute removeArgAttrsAttr() { return {}; }
    ::mlir::Attribute removeResAttrsAttr() { return {}; }

    /// Sources and sinks, of which arguments and results are asked.
    ::llvm::LogicalResult verifyType();
    /// The block has no arguments: the sources are.
    ::llvm::LogicalResult verifyBody() { return ::mlir::success(); }
  }];
}

def Tapestry_CallOp : Tapestry_Op<"call", [
    MemoryEffects<[MemWrite<Tapestry_Visible>]>,
    DeclareOpInterfaceMethods<CallOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Computes what another graph hands out";
  let description = [{
    Operands are what the sources of the graph are given, results what its
    sinks hand out, both in order. `tapestry-inline-calls` puts the graph's
    operations in place of the call.

    ```mlir
    %Y = tapestry.call @layer(%X, %W) : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
    ```

    Constraints:
    - (call_c1) the symbol is a `tapestry.graph`.
    - (call_c2) there is one operand per source, of its type.
    - (call_c3) there is one result per sink, of its type.
    - (call_c4) no graph calls itself, directly or through others.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       Variadic<Tapestry_Tensor>:$inputs,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<Tapestry_Tensor>:$outputs);
  let assemblyFormat = [{
    $callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)
  }];
  let builders = [
    OpBuilder<(ins "::tapestry::teg::GraphOp":$callee,
                   "::mlir::ValueRange":$inputs)>
  ];
}

include "tapestry/Dialect/Tapestry/IR/TapestryNodes.td"

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

def Tapestry_EinsumOp : Tapestry_VertexOp<"einsum", [
    NoMemoryEffect, DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<RangeInterface, ["readsPlaceAlong"]>,
    IsolatedFromAbove]> {
  let summary = "An extended Einstein summation";
  let description = [{
    For every point of the index space, the body (the paper's ⊗) maps one
    element per operand to a value; values that land on the same result element
    are combined by the monoid (⊕). Subscripts are affine in the labels with
    integer constants: `%X[2 * i + j - 1, k]` is a strided window, `%M[i, i]` a
    diagonal. They may be divided, rounding down, and wrapped around:
    `%U[(i + 1) mod 97]`, `%R[f floordiv 10, f mod 10]`. A padded operand reads its pad value outside its bounds (a
    complex one is a tensor's one element: `dense<(1.0, -2.0)> : tensor<complex<f32>>`); behind `edge`,
    `reflect` or `symmetric` it reads the nearest element there, or the one that is
    mirrored at the first and last or beside them. Labels that the result lacks are
    reduced.

    ```mlir
    %C = tapestry.einsum "C" [i = 97, k = 41, j = 53]
        (%A[i, j], %X[2 * i + j - 1, k] pad 0.0 : f32) -> [i, k] reduce add {
    ^bb0(%a: f32, %x: f32):
      %m = arith.mulf %a, %x : f32
      tapestry.yield %m : f32
    } : (tensor<97x53xf32>, tensor<245x41xf32>) -> tensor<97x41xf32>
    ```

    The body is free of side effects and made of arith and math operations,
    constants, parts, sums and products of complex numbers,
    `tapestry_index.random` and `tapestry.label`. It yields the accumulator: the result's element type, or
    f32 where the result is f16 or bf16, and the sum is rounded once at the end.

    A custom monoid has a second region that combines two accumulators, and an
    identity: `combine { ^bb0(%x: i32, %y: i32): ... } identity 1 : i32`.

    `partition` cuts the labels over the axes of the graph's grid; `home` is the
    layout that the result is kept in. A move need not go in one step: the result
    passes the layouts of `home_route` before it is home, the first of which it
    is combined into, and every operand those of its entry in `operand_routes`
    between its home and where it is read. Every einsum fetches its operands for
    itself.

    ```mlir
    partition #p home #home home_route [#first] operand_routes [[#between], []]
    ```

    Constraints:
    - (einsum_c1) labels are unique identifiers.
    - (einsum_c2) there is one extent per label, at least 0, and the number of
      index points fits into 62 bits.
    - (einsum_c3) there is one indexing map per operand and one for the result,
      from all labels.
    - (einsum_c4) subscripts are linear in the labels with integer coefficients,
      or such a form divided by (floordiv), then wrapped around (mod), positive
      constants.
    - (einsum_c5) an operand has as many subscripts as dimensions.
    - (einsum_c6) the result's subscripts are distinct labels.
    - (einsum_c7) the result's shape is the extents of its labels.
    - (einsum_c8) every label occurs in an operand's subscript, in the result or
      in a `tapestry.label` of the body.
    - (einsum_c9) the monoid is `none` exactly if no label is reduced.
    - (einsum_c10) subscripts of an operand without pad stay inside its shape;
      those that leave it by its fold do not wrap around, and there is an element;
      none reaches 2^62, coefficients times extents and constant summed up.
    - (einsum_c11) there is one pad entry per operand: unit, a constant of the
      operand's element type, or "edge", "reflect" or "symmetric".
    - (einsum_c12) the body has one argument per operand, of its element type.
    - (einsum_c13) the body yields one accumulator.
    - (einsum_c14) the regions hold only arith and math operations, constant,
      create, re, im, add and mul of complex, `tapestry_index.random` and, in the body, `tapestry.label`; all free of side
      effects.
    - (einsum_c15) and, or and xor combine integers; add and mul do not combine
      i1.
    - (einsum_c16) exactly a custom monoid has a combine region, from two
      accumulators to one, and an identity of the accumulator's type.
    - (einsum_c17) `partition` has one entry per label, over axes of the graph's
      grid where that is given.
    - (einsum_c18) `home` has the result's shape, no partial axes, and the
      graph's grid where that is given.
    - (einsum_c19) `home_route` holds plain layouts of the result's shape, and
      there is a home on the same grid.
    - (einsum_c20) `operand_routes` has one list per piece of an operand that is
      read (one, but for those that wrap around), of plain layouts
      of the operand's shape, and there is a home on the same grid.
  }];
  let arguments = (ins
    StrAttr:$name,
    StrArrayAttr:$labels,
    DenseI64ArrayAttr:$extents,
    Variadic<Tapestry_Tensor>:$inputs,
    AffineMapArrayAttr:$indexing_maps,
    ArrayAttr:$pads,
    TapestryIndex_MonoidAttr:$monoid,
    OptionalAttr<TypedAttrInterface>:$custom_identity,
    OptionalAttr<TapestryIndex_PartitionAttr>:$partition,
    OptionalAttr<TapestryIndex_LayoutAttr>:$home,
    OptionalAttr<Tapestry_RouteAttr>:$home_route,
    OptionalAttr<TypedArrayAttrBase<Tapestry_RouteAttr,
                                    "a route per operand">>:$operand_routes);
  let results = (outs Tapestry_Tensor:$result);
  let regions = (region SizedRegion<1>:$body, MaxSizedRegion<1>:$combiner);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  // Some versions of the dialect wrote a range, too.
  let useCustomPropertiesEncoding = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// Builds an einsum of any monoid but custom. `maps` are those of the
    /// operands, then the result's, all from `labels`; `pads` holds an entry
    /// or null per operand and may be empty. `bodyBuilder` gets the scalar
    /// arguments and returns the accumulator to yield; without it the body is
    /// left without a block, to be filled in by the caller.
    OpBuilder<(ins "::llvm::StringRef":$name,
                   "::llvm::ArrayRef<::llvm::StringRef>":$labels,
                   "::llvm::ArrayRef<int64_t>":$extents,
                   "::mlir::ValueRange":$operands,
                   "::llvm::ArrayRef<::mlir::AffineMap>":$maps,
                   "::llvm::ArrayRef<::mlir::TypedAttr>":$pads,
                   "::tapestry::Monoid":$monoid,
                   "::mlir::RankedTensorType":$resultType,
                   CArg<"::tapestry::teg::BodyBuilder",
                        "nullptr">:$bodyBuilder)>
  ];
  let extraClassDeclaration = vertexDeclaration # [{
    ::mlir::TypedAttr getPad(unsigned operand);
    /// How what an operand reads outside its bounds is brought back into them.
    ::std::optional<::tapestry::Fold> getFold(unsigned operand);
    ::mlir::Region *getScalarRegion() { return &getBody(); }
    ::std::optional<unsigned> getLabelReadBy(::mlir::Operation *op);

    /// The label's position, or nothing where there is no such label.
    ::std::optional<unsigned> getLabelIndex(::llvm::StringRef label);
    ::mlir::AffineMap getOperandMap(unsigned operand);
    ::mlir::AffineMap getResultMap();
    ::mlir::RankedTensorType getInputType(unsigned operand);
    ::mlir::RankedTensorType getResultType();
    /// The element type in which values are combined: f32 for f16 and bf16
    /// results whose body yields f32, else the result's element type.
    ::mlir::Type getAccumulatorType();
    /// The monoid's identity of the accumulator's type; null without monoid.
    ::mlir::TypedAttr getIdentity();
    /// The projection by which an operand is read, in one piece; what leaves the
    /// tensor is folded as the operand says.
    ::tapestry::Projection getSubscripts(unsigned operand);
    /// The tensor along whose first dimension the einsum combines elements, as
    /// they are, and does nothing else; null where it is no such reduction.
    ::mlir::Value getReducedStack();
  }];
}

def Tapestry_LabelOp : Tapestry_Op<"label", [
    AlwaysSpeculatable, HasParent<"EinsumOp">]> {
  let summary = "The value of an einsum's label at the index point";
  let description = [{
    The label's global value, whatever part of the index space a device works
    on. It stays where its value is not used, as a label may occur nowhere else
    (einsum_c8).

    ```mlir
    %i = tapestry.label "i"
    ```

    Constraints:
    - (label_c1) the enclosing einsum has the label.
    - (label_c2) it lies in the einsum's body, not in its combine region.
  }];
  let arguments = (ins StrAttr:$label);
  let results = (outs Index:$result);
  let assemblyFormat = "$label attr-dict";
  let hasVerifier = 1;
}

def Tapestry_YieldOp : Tapestry_Op<"yield", [
    Pure, Terminator, ParentOneOf<["EinsumOp", "ScanOp", "ScatterOp"]>]> {
  let summary = "Ends a region of scalars with its value";
  let description = [{
    ```mlir
    tapestry.yield %m : f32
    ```

    Constraints:
    - (yield_c1) the value is a scalar of an element type that tensors may have.
  }];
  let arguments = (ins Tapestry_Element:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Reads by data
//===----------------------------------------------------------------------===//

def Tapestry_GatherOp : Tapestry_VertexOp<"gather", [
    NoMemoryEffect, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<RangeInterface, ["readsPlaceAlong", "evaluateRange"]>]> {
  let summary = "Elements of a table that tensors of integers name";
  let description = [{
    The first labels index the result, in order. Each of the others, one per
    index tensor, is a dimension of the table: of its points the index tensor
    names one for each point of the result. The other dimensions of the table are
    read at subscripts that are linear in the labels of the result.

    ```mlir
    // Y[b, s, a] = Table[Tok[b, s], a]
    %Y = tapestry.gather "Y" ["b", "s", "a", "Tok"] = [4, 16, 8, 100] %Table by %Tok
        at [affine_map<(b, s, a, t) -> (t, a)>, affine_map<(b, s, a, t) -> (b, s)>]
        after %inside
        : (tensor<100x8xf32>, tensor<4x16xi32>, tensor<i64>) -> tensor<4x16x8xf32>
    ```

    An index outside of its dimension reads the pad or, without one, the nearest
    element that there is. Scalars behind `after`, those of `tapestry.require`,
    have been computed before anything is read.

    The label that an index tensor names points of may be cut as any other: a
    device then holds some rows of the table and finds the elements that lie
    there, and the partial results are added. What others find adds nothing:
    false, 0, or -0.0, so that every bit stays but a NaN's payload.

    Constraints:
    - (gather_c1) labels are unique identifiers.
    - (gather_c2) there is one extent per label, at least 0, and the number of
      index points fits into 62 bits.
    - (gather_c3) there is an index tensor, and the shape of the result is the
      extents of all labels but the last ones, of which there is one per index
      tensor; those are at least 1.
    - (gather_c4) there is one indexing map for the table and one per index
      tensor, from all labels.
    - (gather_c5) each label that an index tensor names points of is one
      subscript of the table, of its dimension's extent, and occurs nowhere else.
    - (gather_c6) the other subscripts of the table are linear in the labels with
      integer coefficients and, where there is no pad, stay inside its shape;
      none reaches 2^62.
    - (gather_c7) an index tensor holds integers, not i1, and its subscripts are
      distinct labels of the result, of its dimensions' extents.
    - (gather_c8) table and result have one element type, of which the pad is a
      constant.
    - (gather_c9) `partition` has one entry per label, over axes of the graph's
      grid where that is given.
    - (gather_c10) `home` has the result's shape, no partial axes, and the
      graph's grid where that is given.
    - (gather_c11) `home_route` holds plain layouts of the result's shape,
      `operand_routes` has one list per operand, of plain layouts of its shape,
      and there is a home on the same grid.
  }];
  let arguments = (ins
    StrAttr:$name,
    StrArrayAttr:$labels,
    DenseI64ArrayAttr:$extents,
    Tapestry_Tensor:$table,
    Variadic<Tapestry_Tensor>:$indices,
    Variadic<0DTensorOf<[I64]>>:$checks,
    AffineMapArrayAttr:$indexing_maps,
    OptionalAttr<TypedAttrInterface>:$pad,
    OptionalAttr<TapestryIndex_PartitionAttr>:$partition,
    OptionalAttr<TapestryIndex_LayoutAttr>:$home,
    OptionalAttr<Tapestry_RouteAttr>:$home_route,
    OptionalAttr<TypedArrayAttrBase<Tapestry_RouteAttr,
                                    "a route per operand">>:$operand_routes);
  let results = (outs Tapestry_Tensor:$result);
  let assemblyFormat = [{
    $name $labels `=` $extents $table `by` $indices `at` $indexing_maps
    (`pad` $pad^)? (`after` $checks^)? attr-dict
    `:` functional-type(operands, results) `` custom<Placement>($partition, $home)
  }];
  let hasVerifier = 1;
  let builders = [
    /// `maps` are the table's, then those of the index tensors.
    OpBuilder<(ins "::llvm::StringRef":$name,
                   "::llvm::ArrayRef<::llvm::StringRef>":$labels,
                   "::llvm::ArrayRef<int64_t>":$extents,
                   "::mlir::Value":$table, "::mlir::ValueRange":$indices,
                   "::llvm::ArrayRef<::mlir::AffineMap>":$maps,
                   "::mlir::TypedAttr":$pad, "::mlir::ValueRange":$checks)>
  ];
  let extraClassDeclaration = vertexDeclaration # [{
    ::mlir::TypedAttr getPad(unsigned operand);
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>
    lowerLocal(::mlir::OpBuilder &builder, ::mlir::Location loc,
               const ::tapestry::LocalBlock &block);
    ::llvm::Expected<::std::vector<::tapestry::HostTensor>>
    evaluate(::llvm::ArrayRef<const ::tapestry::HostTensor *> operands);

    ::mlir::RankedTensorType getTableType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getTable().getType());
    }
    ::mlir::RankedTensorType getResultType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getResult().getType());
    }
    /// From all labels: of the table (0) and the index tensors.
    ::mlir::AffineMap getMap(unsigned operand);
    /// Per dimension of the table the index tensor that names its points.
    ::llvm::SmallVector<::std::optional<unsigned>> getIndexOfDims();
  }];
}

def Tapestry_RequireOp : Tapestry_VertexOp<"require", [
    NoMemoryEffect, AllTypesMatch<["first", "value", "result"]>]> {
  let summary = "Ends a run whose data name an element that is not there";
  let description = [{
    `first` is the row-major number of the first element of an index tensor that
    lies outside of the dimension that it is about, or 2^63 - 1 where none does,
    and `value` is that element. Where there is one, all devices end with one
    message: `index`, the coordinate of `first` in `shape`, `value`, which has a
    sign unless it says `unsigned_value`, and `bound`; if `shape` has no element
    with that number, that is what the message says. Else the result is `first`;
    what reads by these indices takes it as an operand, so that it runs after
    this.

    ```mlir
    %inside = tapestry.require "Y.Tok" %first, %value
        {index = "Tok", shape = array<i64: 4, 16>,
         bound = "dimension 0 of 'Table' has only the indices 0 to 99"}
        : tensor<i64>
    ```

    Constraints:
    - (require_c1) the extents of `shape` are at least 0, and the number of its
      elements fits into 62 bits.
    - (require_c2) `partition` has no entries, `home` and routes are of scalars.
  }];
  let arguments = (ins
    StrAttr:$name,
    0DTensorOf<[I64]>:$first,
    0DTensorOf<[I64]>:$value,
    StrAttr:$index,
    DenseI64ArrayAttr:$shape,
    StrAttr:$bound,
    UnitAttr:$unsigned_value,
    OptionalAttr<TapestryIndex_PartitionAttr>:$partition,
    OptionalAttr<TapestryIndex_LayoutAttr>:$home,
    OptionalAttr<Tapestry_RouteAttr>:$home_route,
    OptionalAttr<TypedArrayAttrBase<Tapestry_RouteAttr,
                                    "a route per operand">>:$operand_routes);
  let results = (outs 0DTensorOf<[I64]>:$result);
  let assemblyFormat = [{
    $name $first `,` $value attr-dict `:` type($result) `` custom<Placement>($partition, $home)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = vertexDeclaration # [{
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>
    lowerLocal(::mlir::OpBuilder &builder, ::mlir::Location loc,
               const ::tapestry::LocalBlock &block);
    ::llvm::Expected<::std::vector<::tapestry::HostTensor>>
    evaluate(::llvm::ArrayRef<const ::tapestry::HostTensor *> operands);
  }];
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYOPS_TD
