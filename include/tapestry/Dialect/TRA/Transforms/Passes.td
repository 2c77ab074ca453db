//===- Passes.td - Passes of tra ---------------------------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TRA_TRANSFORMS_PASSES_TD
#define TAPESTRY_DIALECT_TRA_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def DeferMaxima : Pass<"tapestry-defer-maxima", "::mlir::func::FuncOp"> {
  let summary = "Sum up relative to a device's own maxima";
  let description = [{
    Where x is cut along a label, exp(x - m) with the maximum m along that label
    waits for all devices, with a value for every x. Where only sums along the
    label are made of it, in as many steps as you like that are linear in it,
    every device takes the maximum of its own part instead, and multiplies its
    partial sums by exp(own maximum - m) before they are aggregated: the parts of
    (m, l, O) of attention are combined as those of blocks of columns on a device
    are. Factors and divisors that all columns have in common, and that are known
    only when the maximum is, are left to the sums. What is sent is the same.

    All that is computed with x then lies in one piece in front of the first
    aggregate, so that `tapestry-form-streams` finds it: of scores that nobody
    else reads only a block is ever there, however their columns are cut.

    Before:
    ```mlir
    %p = tra.join "M" [i = 64, t = 4096] by #by_t (%x[i, t]) -> [i] reduce max {...}
    %m = tra.aggregate "M" max %p : ...
    %e = tra.join "E" [i = 64, t = 4096] by #by_t (%x[i, t], %m[i]) -> [i, t] {
           // exp(x - m)
    }
    %q = tra.join "L" [i = 64, t = 4096] by #by_t (%e[i, t]) -> [i] reduce add {...}
    %l = tra.aggregate "L" add %q : ...
    ```
    After:
    ```mlir
    %p = tra.join "M" [i = 64, t = 4096] by #by_t (%x[i, t]) -> [i] reduce max {...}
    %e = tra.join "E" [i = 64, t = 4096] by #by_t (%x[i, t], %p[i]) -> [i, t] {
           // exp(x - p)
    }
    %q = tra.join "L" [i = 64, t = 4096] by #by_t (%e[i, t]) -> [i] reduce add {...}
    %m = tra.aggregate "M" max %p : ...
    %w = tra.join "M" [i = 64] by #whole (%p[i], %m[i]) -> [i] {
           // p == m ? 1 : exp(p - m)
    }
    %r = tra.join "L" [i = 64] by #whole (%q[i], %w[i], %p[i]) -> [i] {
           // w == 0 and (q is a number or p == -inf) ? 0 : q * w
    }
    %l = tra.aggregate "L" add %r : ...
    ```
    Infinities, too, come out as without the pass: where p is m, infinite or not,
    sums stay as they are; a device whose p is -inf below m has no part in them,
    whatever exp(-inf - -inf) gives; and of numbers whose weight is 0 nothing is
    left, even where their sum was too large for its type. Two things differ. What
    is left to the sums acts on them and not on their terms: where a sum is
    infinite, so is its quotient, and where the divisor is 0 or infinite, it meets
    a sum. And an infinite term whose weight is 0 only relative to m counts as 0,
    not as NaN.

    Left alone is what would not save work: sums with more elements than x has, and
    x of fewer than `least-bytes` on a device.
  }];
  let options = [
    Option<"leastBytes", "least-bytes", "int64_t", "1024 * 1024",
           "What a device has of x at least">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let statistics = [
    Statistic<"numDeferred", "deferred", "Maxima that sums no longer wait for">
  ];
}

#endif // TAPESTRY_DIALECT_TRA_TRANSFORMS_PASSES_TD
