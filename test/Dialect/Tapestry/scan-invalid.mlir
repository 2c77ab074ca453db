// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// One case per constraint of tapestry.scan, named after it.

func.func @scan_c1_twice(%x: tensor<4x5xf32>) {
  // expected-error @below {{label 'n' occurs twice}}
  %c = tapestry.scan "C" ["n", "n"] <add> along "n" %x : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @scan_c1_count(%x: tensor<4x5xf32>) {
  // expected-error @below {{has 1 label but 2 extents}}
  %c = tapestry.scan "C" ["n"] <add> along "n" %x : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @scan_c2(%x: tensor<4x5xf32>) {
  // expected-error @below {{reads 'tensor<4x5xf32>', but makes 'tensor<5x4xf32>', expected equal shapes}}
  %c = tapestry.scan "C" ["n", "i"] <add> along "i" %x : (tensor<4x5xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @scan_c3(%x: tensor<4x5xf32>) {
  // expected-error @below {{runs along 'j', which is none of its 2 labels}}
  %c = tapestry.scan "C" ["n", "i"] <add> along "j" %x : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @scan_c4(%x: tensor<4xf64>) {
  // expected-error @below {{combines elements of type 'f32', but reads 'tensor<4xf64>'}}
  %c = tapestry.scan "C" ["i"] <add> along "i" %x : (tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @scan_c5_bool(%x: tensor<4xi1>) {
  // expected-error @below {{combines elements of type 'i1' by 'add', expected a monoid of them}}
  %c = tapestry.scan "C" ["i"] <add> along "i" %x : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @scan_c5_order(%x: tensor<4xcomplex<f32>>) {
  // expected-error @below {{combines elements of type 'complex<f32>' by 'max', expected a monoid of them}}
  %c = tapestry.scan "C" ["i"] <max> along "i" %x : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @scan_c5_none(%x: tensor<4xf32>) {
  // expected-error @below {{combines elements of type 'f32' by 'none', expected a monoid of them}}
  %c = tapestry.scan "C" ["i"] <none> along "i" %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scan_c6(%x: tensor<4x5xf32>) {
  // expected-error @below {{has a partition of rank 1 for 2 labels}}
  %c = tapestry.scan "C" ["n", "i"] <add> along "i" %x : (tensor<4x5xf32>) -> tensor<4x5xf32> partition #tapestry_index.partition<[["d.0"]]>
  return
}

// -----

func.func @scan_c7(%x: tensor<4x5xf32>) {
  // expected-error @below {{has a home of extent 5 in dimension 0, but the tensor has extent 4}}
  %c = tapestry.scan "C" ["n", "i"] <add> along "i" %x : (tensor<4x5xf32>) -> tensor<4x5xf32> home #tapestry_index.layout<[5, 4] on #tapestry_index.grid<>>
  return
}

// -----

func.func @scan_c8(%x: tensor<4x5xf32>) {
  // expected-error @below {{has routes for 2 of 1 operand}}
  %c = tapestry.scan "C" ["n", "i"] <add> along "i" %x {operand_routes = [[], []]} : (tensor<4x5xf32>) -> tensor<4x5xf32> home #tapestry_index.layout<[4, 5] on #tapestry_index.grid<>>
  return
}

// -----

func.func @scan_c9(%x: tensor<4xf32>) {
  // expected-error @below {{with monoid custom has 0 combine regions and 0 identities, expected 1 of each}}
  %c = tapestry.scan "C" ["i"] <custom> along "i" %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scan_c9_unused(%x: tensor<4xf32>) {
  // expected-error @below {{with monoid add has 1 combine regions and 1 identities, expected none}}
  %c = tapestry.scan "C" ["i"] <add> along "i" %x combine {
  ^bb0(%a: f32, %b: f32):
    tapestry.yield %a : f32
  } identity 0.0 : f32 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Narrow floats are combined in f32.
func.func @scan_c9_identity(%x: tensor<4xf16>) {
  // expected-error @below {{has the identity 0.000000e+00 : f16, but combines values of type 'f32'}}
  %c = tapestry.scan "C" ["i"] <custom> along "i" %x combine {
  ^bb0(%a: f16, %b: f16):
    tapestry.yield %a : f16
  } identity 0.0 : f16 : (tensor<4xf16>) -> tensor<4xf16>
  return
}

// -----

func.func @scan_c9_yield(%x: tensor<4xi32>) {
  // expected-error @below {{the combine region yields 'i1', expected 'i32'}}
  %c = tapestry.scan "C" ["i"] <custom> along "i" %x combine {
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi slt, %a, %b : i32
    tapestry.yield %c : i1
  } identity 0 : i32 : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// A label belongs to an einsum.
func.func @scan_c9_label(%x: tensor<4xi32>) {
  %c = tapestry.scan "C" ["i"] <custom> along "i" %x combine {
  ^bb0(%a: i32, %b: i32):
    // expected-error @below {{expects parent op 'tapestry.einsum'}}
    %i = tapestry.label "i"
    tapestry.yield %a : i32
  } identity 0 : i32 : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @yield_parent(%x: f32) {
  // expected-error @below {{expects parent op to be one of 'tapestry.einsum, tapestry.scan, tapestry.scatter'}}
  tapestry.yield %x : f32
}
