// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// One case per constraint of tapestry.scan, named after it.

func.func @scan_c1_twice(%x: tensor<4x5xf32>) {
  // expected-error @below {{label 'n' occurs twice}}
  %c = tapestry.scan "C" ["n", "n"] <add> along "n" %x : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @scan_c1_count(%x: tensor<4x5xf32>) {
  // expected-error @below {{has 1 labels but 2 extents}}
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
  // expected-error @below {{combines elements of type 'i1' by 'add', expected a named monoid of them}}
  %c = tapestry.scan "C" ["i"] <add> along "i" %x : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @scan_c5_order(%x: tensor<4xcomplex<f32>>) {
  // expected-error @below {{combines elements of type 'complex<f32>' by 'max', expected a named monoid of them}}
  %c = tapestry.scan "C" ["i"] <max> along "i" %x : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @scan_c5_none(%x: tensor<4xf32>) {
  // expected-error @below {{combines elements of type 'f32' by 'none', expected a named monoid of them}}
  %c = tapestry.scan "C" ["i"] <none> along "i" %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scan_c5_unsigned(%x: tensor<4xi8>) {
  // expected-error @below {{combines unsigned elements of type 'i8' by 'add', expected the maximum or minimum of integers}}
  %c = tapestry.scan "C" ["i"] <add> along "i" %x {unsigned_elements} : (tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @scan_c6(%x: tensor<4x5xf32>) {
  // expected-error @below {{has a partition of 1 entries for 2 labels}}
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
  // expected-error @below {{has routes for 2 of 1 operands}}
  %c = tapestry.scan "C" ["n", "i"] <add> along "i" %x {operand_routes = [[], []]} : (tensor<4x5xf32>) -> tensor<4x5xf32> home #tapestry_index.layout<[4, 5] on #tapestry_index.grid<>>
  return
}
