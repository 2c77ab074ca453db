// What operators of a plug-in cannot ask, or do not say.

// RUN: split-file %s %t
// RUN: sh -c 'tapestry compile %t/opaque.mlir --load-plugin=%lib/ToyDialect.so --devices 2 --stop-after=relation 2>&1; echo status $?' | FileCheck %s --check-prefix=LOWER
// RUN: %python -c 'import numpy; numpy.save("%t/X.npy", numpy.zeros((8, 5), numpy.float32))'
// RUN: sh -c 'tapestry reference %t/opaque.mlir --load-plugin=%lib/ToyDialect.so -i X=%t/X.npy -o Y=%t/Y.npy 2>&1; echo status $?' | FileCheck %s --check-prefix=EVALUATE
// RUN: tapestry plan %t/devices.mlir --load-plugin=%lib/ToyDialect.so --devices 2
// RUN: not tapestry compile %t/devices.mlir --load-plugin=%lib/ToyDialect.so --devices 4 --stop-after=plan 2>&1 | FileCheck %s --check-prefix=DEVICES
// RUN: not tapestry-opt %t/devices.mlir --load-plugin=%lib/ToyDialect.so --tapestry-partition=devices=4 2>&1 | FileCheck %s --check-prefix=DEVICES
// RUN: tapestry plan %t/pinned.mlir --load-plugin=%lib/ToyDialect.so --devices 4 --json=%t/plan.json
// RUN: FileCheck %s --check-prefix=PINNED < %t/plan.json
// RUN: tapestry plan %t/second.mlir --load-plugin=%lib/ToyDialect.so --devices 4 --json=%t/plan.json
// RUN: FileCheck %s --check-prefixes=PAPER,SECOND < %t/plan.json
// RUN: tapestry plan %t/second.mlir --load-plugin=%lib/ToyDialect.so --devices 4 --cost spmd --json=%t/plan.json
// RUN: FileCheck %s --check-prefix=SECOND < %t/plan.json
// RUN: not tapestry-opt %t/label.mlir --load-plugin=%lib/ToyDialect.so 2>&1 | FileCheck %s --check-prefix=LABEL

//--- opaque.mlir
// LOWER: opaque.mlir:7:8: error: 'Y' has neither a scalar region nor a local part of its own to lower to
// LOWER: status 1
// EVALUATE: opaque.mlir:7:8: error: the reference evaluator does not know 'toy.opaque'
// EVALUATE: status 1
tapestry.graph @opaque {
  %X = tapestry.source "X" : tensor<8x5xf32>
  %Y = toy.opaque "Y", %X : tensor<8x5xf32> -> tensor<8x5xf32>
  tapestry.sink "Y", %Y : tensor<8x5xf32>
}

//--- devices.mlir
// DEVICES: devices.mlir{{"?}}:5:8{{.*}} error: {{.*}}shards of "Y": device 2 of 4 has one, but only devices 0, 1 may run it
// DEVICES-NOT: error:
tapestry.graph @devices {
  %X = tapestry.source "X" : tensor<8x5xf32>
  %Y = toy.roll "Y", %X {shift = 1, repeat = 1, devices = array<i64: 0, 1>} : tensor<8x5xf32> -> tensor<8x5xf32>
  tapestry.sink "Y", %Y : tensor<8x5xf32>
}

//--- pinned.mlir
// PINNED: "name": "Y",
// PINNED-NEXT: "parts": {
// PINNED-NEXT: "row": 2,
// PINNED-NEXT: "column": 2
tapestry.graph @pinned {
  %X = tapestry.source "X" : tensor<8x8xf32>
  %Y = toy.roll "Y", %X {shift = 1, repeat = 1, tapestry.constraints = [#tapestry.constraint<pin cut {row = 2 : i64}>]} : tensor<8x8xf32> -> tensor<8x8xf32>
  tapestry.sink "Y", %Y : tensor<8x8xf32>
}

//--- label.mlir
// LABEL: label.mlir{{"?}}:4:8{{.*}} error: 'toy.roll' op has a constraint on label 'entry', its labels are ["row", "column"]
tapestry.graph @label {
  %X = tapestry.source "X" : tensor<8x5xf32>
  %Y = toy.roll "Y", %X {shift = 1, repeat = 1, tapestry.constraints = [#tapestry.constraint<pin cut {entry = 2 : i64}>]} : tensor<8x5xf32> -> tensor<8x5xf32>
  tapestry.sink "Y", %Y : tensor<8x5xf32>
}

//--- second.mlir
// What is asked of a further result is no matter of the first's home; where both
// stay as they are cut, it decides the cut.
// PAPER: "name": "S"
// PAPER-NEXT: "parts": {
// PAPER-NEXT: "row": 2,
// SECOND: "name": "S#1"
// SECOND: "home": [
// SECOND-NEXT: [
// SECOND-NEXT: "d.{{[01]}}"
// SECOND-NEXT: ]
tapestry.graph @second {
  %X = tapestry.source "X" : tensor<8x5xf32>
  %E, %P = toy.median_stats "S", %X : tensor<8x5xf32> -> tensor<8xf32>, tensor<8xf32>
  tapestry.sink "E", %E : tensor<8xf32>
  tapestry.sink "P", %P {tapestry.constraints = [#tapestry.constraint<pin home {"0" = 2 : i64}>]} : tensor<8xf32>
}
