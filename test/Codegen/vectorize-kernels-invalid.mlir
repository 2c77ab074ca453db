// RUN: tapestry-opt %s -tapestry-vectorize-kernels="cpu=no-such-cpu" \
// RUN:   -verify-diagnostics

// expected-error @below {{unknown processor 'no-such-cpu' or vector width 0}}
func.func @main(%x: memref<8xf32>) attributes {tapestry.device} {
  return
}
