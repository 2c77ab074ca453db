"""A step of training, which is run again on what it gave."""

STEP = """\
input W : f32[13, 9]
input X : f32[21, 13]
P[b, o] = sum[f] X[b, f] * W[f, o]
Q[b, o] = tanh(P[b, o])
G[f, o] = sum[b] X[b, f] * Q[b, o]
Wn[f, o] = W[f, o] - 0.01 * G[f, o]
Norm = sum[f, o] Wn[f, o] ** 2
output Wn
output Norm
"""
