#!/usr/bin/env bash
# Starts a new pass: its entry in Passes.td, its source, its test.
#   utils/new-pass.sh Dialect/Tapestry/Transforms FuseChains tapestry-fuse-chains
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -ne 3 ]; then
  echo "usage: utils/new-pass.sh ROOM PassName pass-argument" >&2
  exit 2
fi
room=$1 name=$2 argument=$3
case $argument in tapestry-*) ;; *)
  echo "new-pass.sh: error: passes are named tapestry-..., not '$argument'" >&2
  exit 2 ;;
esac
# Conversion/TRAToComm is declared with all conversions.
declared=$room
[ -f "$root/include/tapestry/$declared/Passes.td" ] || declared=$(dirname "$room")
passes=$root/include/tapestry/$declared/Passes.td
[ -d "$root/lib/$room/Transforms" ] && room=$room/Transforms
source=$root/lib/$room/$name.cpp
build=$root/lib/$room/CMakeLists.txt
if ! grep -q '\.cpp$' "$build" 2>/dev/null; then
  echo "new-pass.sh: error: lib/$room has no sources; name the folder that has" >&2
  exit 1
fi
test=$root/test/$room/$argument.mlir
for file in "$passes" "$build"; do
  [ -f "$file" ] || { echo "new-pass.sh: error: no $file" >&2; exit 1; }
done
for file in "$source" "$test"; do
  [ ! -e "$file" ] || { echo "new-pass.sh: error: $file exists" >&2; exit 1; }
done
# The namespace that the room's other passes are generated in.
namespace=$(sed -nE 's/^namespace ([a-z:]+) \{.*/\1/p' "${passes%.td}.h" |
  grep -v mlir | tail -n 1)

entry="def $name : Pass<\"$argument\"> {
  let summary = \"One line\";
  let description = [{
    What it does, with IR before and after.
  }];
}

"
awk -v entry="$entry" '/^#endif/ && !done {printf "%s", entry; done = 1} {print}' \
  "$passes" >"$passes.new" && mv "$passes.new" "$passes"

mkdir -p "$(dirname "$test")"
cat >"$source" <<EOF
//===- $name.cpp - One line ---===//

#include "tapestry/$declared/Passes.h"

namespace ${namespace:-tapestry} {
#define GEN_PASS_DEF_$(echo "$name" | tr '[:lower:]' '[:upper:]')
#include "tapestry/$declared/Passes.h.inc"
} // namespace ${namespace:-tapestry}

using namespace mlir;

namespace {
struct $name : ${namespace:-tapestry}::impl::${name}Base<$name> {
  void runOnOperation() override {}
};
} // namespace
EOF
sed -i "0,/^  [A-Za-z]*\.cpp/s//  $name.cpp\n&/" "$build"
cat >"$test" <<EOF
// RUN: tapestry-opt %s --$argument | FileCheck %s

// CHECK-LABEL: func.func @example
func.func @example() {
  return
}
EOF
echo "new: ${source#"$root"/} ${test#"$root"/}; edited: ${passes#"$root"/} ${build#"$root"/}"
