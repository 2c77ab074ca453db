// RUN: tapestry-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// One function per constraint of blocks, named after its label.

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c1_count(%x: !x) {
  // expected-error@+1 {{has 1 label, but 2 extents}}
  %r = tra.block "S" ["i"] = [8, 5] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c1_name(%x: !x) {
  // expected-error@+1 {{label 'mod' is not an identifier}}
  %r = tra.block "S" ["mod"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c1_twice(%x: !x) {
  // expected-error@+1 {{label 'i' occurs twice}}
  %r = tra.block "S" ["i", "i"] = [8, 5] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c1_extent(%x: !x) {
  // expected-error@+1 {{label 'i' has extent -1, expected at least 0}}
  %r = tra.block "S" ["i"] = [-1] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c2_count(%x: !x) {
  // expected-error@+1 {{has 0 projections for 1 operand}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c2_operand(%x: !x) {
  // expected-error@+1 {{projection of operand 0 goes from 2 to 1 dimension, expected from 1 to 1}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0, d1) -> (d0)>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c2_result(%x: !x) {
  // expected-error@+1 {{projection of result 0 goes from 1 to 2 dimensions, expected from 1 to 1}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0, d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c3_count(%x: !x) {
  // expected-error@+1 {{has 0 pads for 1 operand}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads []
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c3_value(%x: !x) {
  // expected-error@+1 {{pad 0 is neither 'unit' nor a value}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [[]]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c3_type(%x: !x) {
  // expected-error@+1 {{pad 0 is of type 'f64', but its operand's elements are of type 'f32'}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f64]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c4(%x: !x) {
  // expected-error@+1 {{reads dimension 0 of operand 0 in [-1, 9), which leaves its bounds [0, 8) without a pad}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [unit]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c5_form(%x: !x) {
  // expected-error@+1 {{dimension 0 of result 0 has extent 8 and is neither written whole nor one label of that extent}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0 + 1)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c5_whole(%x: !x) {
  // expected-error@+1 {{dimension 0 of result 0 has extent 8 and is neither written whole nor one label of that extent}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (0), shape = [7]>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!t = !tra.relation<[3] / [2], f32, #tapestry_index.layout<[3 by "d.0"] on #grid>>

func.func @block_c5_quotient(%x: !x) {
  // expected-error@+1 {{dimension 0 of result 0 is label "i" divided by 3, but its blocks have 4 points}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!t) at [#tapestry_index.projection<(d0) -> (d0), floordivs = [3]>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<?xf32>
    tra.block_yield %p : tensor<?xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c6_rank(%x: !x) {
  // expected-error@+1 {{has a partition of 2 labels, but 1 label}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"], []]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c6_axis(%x: !x) {
  // expected-error@+1 {{axis "e"}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["e"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

func.func @block_c6_none() {
  // expected-error@+1 {{has 0 results, expected at least 1}}
  "tra.block"() <{vertex = "S", labels = ["i"], extents = array<i64: 8>, partition = #tapestry_index.partition<[[]]>, reads = [], pads = [], writes = []}> ({
  ^bb0(%lo: index, %hi: index):
    tra.block_yield
  }) : () -> ()
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>
#other = #tapestry_index.grid<"d.0" = 4>
!o = !tra.relation<[8] / [4], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #other>>

func.func @block_c6_grid(%x: !o) {
  // expected-error@+1 {{moves from the grid}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !o) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c7(%x: !x) {
  // expected-error@+1 {{operand 0 lies as}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0)>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>
!w = !tra.relation<[8] / [1], f32, #tapestry_index.layout<[8 = [8] - 1 span 3] on #grid>>

func.func @block_c8(%x: !w) {
  // expected-error@+1 {{result 0 lies as}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[[]]>
      reads(%x : !w) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c9_window(%x: !x) {
  // expected-error@+1 {{body takes ('tensor<4xf32>', 'index', 'index'), expected ('tensor<6xf32>', 'index', 'index')}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<4xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c9_bounds(%x: !x) {
  // expected-error@+1 {{body takes ('tensor<6xf32>', 'index'), expected ('tensor<6xf32>', 'index', 'index')}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c10(%x: !x) {
  // expected-error@+1 {{body yields ('tensor<6xf32>'), expected ('tensor<4xf32>')}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    tra.block_yield %w : tensor<6xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c10_end(%x: !x) {
  // expected-error@+1 {{body does not end in a 'tra.block_yield'}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    "test.end"() : () -> ()
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c11(%x: !x) {
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    // expected-error@+1 {{has side effects, which the body of a 'tra.block' must not have}}
    "test.effect"() : () -> ()
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[6] / [2], f32, #tapestry_index.layout<[6 = [8 by "d.0" in 0 to 6]] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c2_guards(%x: !x) {
  // expected-error@+1 {{has 2 guards for 1 operand}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0)>] guards [unit, unit] pads [unit]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<?xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[6] / [2], f32, #tapestry_index.layout<[6 = [8 by "d.0" in 0 to 6]] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c2_guard_kind(%x: !x) {
  // expected-error@+1 {{guard 0 is neither 'unit' nor a range: 6}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0)>] guards [6] pads [unit]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<?xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[6] / [2], f32, #tapestry_index.layout<[6 = [8 by "d.0" in 0 to 6]] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c2_guard_rank(%x: !x) {
  // expected-error@+1 {{guard 0 has 2 ranges for 1 label}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0)>] guards [#tapestry_index.range<0 to 6, 0 to 1>] pads [unit]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<?xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[6] / [2], f32, #tapestry_index.layout<[6 = [8 by "d.0" in 0 to 6]] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c2_guard_range(%x: !x) {
  // expected-error@+1 {{guard 0 holds [0, 9) of label "i", which is [0, 8)}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0)>] guards [#tapestry_index.range<0 to 9>] pads [unit]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<?xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[6] / [2], f32, #tapestry_index.layout<[6 = [8 by "d.0" in 0 to 6]] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c4_guard(%x: !x) {
  // expected-error@+1 {{reads dimension 0 of operand 0 in [0, 7), which leaves its bounds [0, 6) without a pad}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0)>] guards [#tapestry_index.range<0 to 7>] pads [unit]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<?xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[6] / [2], f32, #tapestry_index.layout<[6 = [8 by "d.0" in 0 to 6]] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c7_guard(%x: !x) {
  // expected-error@+1 {{but the partition}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0)>] guards [#tapestry_index.range<0 to 5>] pads [unit]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<?xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c1_overflow(%x: !x) {
  // expected-error@+1 {{label 'i' has extent 9223372036854775807, which is 2^62 or more}}
  %r = tra.block "S" ["i"] = [9223372036854775807] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c2_shape(%x: !x) {
  // expected-error@+1 {{dimension 0 of operand 0 is addressed by the shape 9223372036854775807 of stride 1, with which it reaches 2^62 or more}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0), shape = [9223372036854775807]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c2_stride(%x: !x) {
  // expected-error@+1 {{dimension 0 of operand 0 is addressed by the shape 3 of stride 9223372036854775807, with which it reaches 2^62 or more}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0), shape = [3], strides = [9223372036854775807]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c2_constant(%x: !x) {
  // expected-error@+1 {{dimension 0 of operand 0 is addressed by the constant -9223372036854775807, with which it reaches 2^62 or more}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 9223372036854775807)>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c2_coefficient(%x: !x) {
  // expected-error@+1 {{dimension 0 of operand 0 is addressed by the coefficient 4611686018427387905, with which it reaches 2^62 or more}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (4611686018427387905 * d0)>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c2_mod(%x: !x) {
  // expected-error@+1 {{dimension 0 of operand 0 is addressed by the mod 9223372036854775807, which is 2^62 or more}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0), mods = [9223372036854775807]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c2_floordiv(%x: !x) {
  // expected-error@+1 {{dimension 0 of operand 0 is addressed by the floordiv 9223372036854775807, which is 2^62 or more}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0), floordivs = [9223372036854775807]>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] - 1 span 3] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c2_guard_inverted(%x: !x) {
  // expected-error@+1 {{guard 0 goes from 9223372036854775807 down to -9223372036854775808 of label "i"}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>] guards [#tapestry_index.range<9223372036854775807 to -9223372036854775808>] pads [0.0 : f32]
      writes(!r) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<6xf32>, %lo: index, %hi: index):
    %p = tensor.empty() : tensor<4xf32>
    tra.block_yield %p : tensor<4xf32>
  }
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

func.func @block_c3_else(%x: !x) {
  // expected-error@+1 {{has "else" as a pad, which only a join has}}
  %r = tra.block "S" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0)>] pads ["else"]
      writes(!x) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%w: tensor<4xf32>, %lo: index, %hi: index):
    tra.block_yield %w : tensor<4xf32>
  }
  return
}
