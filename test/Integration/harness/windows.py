"""A program whose windows a plan in seconds puts in phases: their taps are far apart."""

DILATED = """\
input A : f32[8, 32768]
input F : f32[8, 8, 3]
X[k, y] = sum[c, r] pad(A, 0)[c, y + 4096 * r - 4096] * F[k, c, r]
Y[k, y] = sum[c, r] pad(X, 0)[c, y + 4096 * r - 4096] * F[k, c, r]
Z[k, y] = sum[c, r] pad(Y, 0)[c, y + 4096 * r - 4096] * F[k, c, r]
output Z
"""
