"""Prints a graph of so many dilated windows in a row."""

import sys

count = int(sys.argv[1])
extent = 4 * count + 10
print("tapestry.graph @chain {")
print('  %F = tapestry.source "F" : tensor<3xf32>')
print(f'  %Y0 = tapestry.source "Y0" : tensor<{extent}xf32>')
for k in range(1, count + 1):
    made = extent - 4
    print(
        f'  %Y{k} = tapestry.einsum "Y{k}" [y = {made}, r = 3] '
        f"(%Y{k - 1}[y + 2 * r], %F[r]) -> [y] reduce add {{\n"
        "  ^bb0(%x: f32, %f: f32):\n"
        "    %m = arith.mulf %x, %f : f32\n"
        "    tapestry.yield %m : f32\n"
        f"  }} : (tensor<{extent}xf32>, tensor<3xf32>) -> tensor<{made}xf32>"
    )
    extent = made
print(f'  tapestry.sink "Y", %Y{count} : tensor<{extent}xf32>\n}}')
