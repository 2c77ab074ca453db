//===- TapestryNodes.td - The border of a graph ------------*- tablegen -*-===//
//
// Sources, sinks and sequence points, which compute nothing. Part of
// TapestryOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYNODES_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYNODES_TD

def Tapestry_SourceOp : Tapestry_Op<"source", [
    MemoryEffects<[MemRead<Tapestry_Visible>, MemWrite<Tapestry_Visible>]>,
    ParentOneOf<["GraphOp", "ShardOp"]>, DeclareOpInterfaceMethods<BlockOpInterface>,
    GraphNodeInterface,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Brings a named tensor into a graph";
  let description = [{
    The tensor named `name` that the program is given: in the caller's memory, or
    what stands behind `from`: a file (`#tapestry.file`) is read where the caller gives
    nothing, the values of a generator (`#tapestry.generator`) are computed where they are
    read (`tapestry-expand-sources`). `partition` cuts its dimensions over the grid's axes;
    `home` is the layout that it is kept in. It is given so, unless it is `on` a `device`: that
    one alone is given it, whole, and a plan brings it home from there. It is a block operator with one
    index dimension per tensor dimension, named "0", "1", ..., that computes
    nothing. The program is given the tensor after every point that it names: a file
    is read then, so that it may be one that a sink before has written. A `tapestry.shard` of it is given a part. It is an argument of the graph, so it stays where nobody reads it;
    `tapestry-prune` erases it where nobody calls the graph either.

    ```mlir
    %A = tapestry.source "A" : tensor<97x53xf32>
    %B = tapestry.source "B" from file<"b.npy"> : tensor<53xf32>
    %W = tapestry.source "W" from generator<normal seed 7> : tensor<53x8xf32>
    %D = tapestry.source "D" from file<"d.npy"> on device 3 : tensor<53xf32>
    %E = tapestry.source "E" after %p : tensor<53xf32>
    ```

    Constraints:
    - (source_c1) `partition` has one entry per dimension, over axes of the
      graph's grid where that is given.
    - (source_c2) `home` has the tensor's shape, no partial axes, and the
      graph's grid where that is given.
    - (source_c3) what it comes from is a file or a generator, whose numbers the
      tensor's element type has.
    - (source_c4) `device` is not negative and, where the graph's grid is given, one
      of that.
    - (source_c5) what is on a device has a dimension: a scalar is held everywhere.
    - (source_c6) what is on a device is not generated: that is computed where it is
      read.
  }];
  let arguments = (ins StrAttr:$name,
                       OptionalAttr<TapestryIndex_PartitionAttr>:$partition,
                       OptionalAttr<TapestryIndex_LayoutAttr>:$home,
                       OptionalAttr<AnyAttr>:$target,
                       OptionalAttr<I64Attr>:$device,
                       Variadic<Tapestry_Point>:$points);
  let results = (outs Tapestry_Tensor:$result);
  let assemblyFormat = [{
    $name (`from` custom<Target>($target)^)? (`on` `device` $device^)?
    (`after` $points^)? attr-dict `:` type($result) `` custom<Placement>($partition, $home)
  }];
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name,
                   "::mlir::RankedTensorType":$type), [{
      build($_builder, $_state, type, name, /*partition=*/nullptr,
            /*home=*/nullptr, /*target=*/nullptr, /*device=*/nullptr,
            /*points=*/::mlir::ValueRange());
    }]>
  ];
  let useCustomPropertiesEncoding = 1;
  let extraClassDeclaration = [{
    ::tapestry::GraphNodeKind getNodeKind() {
      return ::tapestry::GraphNodeKind::Source;
    }
    ::llvm::SmallVector<::mlir::Value> getAwaitedValues() {
      return ::llvm::to_vector_of<::mlir::Value>(getPoints());
    }
    ::llvm::StringRef getTensorName() { return getName(); }
    void setTensorName(::llvm::StringRef name) { setName(name); }
    ::mlir::Value getNodeTensor() { return getResult(); }
    ::std::optional<int64_t> getNodeDevice() { return getDevice(); }
  }];
  let hasVerifier = 1;
}

def Tapestry_SinkOp : Tapestry_Op<"sink", [
    ParentOneOf<["GraphOp", "ShardOp"]>, GraphNodeInterface,
    DeclareOpInterfaceMethods<BlockOpInterface>,
    MemoryEffects<[MemWrite<Tapestry_Visible>]>]> {
  let summary = "Hands a tensor out of a graph under a name";
  let description = [{
    A root of visibility: what no sink and no sequence point observes may be
    erased. The sink takes effect after every point that it names. It leaves the
    tensor in the caller's memory, or in the file (`#tapestry.file`) behind `to`, which
    is written without being asked for, unless the caller names another. `on` a
    `device` it is handed out whole, by that one alone.

    Like a source it has one index dimension per tensor dimension, of which
    `tapestry.shard` may hold parts; no plan cuts it.

    Its result is what a sequence point takes that happens after it: the tensor is
    complete in the caller's memory by then, and the file, where there is one, is
    whole and under its name. Of a program that is repeated, the last run writes.

    ```mlir
    tapestry.sink "Z", %C after %p : tensor<97x53xf32>
    tapestry.sink "Y", %C to file<"y.npy"> : tensor<97x53xf32>
    tapestry.sink "X", %C on device 0 : tensor<97x53xf32>
    %written = tapestry.sink "W", %C to file<"w.npy"> : tensor<97x53xf32> -> !tapestry.point
    %q = tapestry.sequence_point %written : !tapestry.point
    ```

    Constraints:
    - (sink_c1) what it leads to is a file.
    - (sink_c2) `device` is not negative and, where the graph's grid is given, one of
      that.
    - (sink_c3) what is on a device has a dimension: a scalar is held everywhere.
    - (sink_c4) only sequence points of the graph take the result.
  }];
  let arguments = (ins StrAttr:$name, Tapestry_Tensor:$tensor,
                       Variadic<Tapestry_Point>:$points,
                       OptionalAttr<AnyAttr>:$target,
                       OptionalAttr<I64Attr>:$device);
  let results = (outs Optional<Tapestry_Point>:$done);
  let assemblyFormat = [{
    $name `,` $tensor (`to` custom<Target>($target)^)?
    (`on` `device` $device^)? (`after` $points^)?
    attr-dict `:` type($tensor) (`->` type($done)^)?
  }];
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::Value":$tensor), [{
      build($_builder, $_state, /*done=*/::mlir::Type(), name, tensor,
            ::mlir::ValueRange(), /*target=*/nullptr, /*device=*/nullptr);
    }]>
  ];
  let useCustomPropertiesEncoding = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::tapestry::GraphNodeKind getNodeKind() {
      return ::tapestry::GraphNodeKind::Sink;
    }
    ::llvm::SmallVector<::mlir::Value> getAwaitedValues() {
      return ::llvm::to_vector_of<::mlir::Value>(getPoints());
    }
    ::llvm::StringRef getTensorName() { return getName(); }
    void setTensorName(::llvm::StringRef name) { setName(name); }
    ::mlir::Value getNodeTensor() { return getTensor(); }
    ::std::optional<int64_t> getNodeDevice() { return getDevice(); }
  }];
}

def Tapestry_SequencePointOp : Tapestry_Op<"sequence_point", [
    GraphNodeInterface, MemoryEffects<[MemWrite<Tapestry_Visible>]>]> {
  let summary = "Orders what follows after the operations that it waits for";
  let description = [{
    Happens after all of its operands: tensors that must have been computed, on
    all devices, sinks that must have handed out theirs, and earlier points. What
    takes the point happens after it: sources, sinks, points, and what reads a
    `tapestry.await`. The point stays a value, a token,
    in relations and in the device program, where the devices meet at it. A root
    of visibility, like a sink. In the body of a loop they meet in every pass.

    ```mlir
    %p = tapestry.sequence_point %C, %q : tensor<97x53xf32>, !tapestry.point
    %first = tapestry.sequence_point none
    ```

    Constraints:
    - (point_c1) points that it waits for stand in its block: what a loop holds
      follows its operands.
  }];
  let arguments = (ins
    Variadic<AnyTypeOf<[Tapestry_Tensor, Tapestry_Point]>>:$awaited);
  let results = (outs Tapestry_Point:$point);
  let assemblyFormat = "($awaited^ `:` type($awaited)):(`none`)? attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::tapestry::GraphNodeKind getNodeKind() {
      return ::tapestry::GraphNodeKind::Point;
    }
    ::llvm::SmallVector<::mlir::Value> getAwaitedValues() {
      return ::llvm::to_vector_of<::mlir::Value>(getAwaited());
    }
  }];
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYNODES_TD
