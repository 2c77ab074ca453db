//===- CommTypes.td - Types of the comm dialect ------------*- tablegen -*-===//
//
// The completion token and the tensors that can be sent.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_COMM_COMMTYPES_TD
#define TAPESTRY_DIALECT_COMM_COMMTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"
include "tapestry/Dialect/Comm/IR/CommDialect.td"

def Comm_Token : TypeDef<Comm_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "completion of an operation that other ranks take part in";
}

/// The element types that the runtime moves (ABI.h: TapestryDType). i1 is stored
/// as one byte.
def Comm_Element
    : AnyTypeOf<[F64, F32, F16, BF16, I8, I16, I32, I64, I1, Complex<F32>,
                 Complex<F64>],
                "f64, f32, f16, bf16, i8, i16, i32, i64, i1, complex<f32> or "
                "complex<f64>">;

def Comm_Part
    : ConfinedType<
          RankedTensorOf<[Comm_Element]>,
          [CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">],
          "ranked tensor of f64, f32, f16, bf16, i8, i16, i32, i64, i1, "
          "complex<f32> or complex<f64> values without an encoding",
          "::mlir::RankedTensorType">;

#endif // TAPESTRY_DIALECT_COMM_COMMTYPES_TD
