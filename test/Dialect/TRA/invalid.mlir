// RUN: tapestry-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// One function per constraint of everything but joins, named after its label.

#grid = #tapestry_index.grid<"d.0" = 2>

// expected-error@+1 {{a relation's elements are f64, f32, f16, bf16, i8, i16, i32, i64, i1, complex<f32> or complex<f64>, not 'index'}}
func.func private @relation_c1(!tra.relation<[5] / [1], index, #tapestry_index.layout<[5] on #grid>>)

// -----

#grid = #tapestry_index.grid<"d.0" = 2>

// expected-error@+1 {{the relation has 2 dimensions, its layout has 1}}
func.func private @relation_c2_rank(!tra.relation<[5, 7] / [1], f32, #tapestry_index.layout<[5] on #grid>>)

// -----

#grid = #tapestry_index.grid<"d.0" = 2>

// expected-error@+1 {{dimension 0 of the relation has extent 6, in its layout 5}}
func.func private @relation_c2(!tra.relation<[6] / [1], f32, #tapestry_index.layout<[5] on #grid>>)

// -----

#grid = #tapestry_index.grid<"d.0" = 2>

// expected-error@+1 {{the relation counts the parts of 2 dimensions, its layout has 1}}
func.func private @relation_c3_rank(!tra.relation<[5] / [1, 2], f32, #tapestry_index.layout<[5] on #grid>>)

// -----

#grid = #tapestry_index.grid<"d.0" = 2>

// expected-error@+1 {{dimension 0 of the relation has 1 part, in its layout 2}}
func.func private @relation_c3(!tra.relation<[5] / [1], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>)

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 7] on #grid>
!rows = !tra.relation<[5, 7] / [2, 1], f32, #rows>

func.func @from_tensor_c1(%A: tensor<7x5xf32>) {
  // expected-error@+1 {{turns a tensor of shape [7, 5] and element type 'f32' into one of shape [5, 7] and element type 'f32'}}
  %r = tra.from_tensor %A : tensor<7x5xf32> -> !rows
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 7] on #grid>
!rows = !tra.relation<[5, 7] / [2, 1], f32, #rows>

func.func @from_tensor_c1_element(%A: tensor<5x7xf64>) {
  // expected-error@+1 {{turns a tensor of shape [5, 7] and element type 'f64' into one of shape [5, 7] and element type 'f32'}}
  %r = tra.from_tensor %A : tensor<5x7xf64> -> !rows
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @from_tensor_c2(%A: tensor<5x7xf32>) {
  // expected-error@+1 {{result is partial over 1 axis, expected 0; aggregate it first}}
  %r = tra.from_tensor %A : tensor<5x7xf32> -> !partial
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 7] on #grid>
!rows = !tra.relation<[5, 7] / [2, 1], f32, #rows>

func.func @to_tensor_c1(%r: !rows) {
  // expected-error@+1 {{turns a tensor of shape [5, 7] and element type 'f32' into one of shape [5, 8] and element type 'f32'}}
  %A = tra.to_tensor %r : !rows -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @to_tensor_c2(%r: !partial) {
  // expected-error@+1 {{relation is partial over 1 axis, expected 0; aggregate it first}}
  %A = tra.to_tensor %r : !partial -> tensor<5x7xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#halo = #tapestry_index.layout<[34 = 2 * [17 by "d.0"] + [3] - 1] on #grid>
!halo = !tra.relation<[34] / [2], f32, #halo>

func.func @to_tensor_c3(%r: !halo) {
  // expected-error@+1 {{dimension 0 of the relation is not plain: its parts may overlap or leave gaps}}
  %A = tra.to_tensor %r : !halo -> tensor<34xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#diagonal = #tapestry_index.layout<[5 by "d.0", 5 by "d.0"] on #grid>
!diagonal = !tra.relation<[5, 5] / [2, 2], f32, #diagonal>

func.func @to_tensor_c3_diagonal(%r: !diagonal) {
  // expected-error@+1 {{the relation is cut 2 times over 1 axis, so that its parts leave gaps}}
  %A = tra.to_tensor %r : !diagonal -> tensor<5x5xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @aggregate_c1(%p: !partial) {
  // expected-error@+1 {{turns a tensor of shape [5, 7] and element type 'f32' into one of shape [5, 8] and element type 'f32'}}
  %r = tra.aggregate "C" add %p : !partial -> !tra.relation<[5, 8] / [1, 1], f32, #tapestry_index.layout<[5, 8] on #grid>>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>
#other = #tapestry_index.grid<"d.0" = 3>
!o = !tra.relation<[5, 7] / [1, 1], f32, #tapestry_index.layout<[5, 7] on #other>>

func.func @aggregate_c2(%p: !partial) {
  // expected-error-re@+1 {{moves from the grid {{.*}} of 2 devices to the grid {{.*}} of 3}}
  %r = tra.aggregate "C" add %p : !partial -> !o
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 7] on #grid>
!rows = !tra.relation<[5, 7] / [2, 1], f32, #rows>

func.func @aggregate_c3_source(%p: !rows) {
  // expected-error@+1 {{source is partial over 0 axes, expected at least 1}}
  %r = tra.aggregate "C" add %p : !rows -> !rows
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @aggregate_c3_result(%p: !partial) {
  // expected-error@+1 {{result is partial over 1 axis, expected 0; aggregate it first}}
  %r = tra.aggregate "C" add %p : !partial -> !partial
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
!partial = !tra.relation<[97] / [2], f32, #tapestry_index.layout<[97 by "d.0"] partial ["d.1"] on #grid>>
!swapped = !tra.relation<[97] / [3], f32, #tapestry_index.layout<[97 by "d.1"] on #grid>>

func.func @aggregate_c4(%p: !partial) {
  // expected-error@+1 {{device 0 holds partial values of [0, 49) and would get [0, 33): neither that box nor a share of its group's}}
  %r = tra.aggregate "C" add %p : !partial -> !swapped
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
!partial = !tra.relation<[97] / [2], f32, #tapestry_index.layout<[97 by "d.0"] partial ["d.1"] on #grid>>
!fine = !tra.relation<[97] / [6], f32, #tapestry_index.layout<[97 by "d.0" "d.1"] on #grid>>

func.func @aggregate_c4_uneven(%p: !partial) {
  // expected-error@+1 {{device 0 holds partial values of [0, 49) and would get [0, 17): neither that box nor a share of its group's}}
  %r = tra.aggregate "C" add %p : !partial -> !fine
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5, 7] on #grid>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!whole = !tra.relation<[5, 7] / [1, 1], f32, #whole>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @aggregate_c5(%p: !partial) {
  // expected-error@+1 {{combines partial values by 'none'}}
  %r = tra.aggregate "C" none %p : !partial -> !whole
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5, 7] on #grid>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!whole = !tra.relation<[5, 7] / [1, 1], f32, #whole>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @aggregate_c6_identity(%p: !partial) {
  // expected-error@+1 {{reduces by 'custom' with 0 identities, not 1}}
  %r = tra.aggregate "C" custom %p combine {
  ^bb0(%a: f32, %b: f32):
    tra.yield %b : f32
  } : !partial -> !whole
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5, 7] on #grid>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!whole = !tra.relation<[5, 7] / [1, 1], f32, #whole>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @aggregate_c6_combine(%p: !partial) {
  // expected-error@+1 {{reduces by 'custom' with 0 combine regions, not 1}}
  %r = tra.aggregate "C" custom %p identity 0.0 : f32 : !partial -> !whole
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5, 7] on #grid>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!whole = !tra.relation<[5, 7] / [1, 1], f32, #whole>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @aggregate_c6_needless(%p: !partial) {
  // expected-error@+1 {{reduces by 'max' with 1 identities, not 0}}
  %r = tra.aggregate "C" max %p identity 0.0 : f32 : !partial -> !whole
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5, 7] on #grid>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!whole = !tra.relation<[5, 7] / [1, 1], f32, #whole>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @aggregate_c6_type(%p: !partial) {
  // expected-error@+1 {{has an identity of type 'f64', but elements are of type 'f32'}}
  %r = tra.aggregate "C" custom %p identity 0.0 : f64 combine {
  ^bb0(%a: f32, %b: f32):
    tra.yield %b : f32
  } : !partial -> !whole
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5, 7] on #grid>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!whole = !tra.relation<[5, 7] / [1, 1], f32, #whole>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @aggregate_c7(%p: !partial) {
  // expected-error@+1 {{reduces by 'and', which does not combine elements of type 'f32'}}
  %r = tra.aggregate "C" and %p : !partial -> !whole
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5, 7] on #grid>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!whole = !tra.relation<[5, 7] / [1, 1], f32, #whole>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @aggregate_c8_count(%p: !partial) {
  // expected-error@+1 {{its combine region takes 3 values, not 2}}
  %r = tra.aggregate "C" custom %p identity 0.0 : f32 combine {
  ^bb0(%a: f32, %c: f32, %b: f32):
    tra.yield %b : f32
  } : !partial -> !whole
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5, 7] on #grid>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!whole = !tra.relation<[5, 7] / [1, 1], f32, #whole>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @aggregate_c8_type(%p: !partial) {
  // expected-error@+1 {{its combine region takes a value of type 'i32' as number 0, but elements are of type 'f32'}}
  %r = tra.aggregate "C" custom %p identity 0.0 : f32 combine {
  ^bb0(%a: i32, %b: f32):
    tra.yield %b : f32
  } : !partial -> !whole
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5, 7] on #grid>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!whole = !tra.relation<[5, 7] / [1, 1], f32, #whole>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @aggregate_c8_yield(%p: !partial) {
  %r = tra.aggregate "C" custom %p identity 0.0 : f32 combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.extf %b : f32 to f64
    // expected-error@+1 {{yields a value of type 'f64', but elements are of type 'f32'}}
    tra.yield %c : f64
  } : !partial -> !whole
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5, 7] on #grid>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!whole = !tra.relation<[5, 7] / [1, 1], f32, #whole>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @aggregate_c8_effects(%p: !partial) {
  %r = tra.aggregate "C" custom %p identity 0.0 : f32 combine {
  ^bb0(%a: f32, %b: f32):
    // expected-error@+1 {{has side effects, which the combine region of a 'tra.aggregate' must not have}}
    "test.effect"() : () -> ()
    tra.yield %b : f32
  } : !partial -> !whole
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 7] on #grid>
!rows = !tra.relation<[5, 7] / [2, 1], f32, #rows>

func.func @repartition_c1(%a: !rows) {
  // expected-error@+1 {{turns a tensor of shape [5, 7] and element type 'f32' into one of shape [5, 7] and element type 'f64'}}
  %r = tra.repartition "A", %a : !rows -> !tra.relation<[5, 7] / [1, 1], f64, #tapestry_index.layout<[5, 7] on #grid>>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 7] on #grid>
!rows = !tra.relation<[5, 7] / [2, 1], f32, #rows>
#other = #tapestry_index.grid<"d.0" = 3>
!o = !tra.relation<[5, 7] / [1, 1], f32, #tapestry_index.layout<[5, 7] on #other>>

func.func @repartition_c2(%a: !rows) {
  // expected-error-re@+1 {{moves from the grid {{.*}} of 2 devices to the grid {{.*}} of 3}}
  %r = tra.repartition "A", %a : !rows -> !o
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5, 7] on #grid>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!whole = !tra.relation<[5, 7] / [1, 1], f32, #whole>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @repartition_c3_source(%a: !partial) {
  // expected-error@+1 {{source is partial over 1 axis, expected 0; aggregate it first}}
  %r = tra.repartition "A", %a : !partial -> !whole
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5, 7] on #grid>
#partial = #tapestry_index.layout<[5, 7] partial ["d.0"] on #grid>
!whole = !tra.relation<[5, 7] / [1, 1], f32, #whole>
!partial = !tra.relation<[5, 7] / [1, 1], f32, #partial>

func.func @repartition_c3_result(%a: !whole) {
  // expected-error@+1 {{result is partial over 1 axis, expected 0; aggregate it first}}
  %r = tra.repartition "A", %a : !whole -> !partial
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#halo = #tapestry_index.layout<[34 = 2 * [17 by "d.0"] + [3] - 1] on #grid>
!halo = !tra.relation<[34] / [2], f32, #halo>
!whole = !tra.relation<[34] / [1], f32, #tapestry_index.layout<[34] on #grid>>

func.func @repartition_c4(%a: !halo) {
  // expected-error@+1 {{dimension 0 of the source is not plain: its parts may overlap or leave gaps}}
  %r = tra.repartition "A", %a : !halo -> !whole
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 3>
#two = #tapestry_index.layout<[34 = [34] + 0 * [3 by "d.0" in 1 to 3]] on #grid>
!two = !tra.relation<[34] / [3], f32, #two>
!whole = !tra.relation<[34] / [1], f32, #tapestry_index.layout<[34] on #grid>>

func.func @repartition_c4_two_devices(%a: !two) {
  // expected-error@+1 {{dimension 0 of the source is not plain: its parts may overlap or leave gaps}}
  %r = tra.repartition "A", %a : !two -> !whole
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#diagonal = #tapestry_index.layout<[5 by "d.0", 5 by "d.0"] on #grid>
#square = #tapestry_index.layout<[5, 5] on #grid>
!diagonal = !tra.relation<[5, 5] / [2, 2], f32, #diagonal>
!square = !tra.relation<[5, 5] / [1, 1], f32, #square>

func.func @repartition_c4_diagonal(%a: !diagonal) {
  // expected-error@+1 {{the source is cut 2 times over 1 axis, so that its parts leave gaps}}
  %r = tra.repartition "A", %a : !diagonal -> !square
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>

// expected-error@+1 {{expected '/'}}
func.func private @parts(!tra.relation<[5], f32, #tapestry_index.layout<[5] on #grid>>)

// -----

// expected-error @below {{has the attribute 'tra.parts', which the dialect 'tra' does not know there}}
func.func private @own_attribute() attributes {tra.parts = 3}

// -----

// expected-error @below {{has the attribute 'tra.parts', which the dialect 'tra' does not know there}}
func.func private @own_attribute_of_result() -> (f32 {tra.parts})
