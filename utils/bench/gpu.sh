#!/usr/bin/env bash
# Makes a folder (some 40 MiB) that measures programs for GPUs on a machine that has one,
# where no compiler is needed; none of this needs a GPU.
#
#   gpu.sh FOLDER [--tiny] [--gpu-arch sm_90]   then there: FOLDER/run.sh
#
# --tiny and --gpu-arch stub make one for the driver of the tests. TAPESTRY is the tool
# (the one on PATH, or that of build/).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
export TAPESTRY=${TAPESTRY:-$(command -v tapestry || echo "$root/build/bin/tapestry")}
if [ $# -eq 0 ] || [ -e "$1" ]; then
  echo "gpu.sh: error: say a folder that is not there yet" >&2
  exit 2
fi
folder=$1
mkdir -p "$folder"
cc -O2 -o "$folder/tool" "$root/utils/bench/gpu/tool.c" -ldl -lm
c++ -std=c++17 -O2 -I "$root/runtime/include" -o "$folder/nccl" "$root/utils/bench/gpu/nccl.cpp" -ldl
cp "$root/utils/bench/gpu/run.sh" "$folder/run.sh"
chmod +x "$folder/run.sh"
/usr/bin/python3 "$root/utils/bench/gpu/build.py" "$@"
du -sh "$folder"
