#!/bin/sh
# Runs what utils/bench/gpu.sh has put beside this file on the GPU of this machine: the
# values of some programs, then times, a line each:
#
#   NAME SECONDS what that is  RATIO of what
#
#   run.sh [SECONDS]   begins nothing after so many (420), and no values after half of them;
#                      ends a minute later at most; files go to $TMPDIR, 600 MiB
#
# Programs are compared with what the machine does without them (tool probe): the product, by
# cuBLASLt (matmul) and by our kernel (generated), with cuBLAS where it is there, else with as many multiply-adds as the GPU can begin; the other
# products with two operations a term at that rate; rows with a copy within the GPU's memory;
# launches with those of a kernel that does nothing. The status is 1 where a value is wrong.
here=$(cd "$(dirname "$0")" && pwd)
limit=${1:-420}
begin=$(date +%s)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$here/lib:${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/local/cuda/lib64"
. "$here/extents"
isLate() { [ $(($(date +%s) - begin)) -ge "$1" ]; }

# values FOLDER OPTIONS: runs a program and compares; status 3 where the machine is not able.
values() {
  folder=$1
  shift
  cp "$folder"/*.npy "$work"
  (
    cd "$work" || exit 1
    # A word per line, none with spaces.
    timeout 60 "$folder/run" "$@" $(cat "$folder/words") >log 2>&1 || {
      status=$?
      tail -n 3 log
      exit $status
    }
    wrong=0
    while read -r got want tolerance type; do
      "$here/tool" compare "$got" "$want" "$tolerance" "$type" || wrong=1
    done <"$folder/list"
    exit $wrong
  )
  status=$?
  rm -f "$work"/*.npy
  return $status
}

# Values
passed=0 failed=0 left=0
for folder in "$here"/values/*; do
  if isLate $((limit / 2)); then
    left=$((left + 1))
  elif values "$folder" --share-devices; then
    passed=$((passed + 1))
  else
    echo "FAILED: $(basename "$folder")"
    failed=$((failed + 1))
  fi
done
echo "values: $passed passed, $failed failed, $left not begun"

# NCCL, by one rank; by several where each has a GPU.
timeout 60 "$here/nccl" "$here/lib" || [ $? -eq 3 ] || failed=$((failed + 1))
for folder in "$here"/values/*-[2-9]; do
  if ! isLate $((limit / 2)); then
    values "$folder" --collectives nccl >"$work/said"
    case $? in
    0) echo "nccl: $(basename "$folder") is right" ;;
    3) echo "nccl: $(basename "$folder") is not for this machine" ;;
    *)
      cat "$work/said"
      echo "FAILED: $(basename "$folder") by nccl"
      failed=$((failed + 1))
      ;;
    esac
  fi
done

# Times
timeout 60 "$here/tool" probe "$n" >"$work/probe" || exit 3
measured() { sed -n "s/^$1 //p" "$work/probe"; }
echo "gpu: $(measured gpu)"
(cd "$work" && timeout 60 "$here/timed/files" -q $(for f in A B S T W X0; do echo "-o $f=$f.npy"; done)) || exit 3

# workload NAME INPUTS AMOUNT UNIT BASE WHAT: the least time of a run; AMOUNT of UNIT in it;
# and BASE, the seconds that WHAT takes, as a part of it.
workload() {
  if isLate "$limit"; then
    echo "$1: not begun"
    return
  fi
  words=$(for f in $2; do echo "-i $f=$f.npy"; done)
  if ! (cd "$work" && timeout 60 "$here/timed/$1" -q $words --repeat 10 --report "$1.json" >log 2>&1); then
    echo "$1: failed: $(tail -n 1 "$work/log")"
    failed=$((failed + 1))
    return
  fi
  seconds=$(sed -n 's/.*"run_seconds": {"min": \([^,]*\),.*/\1/p' "$work/$1.json")
  awk -v name="$1" -v s="$seconds" -v amount="$3" -v unit="$4" -v base="$5" -v what="$6" 'BEGIN {
    printf "%-9s %.6g s  %.4g %s", name, s, amount / s, unit
    if (base > 0) printf "  ratio %.3f of %s\n", base / s, what; else printf "  ratio - of %s\n", what }'
}
calc() { awk "BEGIN { printf(\"%.9g\", ($1)) }"; }
peak=$(measured peak_flops) copy=$(measured copy_rate) sgemm=$(measured sgemm_time)
over() { calc "($2) > 0 ? ($1) / ($2) : 0"; }
for name in matmul generated; do
  if [ "$(calc "$sgemm > 0")" = 1 ]; then
    workload $name "A B" "$(calc "2e-12 * $n ^ 3")" TFLOP/s "$sgemm" cuBLAS
  else
    workload $name "A B" "$(calc "2e-12 * $n ^ 3")" TFLOP/s "$(over "2 * $n ^ 3" "$peak")" "the peak"
  fi
done
for name in maxplus l2; do
  workload $name "S T" "$(calc "1e-12 * $h ^ 3")" Tterms/s "$(over "4 * $h ^ 3" "$peak")" "two operations a term"
done
for name in softmax rmsnorm scale; do
  workload $name A "$(calc "8e-9 * $n * $n")" GB/s "$(over "8 * $n * $n" "$copy")" "a copy in the device's memory"
done
workload launches "W X0" "$(calc "$passes")" passes/s "$(calc "$passes * $(measured launch_time)")" "a launch a pass"
echo "$(($(date +%s) - begin)) s"
[ "$failed" -eq 0 ]
