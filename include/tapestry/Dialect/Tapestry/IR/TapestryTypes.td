//===- TapestryTypes.td - Types of tapestry ----------------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYTYPES_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonTypeConstraints.td"
include "tapestry/Dialect/Tapestry/IR/TapestryDialect.td"

def Tapestry_Point : TypeDef<Tapestry_Dialect, "Point"> {
  let mnemonic = "point";
  let summary = "A point in the order of a program's effects";
  let description = [{
    What a sequence point yields: whoever takes it happens after everything that
    the sequence point waited for. It holds no data.
  }];
  let builderCall = "$_builder.getType<::tapestry::teg::PointType>()";
}

def Tapestry_Element
    : AnyTypeOf<[F64, F32, F16, BF16, I8, I16, I32, I64, I1, Complex<F32>,
                 Complex<F64>],
                "f64, f32, f16, bf16, i8, i16, i32, i64, i1, complex<f32> or "
                "complex<f64>">;

/// Dense: what an encoding says of the storage would be lost on the way.
def Tapestry_Tensor
    : ConfinedType<
          StaticShapeTensorOf<Tapestry_Element.allowedTypes>,
          [CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">],
          "statically shaped tensor of f64, f32, f16, bf16, i8, i16, i32, i64, i1, "
          "complex<f32> or complex<f64> without an encoding",
          "::mlir::RankedTensorType">;

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYTYPES_TD
