// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// One case per constraint of the selectors, named after it.

func.func @slice_c1(%x: tensor<4x5xf32>) {
  // expected-error @below {{has 2 starts, 1 end and 2 strides for 2 dimensions}}
  %s = tapestry.slice "S" %x [0, 0] => [4] : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @slice_c1_strides(%x: tensor<4x5xf32>) {
  // expected-error @below {{has 2 starts, 2 ends and 3 strides for 2 dimensions}}
  %s = tapestry.slice "S" %x [0, 0] => [4, 5] by [1, 1, 1] : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @slice_c2_end(%x: tensor<4x5xf32>) {
  // expected-error @below {{takes [2, 6) by 1 of dimension 1 of extent 5}}
  %s = tapestry.slice "S" %x [0, 2] => [4, 6] : (tensor<4x5xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @slice_c2_order(%x: tensor<4x5xf32>) {
  // expected-error @below {{takes [3, 2) by 1 of dimension 0 of extent 4}}
  %s = tapestry.slice "S" %x [3, 0] => [2, 5] : (tensor<4x5xf32>) -> tensor<0x5xf32>
  return
}

// -----

func.func @slice_c2_start(%x: tensor<4x5xf32>) {
  // expected-error @below {{takes [-1, 2) by 1 of dimension 0 of extent 4}}
  %s = tapestry.slice "S" %x [-1, 0] => [2, 5] : (tensor<4x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @slice_c2_stride(%x: tensor<4x5xf32>) {
  // expected-error @below {{takes [0, 4) by 0 of dimension 0 of extent 4}}
  %s = tapestry.slice "S" %x [0, 0] => [4, 5] by [0, 1] : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @concat_c1_none() {
  // expected-error @below {{has no operand}}
  %c = tapestry.concat "C" along 0 : () -> tensor<4x5xf32>
  return
}

// -----

func.func @concat_c1_dim(%x: tensor<4x5xf32>) {
  // expected-error @below {{joins tensors of rank 2 along dimension 2}}
  %c = tapestry.concat "C" %x, %x along 2 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @concat_c2_shape(%x: tensor<4x5xf32>, %y: tensor<3x6xf32>) {
  // expected-error @below {{joins 'tensor<4x5xf32>' and, as operand 1, 'tensor<3x6xf32>', whose shapes differ not only along dimension 0}}
  %c = tapestry.concat "C" %x, %y along 0 : (tensor<4x5xf32>, tensor<3x6xf32>) -> tensor<7x5xf32>
  return
}

// -----

func.func @concat_c2_type(%x: tensor<4x5xf32>, %y: tensor<4x5xf64>) {
  // expected-error @below {{joins 'tensor<4x5xf32>' and, as operand 1, 'tensor<4x5xf64>'}}
  %c = tapestry.concat "C" %x, %y along 0 : (tensor<4x5xf32>, tensor<4x5xf64>) -> tensor<8x5xf32>
  return
}

// -----

func.func @unsqueeze_c1(%x: tensor<4x5xf32>) {
  // expected-error @below {{adds dimension 3 to a tensor of rank 2}}
  %u = tapestry.unsqueeze "U" %x at 3 : (tensor<4x5xf32>) -> tensor<4x5x1xf32>
  return
}

// -----

func.func @selector_c1(%x: tensor<4x5xf32>) {
  // expected-error @below {{makes 'tensor<2x5xf32>', but its result is 'tensor<3x5xf32>'}}
  %s = tapestry.slice "S" %x [0, 0] => [2, 5] : (tensor<4x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @selector_c2(%x: tensor<4x5xf32>) {
  // expected-error @below {{has a partition of rank 1 for 2 dimensions}}
  %s = tapestry.slice "S" %x [0, 0] => [2, 5] : (tensor<4x5xf32>) -> tensor<2x5xf32> partition #tapestry_index.partition<[[]]>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
func.func @selector_c3(%x: tensor<4x5xf32>) {
  // expected-error @below {{home}}
  %s = tapestry.slice "S" %x [0, 0] => [2, 5] : (tensor<4x5xf32>) -> tensor<2x5xf32> home #tapestry_index.layout<[4 by "d.0", 5] on #grid>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
func.func @selector_c4(%x: tensor<4x5xf32>) {
  // expected-error @below {{route}}
  %s = tapestry.slice "S" %x [0, 0] => [2, 5] {operand_routes = [[], []]} : (tensor<4x5xf32>) -> tensor<2x5xf32> home #tapestry_index.layout<[2 by "d.0", 5] on #grid>
  return
}

// -----

func.func @squeeze_c1(%x: tensor<4x5xf32>) {
  // expected-error @below {{takes dimension 1 from 'tensor<4x5xf32>', expected one of extent 1}}
  %s = tapestry.squeeze "S" %x at 1 : (tensor<4x5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @permute_c1(%x: tensor<4x5xf32>) {
  // expected-error @below {{has the order [1, 1] for 2 dimensions}}
  %s = tapestry.permute "S" %x to [1, 1] : (tensor<4x5xf32>) -> tensor<5x5xf32>
  return
}

// -----

func.func @reverse_c1_twice(%x: tensor<4x5xf32>) {
  // expected-error @below {{reverses dimension 0, expected distinct ones of 2}}
  %s = tapestry.reverse "S" %x along [0, 0] : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @reverse_c1_rank(%x: tensor<4x5xf32>) {
  // expected-error @below {{reverses dimension 2, expected distinct ones of 2}}
  %s = tapestry.reverse "S" %x along [2] : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @broadcast_c1(%x: tensor<1x5xf32>) {
  // expected-error @below {{sees 'tensor<1x5xf32>' as [3, 6], expected its extents but where they are 1}}
  %s = tapestry.broadcast "S" %x to [3, 6] : (tensor<1x5xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @repeat_c1(%x: tensor<4x5xf32>) {
  // expected-error @below {{repeats a tensor of rank 2 along dimension 2}}
  %s = tapestry.repeat "S" %x along 2 times 2 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @repeat_c2(%x: tensor<4x5xf32>) {
  // expected-error @below {{repeats its operand 0 times, expected 1 to 1024}}
  %s = tapestry.repeat "S" %x along 0 times 0 : (tensor<4x5xf32>) -> tensor<0x5xf32>
  return
}

// -----

func.func @pad_c1_count(%x: tensor<4x5xf32>) {
  // expected-error @below {{pads 1 dimension low and 2 high, of 2}}
  %s = tapestry.pad "S" %x by 0.0 : f32 low [1] high [0, 0] : (tensor<4x5xf32>) -> tensor<5x5xf32>
  return
}

// -----

func.func @pad_c1_negative(%x: tensor<4x5xf32>) {
  // expected-error @below {{pads dimension 0 by -1 low and 0 high, expected 0 to 2147483648}}
  %s = tapestry.pad "S" %x by 0.0 : f32 low [-1, 0] high [0, 0] : (tensor<4x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @pad_c2_type(%x: tensor<4x5xf32>) {
  // expected-error @below {{pads by 0 : i32, expected a constant of type 'f32' or edge, reflect or symmetric}}
  %s = tapestry.pad "S" %x by 0 : i32 low [1, 0] high [0, 0] : (tensor<4x5xf32>) -> tensor<5x5xf32>
  return
}

// -----

func.func @pad_c2_name(%x: tensor<4x5xf32>) {
  // expected-error @below {{pads by "mirror", expected a constant of type 'f32' or edge, reflect or symmetric}}
  %s = tapestry.pad "S" %x by "mirror" low [1, 0] high [0, 0] : (tensor<4x5xf32>) -> tensor<5x5xf32>
  return
}

// -----

func.func @pad_c2_empty(%x: tensor<0x5xf32>) {
  // expected-error @below {{pads dimension 0, which has no element, by "edge"}}
  %s = tapestry.pad "S" %x by "edge" low [1, 0] high [0, 0] : (tensor<0x5xf32>) -> tensor<1x5xf32>
  return
}

// -----

tapestry.graph @joined {
  %X = tapestry.source "X" : tensor<9223372036854775807xi8>
  %Y = tapestry.source "Y" : tensor<7xi8>
  // expected-error @+1 {{joins more than 2^63 elements along dimension 0}}
  %Z = tapestry.concat "Z" %X, %Y along 0 : (tensor<9223372036854775807xi8>, tensor<7xi8>) -> tensor<5xi8>
}

// -----

tapestry.graph @repeated {
  %X = tapestry.source "X" : tensor<6917529027641081856xi8>
  // expected-error @+1 {{has more than 2^63 elements along dimension 0}}
  %Z = tapestry.repeat "Z" %X along 0 times 1024 : (tensor<6917529027641081856xi8>) -> tensor<0xi8>
}

// -----

tapestry.graph @padded {
  %X = tapestry.source "X" : tensor<9223372036854775807xi8>
  // expected-error @+1 {{has more than 2^63 elements along dimension 0}}
  %Z = tapestry.pad "Z" %X by 0 : i8 low [1] high [2] : (tensor<9223372036854775807xi8>) -> tensor<2xi8>
}

// -----

tapestry.graph @far {
  %X = tapestry.source "X" : tensor<4xi8>
  // expected-error @+1 {{makes 'tensor<1xi8>'}}
  %Z = tapestry.slice "Z" %X [0] => [4] by [9223372036854775807] : (tensor<4xi8>) -> tensor<0xi8>
}

// -----

func.func @interleave_c1() {
  // expected-error @below {{has no operand}}
  %s = tapestry.interleave "S" along 0 : () -> tensor<4xi8>
  return
}

// -----

func.func @interleave_c1_dim(%x: tensor<4x5xi8>) {
  // expected-error @below {{joins tensors of rank 2 along dimension 2}}
  %s = tapestry.interleave "S" %x along 2 : (tensor<4x5xi8>) -> tensor<4x5xi8>
  return
}

// -----

func.func @interleave_c2_shape(%x: tensor<4x5xi8>, %y: tensor<4x6xi8>) {
  // expected-error @below {{joins 'tensor<4x5xi8>' and, as operand 1, 'tensor<4x6xi8>', whose shapes differ not only along dimension 0}}
  %s = tapestry.interleave "S" %x, %y along 0 : (tensor<4x5xi8>, tensor<4x6xi8>) -> tensor<8x5xi8>
  return
}

// -----

func.func @interleave_c2_turns(%x: tensor<4x5xi8>, %y: tensor<3x5xi8>) {
  // expected-error @below {{has 3 elements of operand 1 along dimension 0, expected 4 of 11 in turns of 3}}
  %s = tapestry.interleave "S" %x, %y, %x along 0 : (tensor<4x5xi8>, tensor<3x5xi8>, tensor<4x5xi8>) -> tensor<11x5xi8>
  return
}

// -----

func.func @view_c1_ranks(%x: tensor<4x5xi8>) {
  // expected-error @below {{has a projection from 1 dimension to 1, expected from 2 to 2}}
  %s = tapestry.view "S" %x by <(d0) -> (d0)> : (tensor<4x5xi8>) -> tensor<4x5xi8>
  return
}

// -----

func.func @view_c1_outside(%x: tensor<4x5xi8>) {
  // expected-error @below {{reads 1 element at once from 1 to 5 of dimension 1 of extent 5}}
  %s = tapestry.view "S" %x by <(d0) -> (0, d0 + 1)> : (tensor<4x5xi8>) -> tensor<5xi8>
  return
}

// -----

func.func @view_c1_one(%x: tensor<4x5xi8>) {
  // expected-error @below {{reads 2 elements at once from 0 to 2 of dimension 0 of extent 4}}
  %s = tapestry.view "S" %x by <(d0) -> (d0, 0), shape = [2, 1]> : (tensor<4x5xi8>) -> tensor<2xi8>
  return
}

// -----

func.func @selector_c5_constant(%x: tensor<4xi8>) {
  // expected-error @below {{subscript 'd0 + 9223372036854775807' of operand 0 reaches 2^62 or more}}
  %s = tapestry.view "S" %x by <(d0) -> (d0 + 9223372036854775807)> : (tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @selector_c5_wraps_to_inside(%x: tensor<4xi8>) {
  // expected-error @below {{subscript '9223372036854775807 * d0 + 3' of operand 0 reaches 2^62 or more}}
  %s = tapestry.view "S" %x by <(d0) -> (9223372036854775807 * d0 + 3)> : (tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @selector_c5_coefficient(%x: tensor<4xi8>) {
  // expected-error @below {{subscript '4611686018427387904 * d0' of operand 0 reaches 2^62 or more}}
  %s = tapestry.view "S" %x by <(d0) -> (4611686018427387904 * d0)> : (tensor<4xi8>) -> tensor<5xi8>
  return
}

// -----

func.func @selector_c5_stride(%x: tensor<4xi8>) {
  // expected-error @below {{subscript '9223372036854775807 * d0 + 1' of operand 0 reaches 2^62 or more}}
  %s = tapestry.slice "S" %x [1] => [4] by [9223372036854775807] : (tensor<4xi8>) -> tensor<1xi8>
  return
}

// -----

// What is just below is not refused for that.

func.func @selector_c5_below(%x: tensor<4xi8>) {
  %s = tapestry.slice "S" %x [1] => [4] by [4611686018427387901] : (tensor<4xi8>) -> tensor<1xi8>
  %t = tapestry.view "T" %x by <(d0) -> (4611686018427387902 * d0)> : (tensor<4xi8>) -> tensor<1xi8>
  // expected-error @below {{reads 1 element at once from 0 to 2305843009213693950 of dimension 0 of extent 4}}
  %u = tapestry.view "U" %x by <(d0) -> (2305843009213693950 * d0)> : (tensor<4xi8>) -> tensor<2xi8>
  return
}
