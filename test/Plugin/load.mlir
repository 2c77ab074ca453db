// A plug-in brings its dialect to every tool and its passes to tapestry-opt;
// both see the same operations and interfaces.

// RUN: tapestry-opt %s --load-plugin=%lib/TestPlugin.so --plugged-list-block-ops 2>&1 | FileCheck %s
// RUN: tapestry-opt %s --load-plugin %lib/TestPlugin.so --load-plugin=%lib/TestPlugin.so \
// RUN:   --pass-pipeline='builtin.module(plugged-list-block-ops)' 2>&1 | FileCheck %s
// RUN: not tapestry-opt %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// RUN: tapestry plan %s --load-plugin=%lib/TestPlugin.so --devices 2 | FileCheck %s --check-prefix=PLAN
// RUN: not tapestry plan %s --devices 2 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// RUN: tapestry-translate --load-plugin=%lib/TestPlugin.so --help | FileCheck %s --check-prefix=HELP

// CHECK: remark: einsum Z
// CHECK: plugged.note
// UNKNOWN: unregistered dialect
// PLAN: Z
// HELP: --load-plugin=<X.so>
module {
  "plugged.note"() : () -> ()
  tapestry.graph @g {
    %A = tapestry.source "A" : tensor<8xf32>
    %Z = tapestry.einsum "Z" [i = 8] (%A[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<8xf32>) -> tensor<8xf32>
    tapestry.sink "Z", %Z : tensor<8xf32>
  }
}
