// RUN: tapestry-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// One function per constraint, named after its label in the descriptions.

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#other = #tapestry_index.grid<"d.0" = 3>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#other_rows = #tapestry_index.layout<[5 by "d.0", 8] on #other>

func.func @collective_c1(%x: tensor<?x8xf32>) {
  // expected-error-re@+1 {{moves from the grid {{.*}} of 4 devices to the grid {{.*}} of 3}}
  %r, %t = comm.all_gather "A", %x from #rows to #other_rows axes ["d.0"]
             : tensor<?x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#larger = #tapestry_index.layout<[5, 9] on #grid>

func.func @collective_c2(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{turns a layout of a tensor of shape [5, 8] into one of shape [5, 9]}}
  %r, %t = comm.all_gather "A", %x from #rows to #larger axes ["d.0"]
             : tensor<?x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @collective_c3(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{has a target with 1 partial axes, but a collective leaves none}}
  %r, %t = comm.all_gather "A", %x from #rows to #partial axes ["d.0"]
             : tensor<?x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#whole = #tapestry_index.layout<[5, 8] on #grid>
#halo = #tapestry_index.layout<[5 = [5 by "d.0"] + [3] - 1, 8] on #grid>

func.func @collective_c4(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{dimension 0 of 'from' is not plain: its parts may overlap or leave gaps}}
  %r, %t = comm.all_gather "A", %x from #halo to #whole axes ["d.0"]
             : tensor<?x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#diagonal = #tapestry_index.layout<[8 by "d.0", 8 by "d.0"] on #grid>
#square = #tapestry_index.layout<[8, 8] on #grid>

func.func @collective_c4_diagonal(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{'from' is cut 2 times over 1 axis, so that its parts leave gaps}}
  %r, %t = comm.all_gather "A", %x from #diagonal to #square axes ["d.0"]
             : tensor<?x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#two_devices = #tapestry_index.layout<[5 = [5] + 0 * [4 by "d.0" "d.1" in 1 to 3], 8] on #grid>
#whole = #tapestry_index.layout<[5, 8] on #grid>

func.func @collective_c4_two_devices(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{dimension 0 of 'from' is not plain: its parts may overlap or leave gaps}}
  %r, %t = comm.collective_permute "A", %x from #two_devices to #whole axes ["d.0", "d.1"]
             : tensor<?x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#one_device = #tapestry_index.layout<[5 = [5] + 0 * [4 by "d.0" "d.1" in 1 to 2], 8] on #grid>
#whole = #tapestry_index.layout<[5, 8] on #grid>

func.func @collective_c7_one_device(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{is of kind collective_permute (120 elements), not all_gather}}
  %r, %t = comm.all_gather "A", %x from #one_device to #whole axes ["d.0", "d.1"]
             : tensor<?x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#whole = #tapestry_index.layout<[5, 8] on #grid>

func.func @collective_c5(%x: tensor<3x8xf32>) {
  // expected-error@+1 {{source has type 'tensor<3x8xf32>', but a part of 'from' has type 'tensor<?x8xf32>'}}
  %r, %t = comm.all_gather "A", %x from #rows to #whole axes ["d.0"]
             : tensor<3x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#a = #tapestry_index.layout<[8 by "d.0"] on #grid>
#none = #tapestry_index.layout<[8] on #grid>

func.func @collective_c5_static(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{source has type 'tensor<?x8xf32>', but a part of 'from' has type 'tensor<4xf32>'}}
  %r, %t = comm.all_gather "A", %x from #a to #none axes ["d.0"]
             : tensor<?x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#whole = #tapestry_index.layout<[5, 8] on #grid>

func.func @collective_c6(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{result has type 'tensor<?x8xf32>', but a part of 'to' has type 'tensor<5x8xf32>'}}
  %r, %t = comm.all_gather "A", %x from #rows to #whole axes ["d.0"]
             : tensor<?x8xf32> -> tensor<?x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#whole = #tapestry_index.layout<[5, 8] on #grid>

func.func @collective_c6_element(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{result has type 'tensor<5x8xf64>', but a part of 'to' has type 'tensor<5x8xf32>'}}
  %r, %t = comm.all_gather "A", %x from #rows to #whole axes ["d.0"]
             : tensor<?x8xf32> -> tensor<5x8xf64>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#columns = #tapestry_index.layout<[5, 8 by "d.0"] on #grid>

func.func @collective_c7_all_gather(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{is of kind all_to_all (40 elements), not all_gather}}
  %r, %t = comm.all_gather "A", %x from #rows to #columns axes ["d.0"]
             : tensor<?x8xf32> -> tensor<5x4xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#whole = #tapestry_index.layout<[5, 8] on #grid>

func.func @collective_c7_all_to_all(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{is of kind all_gather (80 elements), not all_to_all}}
  %r, %t = comm.all_to_all "A", %x from #rows to #whole axes ["d.0"]
             : tensor<?x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#columns = #tapestry_index.layout<[5, 8 by "d.0"] on #grid>
#whole = #tapestry_index.layout<[5, 8] on #grid>

func.func @collective_c7_slice(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{is of kind slice (0 elements), not all_to_all}}
  %r, %t = comm.all_to_all "A", %x from #whole to #columns axes ["d.0"]
             : tensor<5x8xf32> -> tensor<5x4xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>

func.func @collective_c7_none(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{is of kind none (0 elements), not all_gather}}
  %r, %t = comm.all_gather "A", %x from #rows to #rows axes ["d.0"]
             : tensor<?x8xf32> -> tensor<?x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#whole = #tapestry_index.layout<[5, 8] on #grid>

func.func @collective_c7_collective_permute(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{is of kind all_gather (80 elements), not collective_permute}}
  %r, %t = comm.collective_permute "A", %x from #rows to #whole axes ["d.0"]
             : tensor<?x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#columns = #tapestry_index.layout<[5, 8 by "d.0"] on #grid>

func.func @collective_c7_halo_exchange(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{is of kind all_to_all (40 elements), not halo_exchange}}
  %r, %t = comm.halo_exchange "A", %x from #rows to #columns axes ["d.0"]
             : tensor<?x8xf32> -> tensor<5x4xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @collective_c7_all_reduce(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{is of kind reduce_scatter (80 elements), not all_reduce}}
  %r, %t = comm.all_reduce "C" add %x from #partial to #rows axes ["d.0"]
             : tensor<5x8xf32> -> tensor<?x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#whole = #tapestry_index.layout<[5, 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @collective_c7_reduce_scatter(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{is of kind all_reduce (160 elements), not reduce_scatter}}
  %r, %t = comm.reduce_scatter "C" add %x from #partial to #whole axes ["d.0"]
             : tensor<5x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#whole = #tapestry_index.layout<[5, 8] on #grid>

func.func @collective_c7_not_partial(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{is of kind all_gather (80 elements), not all_reduce}}
  %r, %t = comm.all_reduce "C" add %x from #rows to #whole axes ["d.0"]
             : tensor<?x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#whole = #tapestry_index.layout<[5, 8] on #grid>

func.func @collective_c8(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{names the axes ["d.1"], but devices that differ on ["d.0"] talk to each other (2 per group)}}
  %r, %t = comm.all_gather "A", %x from #rows to #whole axes ["d.1"]
             : tensor<?x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#ab = #tapestry_index.layout<[8 by "d.0" "d.1"] on #grid>
#ba = #tapestry_index.layout<[8 by "d.1" "d.0"] on #grid>

func.func @collective_c8_order(%x: tensor<2xf32>) {
  // expected-error@+1 {{names the axes ["d.1", "d.0"], but devices that differ on ["d.0", "d.1"] talk to each other (4 per group)}}
  %r, %t = comm.collective_permute "A", %x from #ab to #ba axes ["d.1", "d.0"]
             : tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[34 by "d.0"] on #grid>
#above = #tapestry_index.layout<[34 = [34 by "d.0"] - 1] on #grid>
#rim = #tapestry_index.layout<[34 = 17 * [2 by "d.0"] - 1] on #grid>

func.func @collective_c6_rim(%x: tensor<17xf32>) {
  // expected-error@+1 {{result has type 'tensor<17xf32>', but a part of 'rim' has type 'tensor<?xf32>'}}
  %r, %t = comm.fetch_rim "A", %x from #rows to #above rim #rim axes ["d.0"]
             : tensor<17xf32> -> tensor<17xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[34 by "d.0"] on #grid>
#above = #tapestry_index.layout<[34 = [34 by "d.0"] - 1] on #grid>
#wide = #tapestry_index.layout<[34 = 17 * [2 by "d.0"] - 2 span 2] on #grid>

func.func @fetch_rim_c1(%x: tensor<17xf32>) {
  // expected-error@+1 {{fetches #tapestry_index.layout<[34 = 17 * [2 by "d.0"] - 2 span 2] on #tapestry_index.grid<"d.0" = 2>>, but what is lacking beside the parts is #tapestry_index.layout<[34 = 17 * [2 by "d.0"] - 1] on #tapestry_index.grid<"d.0" = 2>>}}
  %r, %t = comm.fetch_rim "A", %x from #rows to #above rim #wide axes ["d.0"]
             : tensor<17xf32> -> tensor<?xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[34 by "d.0"] on #grid>
#halo = #tapestry_index.layout<[34 = [34 by "d.0"] - 1 span 3] on #grid>
#rim = #tapestry_index.layout<[34 = 17 * [2 by "d.0"] - 1] on #grid>

func.func @fetch_rim_c1_both_sides(%x: tensor<17xf32>) {
  // expected-error@+1 {{but what is lacking beside the parts is [#tapestry_index.layout<[34 = 17 * [2 by "d.0"] - 1] on #tapestry_index.grid<"d.0" = 2>>, #tapestry_index.layout<[34 = 17 * [2 by "d.0"] + 17] on #tapestry_index.grid<"d.0" = 2>>]}}
  %r, %t = comm.fetch_rim "A", %x from #rows to #halo rim #rim axes ["d.0"]
             : tensor<17xf32> -> tensor<?xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[34 by "d.0"] on #grid>
#half = #tapestry_index.layout<[34 = [17 by "d.0"] + 25] on #grid>
#rim = #tapestry_index.layout<[34 = 17 * [2 by "d.0"] - 1] on #grid>

func.func @fetch_rim_c1_uneven(%x: tensor<17xf32>) {
  // expected-error@+1 {{which does not lack the same strips beside each part}}
  %r, %t = comm.fetch_rim "A", %x from #rows to #half rim #rim axes ["d.0"]
             : tensor<17xf32> -> tensor<?xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[34 by "d.0"] on #grid>
#halo = #tapestry_index.layout<[34 = [34 by "d.0"] - 1 span 3] on #grid>
#above = #tapestry_index.layout<[34 = 17 * [2 by "d.0"] - 1] on #grid>
#below = #tapestry_index.layout<[34 = 17 * [2 by "d.0"] + 17] on #grid>

func.func @collective_c6_strips(%x: tensor<17xf32>) {
  // expected-error@+1 {{has 1 result beside its token for 2 layouts}}
  %r, %t = comm.fetch_rim "A", %x from #rows to #halo rim [#above, #below] axes ["d.0"]
             : tensor<17xf32> -> tensor<?xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#whole = #tapestry_index.layout<[5, 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @all_reduce_c1(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{combines by 'custom' with 0 combine regions, not 1}}
  %r, %t = comm.all_reduce "C" custom %x from #partial to #whole axes ["d.0"]
             : tensor<5x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#whole = #tapestry_index.layout<[5, 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @all_reduce_c1_needless(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{combines by 'max' with 1 combine regions, not 0}}
  %r, %t = comm.all_reduce "C" max %x from #partial to #whole axes ["d.0"] combine {
  ^bb0(%a: f32, %b: f32):
    comm.yield %b : f32
  }
             : tensor<5x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#whole = #tapestry_index.layout<[5, 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @all_reduce_c2_count(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{combine region takes 1 value, not 2}}
  %r, %t = comm.all_reduce "C" custom %x from #partial to #whole axes ["d.0"] combine {
  ^bb0(%b: f32):
    comm.yield %b : f32
  }
             : tensor<5x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#whole = #tapestry_index.layout<[5, 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @all_reduce_c2_type(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{combine region takes a value of type 'i32', but elements are of type 'f32'}}
  %r, %t = comm.all_reduce "C" custom %x from #partial to #whole axes ["d.0"] combine {
  ^bb0(%a: i32, %b: f32):
    comm.yield %b : f32
  }
             : tensor<5x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#whole = #tapestry_index.layout<[5, 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @all_reduce_c2_yield(%x: tensor<5x8xf32>) {
  %r, %t = comm.all_reduce "C" custom %x from #partial to #whole axes ["d.0"] combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.extf %b : f32 to f64
    // expected-error@+1 {{yields a value of type 'f64', but elements are of type 'f32'}}
    comm.yield %c : f64
  }
             : tensor<5x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#whole = #tapestry_index.layout<[5, 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @all_reduce_c2_terminator(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{combine region does not end in a 'comm.yield'}}
  %r, %t = comm.all_reduce "C" custom %x from #partial to #whole axes ["d.0"] combine {
  ^bb0(%a: f32, %b: f32):
    "test.end"(%b) : (f32) -> ()
  }
             : tensor<5x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#whole = #tapestry_index.layout<[5, 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @all_reduce_c2_effects(%x: tensor<5x8xf32>) {
  %r, %t = comm.all_reduce "C" custom %x from #partial to #whole axes ["d.0"] combine {
  ^bb0(%a: f32, %b: f32):
    // expected-error@+1 {{has side effects, which a combine region must not have}}
    "test.effect"() : () -> ()
    comm.yield %b : f32
  }
             : tensor<5x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#whole = #tapestry_index.layout<[5, 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @all_reduce_c3(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{combines by 'or', which does not combine elements of type 'f32'}}
  %r, %t = comm.all_reduce "C" or %x from #partial to #whole axes ["d.0"]
             : tensor<5x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#whole = #tapestry_index.layout<[5, 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @all_reduce_c3_none(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{combines by 'none', which does not combine elements of type 'f32'}}
  %r, %t = comm.all_reduce "C" none %x from #partial to #whole axes ["d.0"]
             : tensor<5x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @reduce_scatter_c1(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{combines by 'custom' with 0 combine regions, not 1}}
  %r, %t = comm.reduce_scatter "C" custom %x from #partial to #rows axes ["d.0"]
             : tensor<5x8xf32> -> tensor<?x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @reduce_scatter_c1_needless(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{combines by 'max' with 1 combine regions, not 0}}
  %r, %t = comm.reduce_scatter "C" max %x from #partial to #rows axes ["d.0"] combine {
  ^bb0(%a: f32, %b: f32):
    comm.yield %b : f32
  }
             : tensor<5x8xf32> -> tensor<?x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @reduce_scatter_c2_count(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{combine region takes 1 value, not 2}}
  %r, %t = comm.reduce_scatter "C" custom %x from #partial to #rows axes ["d.0"] combine {
  ^bb0(%b: f32):
    comm.yield %b : f32
  }
             : tensor<5x8xf32> -> tensor<?x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @reduce_scatter_c2_type(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{combine region takes a value of type 'i32', but elements are of type 'f32'}}
  %r, %t = comm.reduce_scatter "C" custom %x from #partial to #rows axes ["d.0"] combine {
  ^bb0(%a: i32, %b: f32):
    comm.yield %b : f32
  }
             : tensor<5x8xf32> -> tensor<?x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @reduce_scatter_c2_yield(%x: tensor<5x8xf32>) {
  %r, %t = comm.reduce_scatter "C" custom %x from #partial to #rows axes ["d.0"] combine {
  ^bb0(%a: f32, %b: f32):
    %c = arith.extf %b : f32 to f64
    // expected-error@+1 {{yields a value of type 'f64', but elements are of type 'f32'}}
    comm.yield %c : f64
  }
             : tensor<5x8xf32> -> tensor<?x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @reduce_scatter_c2_terminator(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{combine region does not end in a 'comm.yield'}}
  %r, %t = comm.reduce_scatter "C" custom %x from #partial to #rows axes ["d.0"] combine {
  ^bb0(%a: f32, %b: f32):
    "test.end"(%b) : (f32) -> ()
  }
             : tensor<5x8xf32> -> tensor<?x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @reduce_scatter_c2_effects(%x: tensor<5x8xf32>) {
  %r, %t = comm.reduce_scatter "C" custom %x from #partial to #rows axes ["d.0"] combine {
  ^bb0(%a: f32, %b: f32):
    // expected-error@+1 {{has side effects, which a combine region must not have}}
    "test.effect"() : () -> ()
    comm.yield %b : f32
  }
             : tensor<5x8xf32> -> tensor<?x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @reduce_scatter_c3(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{combines by 'or', which does not combine elements of type 'f32'}}
  %r, %t = comm.reduce_scatter "C" or %x from #partial to #rows axes ["d.0"]
             : tensor<5x8xf32> -> tensor<?x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#five_partial = #tapestry_index.layout<[5 by "d.0"] partial ["d.1"] on #grid>
#five_fine = #tapestry_index.layout<[5 by "d.0" "d.1"] on #grid>

func.func @reduce_scatter_c4(%x: tensor<?xf32>) {
  // expected-error@+1 {{the group of device 0 holds [0, 3), but its members' targets hold the point [3] 1 times, not 0}}
  %r, %t = comm.reduce_scatter "C" add %x from #five_partial to #five_fine axes ["d.1"]
             : tensor<?xf32> -> tensor<?xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#b = #tapestry_index.layout<[8 by "d.1"] on #grid>
#none_partial = #tapestry_index.layout<[8] partial ["d.0"] on #grid>

func.func @reduce_scatter_c4_twice(%x: tensor<8xf32>) {
  // expected-error@+1 {{the group of device 0 holds [0, 8), but its members' targets hold the point [0] 2 times, not 1}}
  %r, %t = comm.reduce_scatter "C" add %x from #none_partial to #b axes ["d.0"]
             : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#whole = #tapestry_index.layout<[5, 8] on #grid>

func.func @element_type(%x: tensor<?x8xi4>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of f64, f32, f16, bf16, i8, i16, i32, i64, i1, complex<f32> or complex<f64> values without an encoding, but got 'tensor<?x8xi4>'}}
  %r, %t = comm.all_gather "A", %x from #rows to #whole axes ["d.0"]
             : tensor<?x8xi4> -> tensor<5x8xi4>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#other = #tapestry_index.grid<"d.0" = 3>
#whole = #tapestry_index.layout<[5, 8] on #grid>
#other_rows = #tapestry_index.layout<[5 by "d.0", 8] on #other>

func.func @slice_c1(%x: tensor<5x8xf32>) {
  // expected-error-re@+1 {{moves from the grid {{.*}} of 4 devices to the grid {{.*}} of 3}}
  %r = comm.slice "A", %x from #whole to #other_rows : tensor<5x8xf32> -> tensor<?x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#whole = #tapestry_index.layout<[5, 8] on #grid>
#larger = #tapestry_index.layout<[5, 9] on #grid>

func.func @slice_c2(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{turns a layout of a tensor of shape [5, 8] into one of shape [5, 9]}}
  %r = comm.slice "A", %x from #whole to #larger : tensor<5x8xf32> -> tensor<5x9xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>
#partial1 = #tapestry_index.layout<[5, 8] partial ["d.1"] on #grid>

func.func @slice_c3(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{turns values that are partial over ["d.0"] into values that are partial over ["d.1"]}}
  %r = comm.slice "A", %x from #partial to #partial1 : tensor<5x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#whole = #tapestry_index.layout<[5, 8] on #grid>

func.func @slice_c4(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{device 0 holds [0, 3) x [0, 8) and cannot keep [0, 5) x [0, 8) of it}}
  %r = comm.slice "A", %x from #rows to #whole : tensor<?x8xf32> -> tensor<5x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#whole = #tapestry_index.layout<[5, 8] on #grid>

func.func @slice_c5(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{source has type 'tensor<4x8xf32>', but a part of 'from' has type 'tensor<5x8xf32>'}}
  %r = comm.slice "A", %x from #whole to #rows : tensor<4x8xf32> -> tensor<?x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#whole = #tapestry_index.layout<[5, 8] on #grid>

func.func @slice_c6(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{result has type 'tensor<3x8xf32>', but a part of 'to' has type 'tensor<?x8xf32>'}}
  %r = comm.slice "A", %x from #whole to #rows : tensor<5x8xf32> -> tensor<3x8xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#whole = #tapestry_index.layout<[5, 8] on #grid>
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>

func.func @isolated(%x: tensor<5x8xf32>, %c: f32) {
  // expected-note@+1 {{required by region isolation constraints}}
  %r, %t = comm.all_reduce "C" custom %x from #partial to #whole axes ["d.0"] combine {
  ^bb0(%a: f32, %b: f32):
    // expected-error@+1 {{using value defined outside the region}}
    %d = arith.addf %a, %c : f32
    comm.yield %d : f32
  } : tensor<5x8xf32> -> tensor<5x8xf32>
  return
}

// -----

// expected-error@+1 {{has the attribute 'comm.grid', which is the grid of a function}}
func.func private @comm_c1_grid() attributes {comm.grid = 3}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
// expected-error@+1 {{has the attribute 'comm.grid', which is the grid of a function}}
module attributes {comm.grid = #grid} {}

// -----

// expected-error@+1 {{has the attribute 'comm.vertices', which lists dictionaries of 'name' and 'flops' on a function}}
func.func private @comm_c1_vertices() attributes {comm.vertices = 3}

// -----

// expected-error@+1 {{has the attribute 'comm.vertices', which lists dictionaries of 'name' and 'flops' on a function}}
func.func private @comm_c1_vertex() attributes {comm.vertices = [{name = "A"}]}

// -----

// expected-error@+1 {{has the attribute 'comm.vertices', which lists dictionaries of 'name' and 'flops' on a function}}
func.func private @comm_c1_flops() attributes {comm.vertices = [{name = "A", flops = 3 : i128}]}

// -----

// expected-error@+1 {{has the attribute 'comm.unread_inputs', which lists names of inputs on a function}}
func.func private @comm_c1_unread() attributes {comm.unread_inputs = [3]}

// -----

// expected-error@+1 {{has the attribute 'comm.programs', which lists the programs of a module}}
module attributes {comm.programs = {}} {}

// -----

// expected-error@+1 {{has the attribute 'comm.programs', which lists the programs of a module}}
func.func private @comm_c1_place() attributes {comm.programs = []}

// -----

// expected-error@+1 {{has the attribute 'comm.name', which is a string}}
func.func private @comm_c2_name(f32 {comm.name = 3})

// -----

// expected-error@+1 {{has the attribute 'comm.type', which is a type}}
func.func private @comm_c2_type() -> (f32 {comm.type = "f32"})

// -----

// expected-error@+1 {{has the attribute 'comm.layout', which is a layout}}
func.func private @comm_c2_layout(f32 {comm.layout = 3})

// -----

// expected-error@+1 {{has the attribute 'comm.layout', which the dialect 'comm' does not know there}}
func.func private @comm_c3_layout() attributes {comm.layout = 3}

// -----

// expected-error@+1 {{has the attribute 'comm.program', which the dialect 'comm' does not know there}}
module attributes {comm.program = {}} {}
