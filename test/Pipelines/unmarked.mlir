// What an embedder keeps beside a graph stays as it is through all phases, even
// where upstream's passes would find something to do: equal values, casts there and
// back, an empty tensor, tensors that could be buffers, an index operation of ours.
// RUN: tapestry-opt %s | sed -n '/func.func @theirs/,/^  }/p' > %t.before
// RUN: FileCheck %s --check-prefix=BEFORE < %t.before
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=4 --tapestry-to-program > %t.program
// RUN: sed -n '/func.func @theirs/,/^  }/p' %t.program | diff %t.before -
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=4 --tapestry-to-llvm > %t.code
// RUN: sed -n '/func.func @theirs/,/^  }/p' %t.code | diff %t.before -
// RUN: FileCheck %s < %t.code

// BEFORE: return
// CHECK-LABEL: llvm.func @device_program.product(
// CHECK-NOT: unrealized_conversion_cast
// CHECK-LABEL: llvm.func @tapestry_entry.product(

func.func @theirs(%x: tensor<64xf32>, %i: index) -> (tensor<64xf32>, index) {
  %zero = arith.constant 0.0 : f32
  %zero_again = arith.constant 0.0 : f32
  %0 = arith.addi %i, %i : index
  %1 = arith.addi %i, %i : index
  %2 = arith.muli %0, %1 : index
  %3 = builtin.unrealized_conversion_cast %2 : index to i64
  %4 = builtin.unrealized_conversion_cast %3 : i64 to index
  %5 = tapestry_index.apply #tapestry_index.projection<(d0) -> (d0 + 3)>(%4)
  %empty = tensor.empty() : tensor<32xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<32xf32>) -> tensor<32xf32>
  %again = linalg.fill ins(%zero_again : f32) outs(%empty : tensor<32xf32>) -> tensor<32xf32>
  %low = tensor.insert_slice %filled into %x[0] [32] [1] : tensor<32xf32> into tensor<64xf32>
  %both = tensor.insert_slice %again into %low[32] [32] [1] : tensor<32xf32> into tensor<64xf32>
  return %both, %5 : tensor<64xf32>, index
}

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
