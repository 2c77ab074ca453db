//===- ToyOps.td - A dialect that Tapestry knows nothing of -*- tablegen -*-===//

#ifndef TAPESTRY_TEST_TOYDIALECT_TOYOPS_TD
#define TAPESTRY_TEST_TOYDIALECT_TOYOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/Index/IR/IndexAttrs.td"
include "tapestry/Interfaces/BlockOpInterface.td"
include "tapestry/Interfaces/RangeInterface.td"

def Toy_Dialect : Dialect {
  let name = "toy";
  let cppNamespace = "::toy";
  // What its operators lower to.
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::tapestry::index::TapestryIndexDialect"
  ];
}

/// What every operator has: a name, and where the plan puts it (Placement.h).
class Toy_Op<string mnemonic, dag inputs, list<string> answers = [],
             list<Trait> traits = []>
    : Op<Toy_Dialect, mnemonic, !listconcat([
        Pure, DeclareOpInterfaceMethods<BlockOpInterface, !listconcat([
          "getHomeRouteLayouts", "getOperandRouteLayouts", "setRoutes"],
          answers)>], traits)> {
  let arguments = !con((ins StrAttr:$name), inputs,
                       (ins OptionalAttr<TapestryIndex_PartitionAttr>:$partition,
                            OptionalAttr<ArrayAttr>:$homes,
                            OptionalAttr<ArrayAttr>:$routes));
  let hasVerifier = 1;
  code placement = [{
    ::llvm::StringRef $cppClass::getVertexName() { return getName(); }
    bool $cppClass::hasPartition() { return Placement(*this).hasPartition(); }
    ::mlir::FailureOr<std::optional<::tapestry::Partition>>
    $cppClass::getPartitionOn(const ::tapestry::DeviceGrid &grid) {
      return Placement(*this).getPartitionOn(grid);
    }
    void $cppClass::setPartitionOn(const ::tapestry::DeviceGrid &grid,
                                   const ::tapestry::Partition &partition) {
      Placement(*this).setPartitionOn(grid, partition);
    }
    std::optional<std::pair<::tapestry::DeviceGrid, ::tapestry::Layout>>
    $cppClass::getHomeLayout(unsigned result) {
      return Placement(*this).getHome(result);
    }
    void $cppClass::setHomeLayout(unsigned result,
                                  const ::tapestry::DeviceGrid &grid,
                                  const ::tapestry::Layout &layout) {
      Placement(*this).setHome(result, grid, layout);
    }
    ::tapestry::Route $cppClass::getHomeRouteLayouts(unsigned result) {
      return Placement(*this).getRoute(result);
    }
    ::llvm::SmallVector<::tapestry::Route> $cppClass::getOperandRouteLayouts() {
      return Placement(*this).getOperandRoutes();
    }
    void $cppClass::setRoutes(const ::tapestry::DeviceGrid &grid,
                              ::llvm::ArrayRef<::tapestry::Route> homeRoutes,
                              ::llvm::ArrayRef<::tapestry::Route> operandRoutes) {
      Placement(*this).setRoutes(grid, homeRoutes, operandRoutes);
    }
    ::tapestry::ShardingConstraints $cppClass::getConstraints(unsigned result) {
      return ::tapestry::teg::constraintsOf(getOperation()->getOpResult(result));
    }
  }];
  let extraClassDefinition = placement;
}

def Toy_MedianStatsOp : Toy_Op<"median_stats", (ins AnyRankedTensor:$input),
                               ["getPad", "lowerLocal", "evaluate"],
                               [DeclareOpInterfaceMethods<RangeInterface, [
                                 "readsPlaceAlong", "evaluateRange"]>]> {
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
  let results = (outs AnyRankedTensor:$energy, AnyRankedTensor:$peak);
  let assemblyFormat = [{
    $name `,` $input attr-dict `:` type($input) `->` type(results)
  }];
}

//===----------------------------------------------------------------------===//
// Operators that move elements, read or written in pieces
//===----------------------------------------------------------------------===//

/// A matrix of f32 from others, without a monoid unless said otherwise.
class Toy_MoveOp<string mnemonic, dag inputs, list<string> answers = []>
    : Toy_Op<mnemonic, inputs, answers> {
  let results = (outs 2DTensorOf<[F32]>:$result);
  code same = [{
    ::llvm::SmallVector<int64_t> $cppClass::getResultShape() {
      return ::llvm::to_vector(getResult().getType().getShape());
    }
    ::mlir::TypedAttr $cppClass::getMonoidIdentity(unsigned result) {
      return ::tapestry::monoidIdentity(
          getResultMonoid(result), getResult().getType().getElementType());
    }
    ::mlir::Value $cppClass::emitCombine(unsigned result, ::mlir::OpBuilder &b,
                                         ::mlir::Location loc, ::mlir::Value x,
                                         ::mlir::Value y) {
      return ::tapestry::emitMonoid(b, loc, getResultMonoid(result), x, y);
    }
    ::tapestry::PointWork $cppClass::getWork() { return {0, 8}; }
  }];
  let extraClassDeclaration = "::llvm::SmallVector<int64_t> getResultShape();";
  let extraClassDefinition = placement # same;
}

/// Its labels are the rows and columns of the result.
class Toy_PointOp<string mnemonic, dag inputs, list<string> answers = []>
    : Toy_MoveOp<mnemonic, inputs, answers> {
  code labels = [{
    ::llvm::SmallVector<std::string> $cppClass::getLabelNames() {
      return {"row", "column"};
    }
    ::llvm::SmallVector<int64_t> $cppClass::getLabelExtents() {
      return getResultShape();
    }
    ::llvm::SmallVector<::tapestry::LabelKind> $cppClass::getLabelKinds() {
      return {2, ::tapestry::LabelKind::Parallel};
    }
    std::vector<::tapestry::Projection> $cppClass::getResultProjections() {
      return {::tapestry::Projection::identity(2)};
    }
    ::tapestry::Monoid $cppClass::getResultMonoid(unsigned) {
      return ::tapestry::Monoid::None;
    }
  }];
  let extraClassDefinition = placement # same # labels;
}

def Toy_ConcatOp : Toy_PointOp<"concat", (ins
    Variadic<2DTensorOf<[F32]>>:$inputs, I64Attr:$gap, F32Attr:$fill),
    ["getPad", "lowerLocal", "evaluate"]> {
  let summary = "Matrices below one another, rows of a constant between them";
  let description = [{
    ```mlir
    %Y = toy.concat "Y", %A, %B {gap = 3, fill = -1.0 : f32}
        : tensor<7x5xf32>, tensor<13x5xf32> -> tensor<23x5xf32>
    ```
  }];
  let assemblyFormat = [{
    $name `,` $inputs attr-dict `:` type($inputs) `->` type($result)
  }];
}

def Toy_RollOp : Toy_PointOp<"roll", (ins
    2DTensorOf<[F32]>:$input, Variadic<AnyType>:$waits, I64Attr:$shift,
    I64Attr:$repeat, OptionalAttr<DenseI64ArrayAttr>:$devices,
    OptionalAttr<StrAttr>:$home),
    ["lowerLocal", "evaluate", "getDeviceSet", "getAwaited"]> {
  let summary = "The rows of a matrix from another on and around, repeated";
  let description = [{
    Row r of the result is row (r floordiv repeat + shift) mod n of the n rows.
    It runs after what it waits for, on some devices only if they are named.
    `home` is its own, whatever plans of other operators call so.

    ```mlir
    %Y = toy.roll "Y", %X {shift = 5, repeat = 3}
        : tensor<17x5xf32> -> tensor<51x5xf32>
    ```
  }];
  let assemblyFormat = [{
    $name `,` $input (`after` $waits^ `:` type($waits))? attr-dict
    `:` type($input) `->` type($result)
  }];
}

def Toy_OpaqueOp : Toy_PointOp<"opaque", (ins 2DTensorOf<[F32]>:$input)> {
  let summary = "A matrix of which nobody says how it is computed";
  let assemblyFormat = [{
    $name `,` $input attr-dict `:` type($input) `->` type($result)
  }];
}

def Toy_GatherOp : Toy_MoveOp<"gather", (ins
    2DTensorOf<[F32]>:$table, 1DTensorOf<[I32]>:$rows, UnitAttr:$whole),
    ["lowerLocal", "evaluate"]> {
  let summary = "Rows of a table that data name";
  let description = [{
    The table's rows are a selected label, so that a table cut over them gives
    partial results. With `whole` they are none: every device needs all rows.

    ```mlir
    %Y = toy.gather "Y", %T, %I
        : tensor<19x5xf32>, tensor<11xi32> -> tensor<11x5xf32>
    ```
  }];
  let assemblyFormat = [{
    $name `,` $table `,` $rows attr-dict
    `:` type($table) `,` type($rows) `->` type($result)
  }];
}

def Toy_WeaveOp : Toy_MoveOp<"weave", (ins
    2DTensorOf<[F32]>:$first, 2DTensorOf<[F32]>:$second, I64Attr:$copies,
    I64Attr:$step, I64Attr:$offset, I64Attr:$stride),
    ["getWrites", "lowerLocal", "evaluate"]> {
  let summary = "Two matrices whose rows are written into one";
  let description = [{
    Row r of the first is written to the rows step * r + {0, stride, ...}, as
    many as there are copies, row r of the second to those `offset` further.
    So a point of the index space writes two regions.

    ```mlir
    %Y = toy.weave "Y", %A, %B {copies = 2, step = 4, offset = 1, stride = 2}
        : tensor<7x5xf32>, tensor<7x5xf32> -> tensor<28x5xf32>
    ```
  }];
  let assemblyFormat = [{
    $name `,` $first `,` $second attr-dict
    `:` type($first) `,` type($second) `->` type($result)
  }];
}

#endif // TAPESTRY_TEST_TOYDIALECT_TOYOPS_TD
