// RUN: tapestry-opt %s --canonicalize | FileCheck %s

// A device outside the grid has no part: there is nothing to fold to.
// CHECK-LABEL: func @no_such_device
// CHECK: tapestry_index.part
func.func @no_such_device() -> index {
  %c2 = arith.constant 2 : index
  %0:2 = tapestry_index.part #tapestry_index.layout<[5 by "d.0"] on #tapestry_index.grid<"d.0" = 2>> at %c2
  return %0#0 : index
}

// Numbers so large that the sum would leave 64 bits.
// CHECK-LABEL: func @too_large
// CHECK: tapestry_index.apply
func.func @too_large() -> index {
  %c = arith.constant 9223372036854775807 : index
  %0 = tapestry_index.apply #tapestry_index.projection<(d0) -> (2 * d0)>(%c)
  return %0 : index
}
