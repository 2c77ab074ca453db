// RUN: split-file %s %t
// RUN: tapestry-opt %t/whole.mlir --pass-pipeline='builtin.module(tapestry.graph(tapestry-shard))' -o %t/sharded.mlir
// RUN: tapestry-opt %t/sharded.mlir --tapestry-verify-sharding=whole-file=%t/whole.mlir -o /dev/null

// Of what the whole graph orders nothing may be lost, shard by shard.

// DEFINE: %{sed} =
// DEFINE: %{verify} = sed %{sed} %t/sharded.mlir > %t/changed.mlir && not diff %t/sharded.mlir %t/changed.mlir && tapestry-opt %t/changed.mlir --tapestry-verify-sharding=whole-file=%t/whole.mlir -o /dev/null
// DEFINE: %{message} =
// DEFINE: %{refuse} = sed %{sed} %t/sharded.mlir > %t/changed.mlir && not tapestry-opt %t/changed.mlir --tapestry-verify-sharding=whole-file=%t/whole.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=%{message}

// A point that waits for nothing, or for one shard.
// REDEFINE: %{message} = OPERATOR
// REDEFINE: %{sed} = -e 's/sequence_point %%F : tensor<6xf32>/sequence_point none/'
// RUN: %{refuse}
// REDEFINE: %{message} = SHARD
// REDEFINE: %{sed} = -e 's/sequence_point %%F : tensor<6xf32>/sequence_point %%F.1 : tensor<3xf32>/'
// RUN: %{refuse}
// ... or for the other operator.
// REDEFINE: %{message} = OPERATOR
// REDEFINE: %{sed} = -e 's/sequence_point %%F :/sequence_point %%X :/'
// RUN: %{refuse}
// OPERATOR: changed.mlir:[[#]]:{{.*}}: error: 'D.1' need not follow 'F.1': in the whole graph 'F' happens before a sequence point that 'D' awaits
// OPERATOR: whole.mlir:[[#]]:{{.*}}: note: the sequence point
// SHARD: error: 'D.1' need not follow 'F.2': in the whole graph 'F' happens before

// What reads the tensor itself, and what reads none and is made before the point.
// REDEFINE: %{message} = OPERATOR
// REDEFINE: %{sed} = -e 's/ %%A \[/ %%X [/'
// RUN: %{refuse}
// REDEFINE: %{message} = LATER
// REDEFINE: %{sed} = -e 's/"D.2.0" %%A/"D.2.0" %%X/'
// RUN: %{refuse}
// LATER: error: 'D.2' need not follow 'F.1': in the whole graph 'F' happens before
// REDEFINE: %{message} = MADE
// REDEFINE: %{sed} = -e 's/tapestry.await "N" %%M after %%0/tapestry.await "N" %%M after %%last/' -e '/%%N = /i %%last = tapestry.sequence_point %%0 : !tapestry.point'
// RUN: %{refuse}
// MADE: error: 'M.1' need not follow 'F.1': in the whole graph 'F' happens before a sequence point that 'M' awaits

// Points of sinks and sources.
// REDEFINE: %{message} = SOURCE
// REDEFINE: %{sed} = -e 's/"B" after %%2/"B"/'
// RUN: %{refuse}
// REDEFINE: %{sed} = -e 's/sequence_point %%1 : !tapestry.point/sequence_point none/'
// RUN: %{refuse}
// SOURCE: error: source 'B' need not follow sink 'D': in the whole graph sink 'D' happens before a sequence point that source 'B' awaits
// REDEFINE: %{message} = SINK
// REDEFINE: %{sed} = -e 's/%%N after %%3/%%N/'
// RUN: %{refuse}
// REDEFINE: %{sed} = -e 's/sequence_point %%G, %%2 : tensor<6xf32>,/sequence_point %%2 :/'
// RUN: %{refuse}
// SINK: error: sink 'N' need not follow 'G.1': in the whole graph 'G' happens before a sequence point that sink 'N' awaits

// What is there for a point alone.
// REDEFINE: %{message} = ALIVE
// REDEFINE: %{sed} = -e '/%%4 = tapestry.sequence_point/d'
// RUN: %{refuse}
// ALIVE: error: 'K.1' is observed by no sink and no sequence point: in the whole graph one waits for 'K'
// ALIVE: whole.mlir:[[#]]:{{.*}}: note: the sequence point

// Several points for one, other ones, and more than that.
// REDEFINE: %{sed} = -e 's/ %%0 = .*/%%0 = tapestry.sequence_point %%F.1 : tensor<3xf32>\n%%p = tapestry.sequence_point %%F.2 : tensor<3xf32>/' -e 's/after %%0/after %%0, %%p/'
// RUN: %{verify}
// REDEFINE: %{sed} = -e 's/ %%2 = .*/%%p = tapestry.sequence_point %%1 : !tapestry.point\n%%B2 = tapestry.await "B2" %%X after %%p : tensor<6xf32>\n%%2 = tapestry.sequence_point %%B2 : tensor<6xf32>/'
// RUN: %{verify}
// REDEFINE: %{sed} = -e 's/sequence_point %%G, %%2 : tensor<6xf32>, !tapestry.point/sequence_point %%G : tensor<6xf32>/'
// RUN: %{verify}
// A shard of which only the slice awaits the point.
// REDEFINE: %{sed} = -e 's/ %%D.1.0 = .*/%%s = tapestry.slice "s" %%X [0] => [3] : (tensor<6xf32>) -> tensor<3xf32>\n%%D.1.0 = tapestry.await "a" %%s after %%0 : tensor<3xf32>/'
// RUN: %{verify}

// Of equal operators each shard is of one.
// RUN: tapestry-opt %t/equal.mlir --pass-pipeline='builtin.module(tapestry.graph(tapestry-shard))' -o %t/equal.sharded.mlir
// RUN: tapestry-opt %t/equal.sharded.mlir --tapestry-verify-sharding=whole-file=%t/equal.mlir -o /dev/null
// RUN: sed 's/sequence_point %%F :/sequence_point %%X :/' %t/equal.sharded.mlir > %t/equal.changed.mlir
// RUN: not tapestry-opt %t/equal.changed.mlir --tapestry-verify-sharding=whole-file=%t/equal.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=EQUAL
// EQUAL: error: 'S.1' need not follow 'F.1': in the whole graph 'F' happens before a sequence point that 'S' awaits

// In a loop.
// RUN: tapestry-opt %t/loop.mlir --pass-pipeline='builtin.module(tapestry.graph(tapestry-shard))' -o %t/loop.sharded.mlir
// RUN: tapestry-opt %t/loop.sharded.mlir --tapestry-verify-sharding=whole-file=%t/loop.mlir -o /dev/null
// RUN: sed 's/sequence_point %%t.F :/sequence_point %%arg0 :/' %t/loop.sharded.mlir > %t/loop.changed.mlir
// RUN: not tapestry-opt %t/loop.changed.mlir --tapestry-verify-sharding=whole-file=%t/loop.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: sed 's/, %%W after %%[0-9] :/, %%W :/' %t/loop.sharded.mlir > %t/loop.changed.mlir
// RUN: not tapestry-opt %t/loop.changed.mlir --tapestry-verify-sharding=whole-file=%t/loop.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=END
// LOOP: error: 't.S.1' need not follow 't.F.1': in the whole graph 't.F' happens before a sequence point that 't.S' awaits
// END: error: sink 'W' need not follow loop 't': in the whole graph loop 't' happens before a sequence point that sink 'W' awaits

//--- whole.mlir
#grid = #tapestry_index.grid<"d.0" = 2>
#cut = #tapestry_index.partition<[["d.0"]]>
#first = #tapestry.kernel<"first" [i] (X : f32[i]) -> (Y : f32[i])>
#later = #tapestry.kernel<"later" [i] (X : f32[i]) -> (Y : f32[i])>
#made = #tapestry.kernel<"made" [i] () -> (Y : f32[i])>
tapestry.graph @whole on #grid {
  %X = tapestry.source "X" : tensor<6xf32>
  %F = tapestry.block "F" #first [i = 6] (%X) {} : (tensor<6xf32>) -> tensor<6xf32> partition #cut
  %p = tapestry.sequence_point %F : tensor<6xf32>
  %A = tapestry.await "A" %X after %p : tensor<6xf32>
  %D = tapestry.block "D" #later [i = 6] (%A) {} : (tensor<6xf32>) -> tensor<6xf32> partition #cut
  %M = tapestry.block "M" #made [i = 6] () {} : () -> tensor<6xf32> partition #cut
  %N = tapestry.await "N" %M after %p : tensor<6xf32>
  %done = tapestry.sink "D", %D : tensor<6xf32> -> !tapestry.point
  %q = tapestry.sequence_point %done : !tapestry.point
  %B = tapestry.source "B" after %q : tensor<6xf32>
  %G = tapestry.block "G" #first [i = 6] (%B) {} : (tensor<6xf32>) -> tensor<6xf32> partition #cut
  %r = tapestry.sequence_point %G, %q : tensor<6xf32>, !tapestry.point
  tapestry.sink "N", %N after %r : tensor<6xf32>
  %K = tapestry.block "K" #later [i = 6] (%B) {} : (tensor<6xf32>) -> tensor<6xf32> partition #cut
  %last = tapestry.sequence_point %K : tensor<6xf32>
}

//--- equal.mlir
#grid = #tapestry_index.grid<"d.0" = 2>
#cut = #tapestry_index.partition<[["d.0"]]>
#call = #tapestry.kernel<"call" [i] (X : f32[i]) -> (Y : f32[i])>
tapestry.graph @equal on #grid {
  %X = tapestry.source "X" : tensor<6xf32>
  %F = tapestry.block "F" #call [i = 6] (%X) {} : (tensor<6xf32>) -> tensor<6xf32> partition #cut
  %p = tapestry.sequence_point %F : tensor<6xf32>
  %A = tapestry.await "A" %X after %p : tensor<6xf32>
  %S = tapestry.block "S" #call [i = 6] (%A) {} : (tensor<6xf32>) -> tensor<6xf32> partition #cut
  tapestry.sink "S", %S : tensor<6xf32>
  tapestry.sink "F", %F : tensor<6xf32>
}

//--- loop.mlir
#grid = #tapestry_index.grid<"d.0" = 2>
#cut = #tapestry_index.partition<[["d.0"]]>
#first = #tapestry.kernel<"first" [i] (X : f32[i]) -> (Y : f32[i])>
#later = #tapestry.kernel<"later" [i] (X : f32[i]) -> (Y : f32[i])>
tapestry.graph @loop on #grid {
  %X = tapestry.source "X" : tensor<6xf32>
  %W = tapestry.source "W" : tensor<6xf32>
  %I = tapestry.block "I" #first [i = 6] (%X) {} : (tensor<6xf32>) -> tensor<6xf32> partition #cut
  %Y = tapestry.loop "t" 3 from %I : tensor<6xf32> {
  ^bb0(%y: tensor<6xf32>):
    %F = tapestry.block "t.F" #first [i = 6] (%y) {} : (tensor<6xf32>) -> tensor<6xf32> partition #cut
    %p = tapestry.sequence_point %F : tensor<6xf32>
    %A = tapestry.await "t.A" %y after %p : tensor<6xf32>
    %S = tapestry.block "t.S" #later [i = 6] (%A) {} : (tensor<6xf32>) -> tensor<6xf32> partition #cut
    tapestry.next %S : tensor<6xf32>
  }
  %q = tapestry.sequence_point %Y : tensor<6xf32>
  tapestry.sink "W", %W after %q : tensor<6xf32>
}
