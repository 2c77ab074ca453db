#!/usr/bin/python3
"""Prints a transformer of the LLaMA family as one .ein graph.

    llama.py [--layers 32] [--batch 8] [--sequence 1024] > llama7b.ein

Per layer: RMS norm, rotary factors, multi-head attention, gated feed-forward. The
defaults are the 7B model on 8 sequences of 1,024 tokens (weights 25 GB in f32): a
graph to plan, not to run on a small machine.
"""

import argparse

INPUTS = """\
input Wq{n} : f32[A, H, D]
input Wk{n} : f32[A, H, D]
input Wv{n} : f32[A, H, D]
input Rope{n} : f32[S, D]
input Wo{n} : f32[A, H, D]
input Gate1_{n} : f32[A]
input Gate2_{n} : f32[A]
input Wg{n} : f32[A, F]
input Wu{n} : f32[A, F]
input Wd{n} : f32[F, A]
"""

# Norms are written out, so that their sum of squares is a vertex of its own.
NORM = """\
{out}sq[b, s] = sum[a] {x}[b, s, a] ** 2
{out}sc[b, s, a] = {x}[b, s, a] * rsqrt({out}sq[b, s] / f32(A) + 0.00001)
{out}[b, s, a] = {out}sc[b, s, a] * {gate}[a]
"""

ATTENTION = """\
Q{n}[b, s, h, d] = sum[a] N1_{n}[b, s, a] * Wq{n}[a, h, d]
K{n}[b, t, h, d] = sum[a] N1_{n}[b, t, a] * Wk{n}[a, h, d]
V{n}[b, t, h, d] = sum[a] N1_{n}[b, t, a] * Wv{n}[a, h, d]
Qr{n}[b, s, h, d] = Q{n}[b, s, h, d] * Rope{n}[s, d]
Kr{n}[b, t, h, d] = K{n}[b, t, h, d] * Rope{n}[t, d]
T{n}[b, h, s, t] = sum[d] Qr{n}[b, s, h, d] * Kr{n}[b, t, h, d]
P{n}[b, h, s, t] = softmax[t] T{n}[b, h, s, t]
O{n}[b, s, h, d] = sum[t] P{n}[b, h, s, t] * V{n}[b, t, h, d]
Y{n}[b, s, a] = sum[h, d] O{n}[b, s, h, d] * Wo{n}[a, h, d]
R{n}[b, s, a] = X{n}[b, s, a] + Y{n}[b, s, a]
"""

FEED_FORWARD = """\
Ga{n}[b, s, f] = sum[a] N2_{n}[b, s, a] * Wg{n}[a, f]
Up{n}[b, s, f] = sum[a] N2_{n}[b, s, a] * Wu{n}[a, f]
Si{n}[b, s, f] = Ga{n}[b, s, f] * sigmoid(Ga{n}[b, s, f]) * Up{n}[b, s, f]
Dn{n}[b, s, a] = sum[f] Si{n}[b, s, f] * Wd{n}[f, a]
X{next}[b, s, a] = R{n}[b, s, a] + Dn{n}[b, s, a]
"""


def llama(layers=32, batch=8, sequence=1024, width=4096, heads=32, head=128, hidden=11008):
    """The text of the graph."""
    sizes = {"B": batch, "S": sequence, "A": width, "H": heads, "D": head, "F": hidden}
    text = [f"param {name} = {size}\n" for name, size in sizes.items()]
    text.append("input X0 : f32[B, S, A]\n")
    for n in range(layers):
        text.append(INPUTS.format(n=n))
        text.append(NORM.format(out=f"N1_{n}", x=f"X{n}", gate=f"Gate1_{n}"))
        text.append(ATTENTION.format(n=n))
        text.append(NORM.format(out=f"N2_{n}", x=f"R{n}", gate=f"Gate2_{n}"))
        text.append(FEED_FORWARD.format(n=n, next=n + 1))
    text.append(f"output X{layers}\n")
    return "".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=32)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--sequence", type=int, default=1024)
    options = parser.parse_args()
    print(llama(options.layers, options.batch, options.sequence), end="")


if __name__ == "__main__":
    main()
