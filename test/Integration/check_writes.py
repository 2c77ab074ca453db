#!/usr/bin/python3
"""An operator of a plug-in that writes regions: an offset, strides, two pieces.

    check_writes.py PLUGIN.so [--backend local|mpi]

`toy.weave` reads what was computed in blocks of rows and is cut over its columns,
which may leave devices without any; a reader takes its result in blocks of rows
again. Values are those of NumPy and of the reference, bit for bit, and what is
sent is what the devices lack, counted here.
"""

import numpy as np
from check_pieces import DEVICES, GRID, block, bytes_sent, check_cases, check_values, plan_pinned
from harness.driver import CheckFailed


class Case:
    """Two matrices woven; copies, steps, offset and stride are those of the op."""

    def __init__(self, rows, columns, copies, step, offset, stride):
        self.rows, self.columns, self.copies = rows, columns, copies
        self.step, self.offset, self.stride = step, offset, stride

    def program(self):
        rows, columns, written = self.rows, self.columns, self.written()
        source, result = f"tensor<{rows}x{columns}xf32>", f"tensor<{written}x{columns}xf32>"

        def double(name, of, extent, shape):
            return f"""\
  %{name} = tapestry.einsum "{name}" [i = {extent}, j = {columns}] (%{of}[i, j]) -> [i, j] {{
  ^bb0(%x: f32):
    %y = arith.addf %x, %x : f32
    tapestry.yield %y : f32
  }} : ({shape}) -> {shape}
"""

        return f"""\
tapestry.graph @writes {{
  %P0 = tapestry.source "P0" : {source}
  %Q0 = tapestry.source "Q0" : {source}
{double("P", "P0", rows, source)}{double("Q", "Q0", rows, source)}\
  %Y = toy.weave "Y", %P, %Q {{copies = {self.copies}, step = {self.step},
      offset = {self.offset}, stride = {self.stride}}}
      : {source}, {source} -> {result}
{double("Z", "Y", written, result)}\
  tapestry.sink "Y", %Y : {result}
  tapestry.sink "Z", %Z : {result}
}}
"""

    def written(self):
        return 2 * self.copies * self.rows

    def pins(self):
        in_rows = {"parts": {"i": DEVICES}, "home": [GRID, []]}
        vertices = [{"name": name, **in_rows} for name in "PQZ"]
        parts = {"row": 1, "column": DEVICES}
        vertices.append({"name": "Y", "parts": parts, "home": [[], GRID]})
        return {"tapestry_plan": 1, "devices": DEVICES, "vertices": vertices}

    def value(self, first, second):
        result = np.full((self.written(), self.columns), np.nan, np.float32)
        for row in range(self.rows):
            for copy in range(self.copies):
                at = self.step * row + copy * self.stride
                result[at] = first[row]
                result[at + self.offset] = second[row]
        return result

    def lacking(self, rows):
        """Bytes that devices lack to have all of some columns of so many rows,
        each a block of either; or the other way around."""
        cells = 0
        for device in range(DEVICES):
            wanted = len(block(self.columns, device))
            cells += wanted * (rows - len(block(rows, device)))
        return 4 * cells


CASES = [
    Case(7, 13, 2, 4, 1, 2),  # P0 Q0 P0 Q0 P1 ...: prime extents
    Case(11, 5, 2, 1, 11, 22),  # P, Q, P, Q: a device without columns
    Case(5, 6, 3, 1, 15, 5),  # P, P, P, Q, Q, Q: one without rows, too
    Case(13, 7, 2, 2, 1, 26),  # P0 Q0 P1 ... twice: step, offset and stride
    Case(6, 4, 1, 2, 1, 1),  # P0 Q0 P1 ...: one row per region
]


def check(folder, plugin, backend, number, case):
    random = np.random.default_rng(number)
    tensors = {
        name: random.standard_normal((case.rows, case.columns)).astype(np.float32)
        for name in ("P0", "Q0")
    }
    woven = case.value(*(2 * tensor for tensor in tensors.values()))
    wanted = {"Y": woven, "Z": 2 * woven}
    plan = plan_pinned(folder, plugin, case)
    for names, rows in (("P", case.rows), ("Q", case.rows), ("Y", case.written())):
        sent = bytes_sent(plan, names)
        if sent != case.lacking(rows):
            raise CheckFailed(f"{sent} bytes of {names} are sent, not {case.lacking(rows)}")
    check_values(folder, plugin, plan, backend, tensors, wanted)


if __name__ == "__main__":
    check_cases(CASES, check, "write regions")
