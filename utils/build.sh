#!/usr/bin/env bash
# Configures and builds Tapestry in build/ (or $TAPESTRY_BUILD).
#   utils/build.sh [target ...]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${TAPESTRY_BUILD:-$root/build}
werror=OFF
[ "${CI:-}" = true ] && werror=ON
cmake -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release \
  -DTAPESTRY_WERROR=$werror
ninja -C "$build" "$@"
