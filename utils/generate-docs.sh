#!/usr/bin/env bash
# Generates the reference of dialects and passes from TableGen into docs/.
# --check only compares, and fails where the files in docs/ are out of date.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tblgen=/usr/lib/llvm-22/bin/mlir-tblgen
include=("-I$root/include" -I/usr/lib/llvm-22/include)

target=$root/docs
if [ "${1:-}" = --check ]; then
  target=$(mktemp -d)
  trap 'rm -rf "$target"' EXIT
fi
mkdir -p "$target/Dialects" "$target/Passes"

dialect() { # dialect NAME OPS.td: attributes, types and operations
  "$tblgen" -gen-dialect-doc -dialect="$1" "${include[@]}" \
    "$root/include/tapestry/$2" >"$target/Dialects/$1.md"
}
passes() { # passes NAME PASSES.td
  {
    echo "# $1"
    echo
    "$tblgen" -gen-pass-doc "${include[@]}" "$root/include/tapestry/$2"
  } >"$target/Passes/$3.md"
}

dialect tapestry Dialect/Tapestry/IR/TapestryAll.td
dialect tapestry_index Dialect/Index/IR/IndexAll.td
dialect tra Dialect/TRA/IR/TRAAll.td
dialect comm Dialect/Comm/IR/CommAll.td
passes "Passes of the dialect tapestry" Dialect/Tapestry/Transforms/Passes.td Tapestry
passes "Passes of the dialect tapestry_index" Dialect/Index/Transforms/Passes.td Index
passes "Passes of the dialect tra" Dialect/TRA/Transforms/Passes.td TRA
passes "Conversions" Conversion/Passes.td Conversion
passes "Code that targets share" Codegen/Common/Passes.td Codegen
passes "Code for CPUs" Codegen/CPU/Passes.td CodegenCPU
passes "Code for GPUs" Codegen/GPU/Passes.td CodegenGPU

if [ "${1:-}" = --check ]; then
  if ! diff -ru "$root/docs/Dialects" "$target/Dialects" ||
    ! diff -ru "$root/docs/Passes" "$target/Passes"; then
    echo "docs/ is out of date: run utils/generate-docs.sh" >&2
    exit 1
  fi
fi
