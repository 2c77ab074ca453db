// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// One case per constraint of tapestry.sort, named after it.

func.func @sort_c1(%x: tensor<4x5xf32>) {
  // expected-error @below {{label 'n' occurs twice}}
  %s = tapestry.sort "S" ["n", "n"] along "n" %x : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @sort_c2(%x: tensor<4xi1>) {
  // expected-error @below {{puts elements of type 'i1' in order, expected numbers}}
  %s = tapestry.sort "S" ["n"] along "n" %x : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @sort_c2_unsigned(%x: tensor<4xf32>) {
  // expected-error @below {{puts elements of type 'f32' in order, expected integers}}
  %s = tapestry.sort "S" ["n"] along "n" %x {unsigned_elements} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sort_c3(%x: tensor<4x5xf32>) {
  // expected-error @below {{puts elements in order along 'j', which is none of its 2 labels}}
  %s = tapestry.sort "S" ["n", "c"] along "j" %x : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @sort_c4_longer(%x: tensor<4x5xf32>) {
  // expected-error @below {{makes 'tensor<4x6xf32>' of 'tensor<4x5xf32>', expected that shape, which may be shorter along 'c'}}
  %s = tapestry.sort "S" ["n", "c"] along "c" %x : (tensor<4x5xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @sort_c4_rank(%x: tensor<4x5xf32>) {
  // expected-error @below {{makes 'tensor<4xf32>' of 'tensor<4x5xf32>', expected that shape}}
  %s = tapestry.sort "S" ["n", "c"] along "c" %x : (tensor<4x5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sort_c5(%x: tensor<4x5xf32>) {
  // expected-error @below {{makes 'tensor<4x5xf32>', expected elements of type 'i64'}}
  %s = tapestry.sort "S" ["n", "c"] along "c" %x {indices} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @sort_c6(%x: tensor<4x5xf32>) {
  // expected-error @below {{has a partition of rank 1 for 2 labels}}
  %s = tapestry.sort "S" ["n", "c"] along "c" %x : (tensor<4x5xf32>) -> tensor<4x5xf32> partition #tapestry_index.partition<[["d.0"]]>
  return
}

// -----

func.func @sort_c6_whole(%x: tensor<4x5xf64>) {
  // expected-error @below {{cuts label 'c', along which it gives the indices of 5 elements of type 'f64', which lie whole}}
  %s = tapestry.sort "S" ["n", "c"] along "c" %x {indices} : (tensor<4x5xf64>) -> tensor<4x5xi64> partition #tapestry_index.partition<[[], ["d.0"]]>
  return
}

// -----

func.func @sort_c7(%x: tensor<4x5xf32>) {
  // expected-error @below {{has a home of extent 5 in dimension 1, but the tensor has extent 2}}
  %s = tapestry.sort "S" ["n", "c"] along "c" %x : (tensor<4x5xf32>) -> tensor<4x2xf32> home #tapestry_index.layout<[4, 5] on #tapestry_index.grid<>>
  return
}

// -----

func.func @sort_c8(%x: tensor<4x5xf32>) {
  // expected-error @below {{has routes for 2 of 1 operand}}
  %s = tapestry.sort "S" ["n", "c"] along "c" %x {operand_routes = [[], []]} : (tensor<4x5xf32>) -> tensor<4x5xf32> home #tapestry_index.layout<[4, 5] on #tapestry_index.grid<>>
  return
}

// -----

func.func @sort_c2_complex(%x: tensor<4xcomplex<f32>>) {
  // expected-error @below {{puts elements of type 'complex<f32>' in order, expected numbers}}
  %s = tapestry.sort "S" ["n"] along "n" %x : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}
