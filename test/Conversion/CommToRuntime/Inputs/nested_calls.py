#!/usr/bin/python3
"""Prints a program whose functions call one another: nested_calls.py DEPTH."""

import sys

depth = int(sys.argv[1])
print(
    """module attributes {comm.programs = [{
    name = "n", devices = 1 : i64, entry = @tapestry_entry.n, vertices = [],
    inputs = [], outputs = [], collectives = []}]} {
  func.func private @f0(%n: index) attributes {tapestry.device} {
    %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    memref.dealloc %a : memref<?xf32>
    return
  }"""
)
for level in range(1, depth + 1):
    print(
        f"""  func.func private @f{level}(%n: index) attributes {{tapestry.device}} {{
    %c16 = arith.constant 16 : index
    %more = arith.addi %n, %c16 : index
    %a = memref.alloc(%c16) {{alignment = 64 : i64}} : memref<?xf32>
    call @f{level - 1}(%n) {{tapestry.device}} : (index) -> ()
    call @f{level - 1}(%more) {{tapestry.device}} : (index) -> ()
    memref.dealloc %a : memref<?xf32>
    return
  }}"""
    )
print(
    f"""  func.func @tapestry_entry.n(%rank: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr)
      attributes {{tapestry.device}} {{
    %c0 = arith.constant 0 : index
    call @f{depth}(%c0) {{tapestry.device}} : (index) -> ()
    return
  }}
}}"""
)
