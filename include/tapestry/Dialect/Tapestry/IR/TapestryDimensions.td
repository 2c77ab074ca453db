//===- TapestryDimensions.td - Labels that are dimensions --*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYDIMENSIONS_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYDIMENSIONS_TD

include "tapestry/Dialect/Tapestry/IR/TapestryOps.td"

/// A vertex that computes nothing, of which each point is an element of the
/// result: its labels are the dimensions of that, d0, d1, ... What it reads are
/// its operands that are tensors; an op says at which pieces of them
/// (getAccesses).
class Tapestry_DimensionsOp<string mnemonic, dag inputs,
                            list<Trait> traits = []>
    : Tapestry_VertexOp<mnemonic, [NoMemoryEffect] # traits> {
  let arguments = !con((ins StrAttr:$name), inputs, (ins
    OptionalAttr<TapestryIndex_PartitionAttr>:$partition,
    OptionalAttr<TapestryIndex_LayoutAttr>:$home,
    OptionalAttr<Tapestry_RouteAttr>:$home_route,
    OptionalAttr<TypedArrayAttrBase<Tapestry_RouteAttr,
                                    "a route per operand">>:$operand_routes));
  let results = (outs Tapestry_Tensor:$result);
  let hasVerifier = 1;
  code dimensionsDeclaration = vertexDeclaration # [{
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>
    lowerLocal(::mlir::OpBuilder &builder, ::mlir::Location loc,
               const ::tapestry::LocalBlock &block);
    ::llvm::Expected<::std::vector<::tapestry::HostTensor>>
    evaluate(::llvm::ArrayRef<const ::tapestry::HostTensor *> operands);

    ::mlir::RankedTensorType getResultType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getResult().getType());
    }
  }];
  let extraClassDeclaration = dimensionsDeclaration;
  code dimensions = [{
    ::llvm::SmallVector<::std::string> $cppClass::getLabelNames() {
      return detail::dimensionLabels(getResultType().getRank());
    }
    ::llvm::SmallVector<int64_t> $cppClass::getLabelExtents() {
      return ::llvm::to_vector(getResultType().getShape());
    }
    ::llvm::SmallVector<::tapestry::LabelKind> $cppClass::getLabelKinds() {
      return {static_cast<size_t>(getResultType().getRank()),
              ::tapestry::LabelKind::Parallel};
    }
    ::llvm::SmallVector<::mlir::Value> $cppClass::getTensorOperands() {
      return ::llvm::filter_to_vector(
          (*this)->getOperands(), [](::mlir::Value operand) {
            return ::llvm::isa<::mlir::RankedTensorType>(operand.getType());
          });
    }
    ::std::vector<::tapestry::Projection> $cppClass::getResultProjections() {
      return {::tapestry::Projection::identity(getResultType().getRank())};
    }
    ::tapestry::Monoid $cppClass::getResultMonoid(unsigned) {
      return ::tapestry::Monoid::None;
    }
    ::mlir::TypedAttr $cppClass::getMonoidIdentity(unsigned) { return {}; }
    ::mlir::Value $cppClass::emitCombine(unsigned, ::mlir::OpBuilder &,
                                         ::mlir::Location, ::mlir::Value,
                                         ::mlir::Value) {
      return {};
    }
    ::tapestry::PointWork $cppClass::getWork() {
      return {/*flops=*/0, /*bytes=*/0};
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &,
        ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      shapes.push_back(::mlir::getAsIndexOpFoldResult(
          getContext(), getResultType().getShape()));
      return ::mlir::success();
    }
  }];
  let extraClassDefinition = dimensions;
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYDIMENSIONS_TD
