// The same numbers must come from folding, which uses the compiler's own
// arithmetic, and from the lowered code: the two share nothing.
// RUN: tapestry-opt %s --canonicalize | FileCheck %s
// RUN: tapestry-opt %s --tapestry-lower-index --canonicalize | FileCheck %s

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3, "d.2" = 2>

// CHECK-LABEL: func @apply
// CHECK-DAG: %[[N14:.*]] = arith.constant 14 : index
// CHECK-DAG: %[[NM6:.*]] = arith.constant -6 : index
// CHECK-DAG: %[[N9:.*]] = arith.constant 9 : index
// CHECK: return %[[N14]], %[[NM6]], %[[N9]]
func.func @apply() -> (index, index, index) {
  %c5 = arith.constant 5 : index
  %c3 = arith.constant 3 : index
  %0:3 = tapestry_index.apply #tapestry_index.projection<(d0, d1) -> (d0 + 4 * d1 - 3, -3 * d0 + 3 * d1, 9)>(%c5, %c3)
  return %0#0, %0#1, %0#2 : index, index, index
}

// Both round down: (5 - 12) floordiv 3 is -3, which mod 5 is 2.
// CHECK-LABEL: func @apply_around
// CHECK-DAG: %[[N2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[NM3:.*]] = arith.constant -3 : index
// CHECK: return %[[N2]], %[[NM3]]
func.func @apply_around() -> (index, index) {
  %c5 = arith.constant 5 : index
  %0:2 = tapestry_index.apply #tapestry_index.projection<(d0) -> (d0 - 12, d0 - 12), floordivs = [3, 3], mods = [5, 0]>(%c5)
  return %0#0, %0#1 : index, index
}

// Over [2, 7): rows 17 to 21 of 17, which is 0 to 4, and 15 to 19, all of them.
// CHECK-LABEL: func @image_around
// CHECK-DAG: %[[N0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[N5:.*]] = arith.constant 5 : index
// CHECK-DAG: %[[N17:.*]] = arith.constant 17 : index
// CHECK: return %[[N0]], %[[N5]], %[[N0]], %[[N17]]
func.func @image_around() -> (index, index, index, index) {
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %0:4 = tapestry_index.image #tapestry_index.projection<(d0) -> (d0 + 15, d0 + 13), mods = [17, 17]> of [%c2 to %c7]
  return %0#0, %0#1, %0#2, %0#3 : index, index, index, index
}

// Over [2, 7) x [1, 4): 2 i - j + 1 is in [2, 13), then three points 2 apart;
// the constant 4 has one point.
// CHECK-LABEL: func @image
// CHECK-DAG: %[[LO:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[HI:.*]] = arith.constant 17 : index
// CHECK-DAG: %[[N4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[N5:.*]] = arith.constant 5 : index
// CHECK: return %[[LO]], %[[HI]], %[[N4]], %[[N5]]
func.func @image() -> (index, index, index, index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %0:4 = tapestry_index.image #tapestry_index.projection<(d0, d1) -> (2 * d0 - d1 + 1, 4), shape = [3, 1], strides = [2, 1]> of [%c2 to %c7, %c1 to %c4]
  return %0#0, %0#1, %0#2, %0#3 : index, index, index, index
}

// CHECK-LABEL: func @image_of_empty
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: return %[[ZERO]], %[[ZERO]]
func.func @image_of_empty() -> (index, index) {
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %0:2 = tapestry_index.image #tapestry_index.projection<(d0, d1) -> (d0 + 5)> of [%c2 to %c7, %c7 to %c7]
  return %0#0, %0#1 : index, index
}

// CHECK-LABEL: func @boxes
// CHECK-DAG: %[[N4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[N7:.*]] = arith.constant 7 : index
// CHECK-DAG: %[[N11:.*]] = arith.constant 11 : index
// CHECK: return %[[N4]], %[[N7]], %[[N11]], %[[N7]]
func.func @boxes() -> (index, index, index, index) {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
  %0:2 = tapestry_index.intersect [%c2 to %c7], [%c4 to %c11]
  %1:2 = tapestry_index.intersect [%c11 to %c11], [%c2 to %c7]
  return %0#0, %0#1, %1#0, %1#1 : index, index, index, index
}

// Device 7 of 2 x 3 x 2 has coordinates (1, 0, 1): part 3 of 4 blocks of 25,
// part 1 of 6 blocks of 1, and 8 - [0, 3).
// CHECK-LABEL: func @part_of_7
// CHECK-DAG: %[[N75:.*]] = arith.constant 75 : index
// CHECK-DAG: %[[N97:.*]] = arith.constant 97 : index
// CHECK-DAG: %[[N1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[N2:.*]] = arith.constant 2 : index
// CHECK: return %[[N75]], %[[N97]], %[[N1]], %[[N2]]
func.func @part_of_7() -> (index, index, index, index) {
  %c7 = arith.constant 7 : index
  %0:4 = tapestry_index.part #tapestry_index.layout<[97 by "d.0" "d.2", 5 by "d.1"] on #grid> at %c7
  %1:2 = tapestry_index.part #tapestry_index.layout<[5 by "d.1" "d.0"] on #grid> at %c7
  return %0#0, %0#1, %1#0, %1#1 : index, index, index, index
}

// Device 11 has coordinates (1, 2, 1): part 5 of 6 blocks of 1 of 5 points is
// empty; 8 - [6, 7) is [2, 3).
// CHECK-LABEL: func @part_of_11
// CHECK-DAG: %[[N0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[N2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[N3:.*]] = arith.constant 3 : index
// CHECK: return %[[N0]], %[[N0]], %[[N2]], %[[N3]]
func.func @part_of_11() -> (index, index, index, index) {
  %c11 = arith.constant 11 : index
  %0:2 = tapestry_index.part #tapestry_index.layout<[5 by "d.1" "d.0"] on #grid> at %c11
  %1:2 = tapestry_index.part #tapestry_index.layout<[9 = -[7 by "d.1"] + 8] on #grid> at %c11
  return %0#0, %0#1, %1#0, %1#1 : index, index, index, index
}

// The window 2 y + r - 1 of device 0 reaches outside, which clipping takes away.
// CHECK-LABEL: func @window
// CHECK-DAG: %[[N0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[NM1:.*]] = arith.constant -1 : index
// CHECK-DAG: %[[N15:.*]] = arith.constant 15 : index
// CHECK-DAG: %[[N16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[N31:.*]] = arith.constant 31 : index
// CHECK-DAG: %[[N32:.*]] = arith.constant 32 : index
// CHECK: return %[[N0]], %[[N16]], %[[NM1]], %[[N16]], %[[N15]], %[[N31]], %[[N15]], %[[N32]]
func.func @window() -> (index, index, index, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %0:2 = tapestry_index.part #tapestry_index.layout<[31 = 2 * [16 by "d.0"] + [3] - 1] on #grid> at %c0
  %1:2 = tapestry_index.part #tapestry_index.layout<[31 = 2 * [16 by "d.0"] + [3] - 1] on #grid> at %c0 unclipped
  %2:2 = tapestry_index.part #tapestry_index.layout<[31 = 2 * [16 by "d.0"] + [3] - 1] on #grid> at %c7
  %3:2 = tapestry_index.part #tapestry_index.layout<[31 = 2 * [16 by "d.0"] + [3] - 1] on #grid> at %c7 unclipped
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#0, %3#1 : index, index, index, index, index, index, index, index
}
