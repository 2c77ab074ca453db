// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// One case per constraint of tapestry.collect, named after it.

func.func @collect_c1_twice(%x: tensor<4x5xf32>, %into: tensor<3x4x5xf32>, %t: tensor<i64>) {
  // expected-error @below {{label 'n' occurs twice}}
  %c = tapestry.collect "C" ["n", "n"] %x, %into, %t : (tensor<4x5xf32>, tensor<3x4x5xf32>, tensor<i64>) -> tensor<3x4x5xf32>
  return
}

// -----

func.func @collect_c1_count(%x: tensor<4x5xf32>, %into: tensor<3x4x5xf32>, %t: tensor<i64>) {
  // expected-error @below {{has 3 labels but 2 extents}}
  %c = tapestry.collect "C" ["t", "n", "i"] %x, %into, %t : (tensor<4x5xf32>, tensor<3x4x5xf32>, tensor<i64>) -> tensor<3x4x5xf32>
  return
}

// -----

func.func @collect_c2(%x: tensor<4xf32>, %into: tensor<3x4xf32>, %t: tensor<i64>) {
  // expected-error @below {{puts a row into 'tensor<3x4xf32>', but makes 'tensor<4x4xf32>', expected equal types}}
  %c = tapestry.collect "C" ["n"] %x, %into, %t : (tensor<4xf32>, tensor<3x4xf32>, tensor<i64>) -> tensor<4x4xf32>
  return
}

// -----

func.func @collect_c3_shape(%x: tensor<4xf32>, %into: tensor<3x5xf32>, %t: tensor<i64>) {
  // expected-error @below {{puts 'tensor<4xf32>' into 'tensor<3x5xf32>', expected one more dimension in front, of at least one row}}
  %c = tapestry.collect "C" ["n"] %x, %into, %t : (tensor<4xf32>, tensor<3x5xf32>, tensor<i64>) -> tensor<3x5xf32>
  return
}

// -----

func.func @collect_c3_rank(%x: tensor<4xf32>, %into: tensor<4xf32>, %t: tensor<i64>) {
  // expected-error @below {{puts 'tensor<4xf32>' into 'tensor<4xf32>', expected one more dimension}}
  %c = tapestry.collect "C" ["n"] %x, %into, %t : (tensor<4xf32>, tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @collect_c3_rows(%x: tensor<f32>, %into: tensor<0xf32>, %t: tensor<i64>) {
  // expected-error @below {{puts 'tensor<f32>' into 'tensor<0xf32>', expected one more dimension in front, of at least one row}}
  %c = tapestry.collect "C" [] %x, %into, %t : (tensor<f32>, tensor<0xf32>, tensor<i64>) -> tensor<0xf32>
  return
}

// -----

func.func @collect_c3_type(%x: tensor<4xf64>, %into: tensor<3x4xf32>, %t: tensor<i64>) {
  // expected-error @below {{puts 'tensor<4xf64>' into 'tensor<3x4xf32>'}}
  %c = tapestry.collect "C" ["n"] %x, %into, %t : (tensor<4xf64>, tensor<3x4xf32>, tensor<i64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @collect_c4(%x: tensor<4xf32>, %into: tensor<3x4xf32>, %t: tensor<i64>) {
  // expected-error @below {{partition}}
  %c = tapestry.collect "C" ["n"] %x, %into, %t : (tensor<4xf32>, tensor<3x4xf32>, tensor<i64>) -> tensor<3x4xf32>
    partition #tapestry_index.partition<[["d.0"], []]>
  return
}

// -----

func.func @collect_c5(%x: tensor<4xf32>, %into: tensor<3x4xf32>, %t: tensor<i64>) {
  // expected-error @below {{home}}
  %c = tapestry.collect "C" ["n"] %x, %into, %t : (tensor<4xf32>, tensor<3x4xf32>, tensor<i64>) -> tensor<3x4xf32>
    home #tapestry_index.layout<[4] on #tapestry_index.grid<"d.0" = 2>>
  return
}

// -----

func.func @collect_c6(%x: tensor<4xf32>, %into: tensor<3x4xf32>, %t: tensor<i64>) {
  // expected-error @below {{route}}
  %c = tapestry.collect "C" ["n"] %x, %into, %t {home_route = [#tapestry_index.layout<[3, 4] on #tapestry_index.grid<"d.0" = 2>>]} : (tensor<4xf32>, tensor<3x4xf32>, tensor<i64>) -> tensor<3x4xf32>
  return
}

// -----

// The number of the row is one.
func.func @number(%x: tensor<4xf32>, %into: tensor<3x4xf32>, %t: tensor<1xi64>) {
  // expected-error @below {{operand #2 must be 0D tensor of 64-bit signless integer values}}
  %c = tapestry.collect "C" ["n"] %x, %into, %t : (tensor<4xf32>, tensor<3x4xf32>, tensor<1xi64>) -> tensor<3x4xf32>
  return
}
