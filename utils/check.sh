#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests and checks.
#   --tidy      also clang-tidy on what changed last
#   --debug     also a build with assertions and without inlining in build-debug/, with
#               its unit tests: definitions that disagree between files show only there
#   --stub      also all programs of the value suite and a thousand random ones as programs for
#               GPUs, on the driver of the tests (some hours)
#   --sanitize  also builds with sanitizers in build-asan/ and build-tsan/, with their
#               unit tests, the libFuzzer targets and random inputs
# The last line is `N passed, N failed, N skipped`; the status is 0 if none failed.
set -uo pipefail
tidy=false debug=false sanitize=false stub=false
for option in "$@"; do
  case $option in
  --tidy) tidy=true ;;
  --debug) debug=true ;;
  --sanitize) sanitize=true ;;
  --stub) stub=true ;;
  *)
    echo "check.sh: error: unknown option '$option'; there are --tidy, --debug, --stub and --sanitize" >&2
    exit 2
    ;;
  esac
done
root=$(cd "$(dirname "$0")/.." && pwd)
build=${TAPESTRY_BUILD:-$root/build}
export TAPESTRY_BUILD=$build
passed=0 failed=0 skipped=0

check() { # check NAME COMMAND...: one check that passes or fails as a whole
  local name=$1
  shift
  if "$@"; then
    echo "PASS: $name"
    passed=$((passed + 1))
  else
    echo "FAIL: $name"
    failed=$((failed + 1))
  fi
}

preset() { # preset NAME [CMAKE OPTION...]: builds a preset and runs its unit tests
  (cd "$root" && cmake --preset "$@" && cmake --build --preset "$1" &&
    ctest --preset "$1" -E '^lit$')
}

"$root/utils/setup.sh" || exit 3
$sanitize && { "$root/utils/setup.sh" --sanitize || exit 3; }
"$root/utils/build.sh" || exit 1

check "clang-format" "$root/utils/check-format.sh"
check "layering" /usr/bin/python3 "$root/utils/check-layering.py"
check "generated docs" "$root/utils/generate-docs.sh" --check

if $tidy; then
  check "clang-tidy" "$root/utils/check-tidy.sh"
fi
if $debug; then
  # Optimised otherwise, for the planner's tests are long.
  check "debug build and its unit tests" \
    preset debug "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -fno-inline"
fi
if $sanitize; then
  check "runtime under ThreadSanitizer" preset tsan
  check "all under AddressSanitizer and UndefinedBehaviorSanitizer" preset asan
fi

if $stub; then
  export PATH=$build/bin:$PATH
  check "values on the driver of the tests" /usr/bin/python3 \
    "$root/test/Integration/check_values.py" --program all --devices 1-8 --target cuda
  check "values by the NCCL of the tests" /usr/bin/python3 \
    "$root/test/Integration/check_values.py" --program all --devices 2-8 --target cuda --collectives nccl
  check "random programs on the driver of the tests" /usr/bin/python3 \
    "$root/utils/fuzz.py" --build "$build" --kinds stub --count 1000
  check "random programs as processes on the driver of the tests" /usr/bin/python3 \
    "$root/test/Integration/check_random.py" --seeds 0-99 --backend mpi --target cuda
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

/usr/lib/llvm-22/bin/lit -v -j "$(($(nproc) + 1))" "$build/test" 2>&1 | tee "$log"
count() { # count WORD: the number that lit's summary gives for WORD
  sed -nE "s/^ *$1 *: *([0-9]+).*/\1/p" "$log" | awk '{s += $1} END {print s + 0}'
}
lit_failed=$(($(count Failed) + $(count 'Unexpectedly Passed') +
  $(count 'Timed Out') + $(count Unresolved)))
passed=$((passed + $(count Passed) + $(count 'Expectedly Failed')))
skipped=$((skipped + $(count Unsupported) + $(count Skipped)))
failed=$((failed + lit_failed))
if [ "$(count Passed)" -eq 0 ]; then
  echo "FAIL: lit ran no test"
  failed=$((failed + 1))
fi

ctest --test-dir "$build" --output-on-failure -j "$(nproc)" -E "^lit$" 2>&1 | tee "$log"
total=$(sed -nE 's/.* tests failed out of ([0-9]+).*/\1/p' "$log")
ctest_failed=$(sed -nE 's/.* ([0-9]+) tests failed out of.*/\1/p' "$log")
passed=$((passed + ${total:-0} - ${ctest_failed:-0}))
failed=$((failed + ${ctest_failed:-0}))
if [ -z "$total" ]; then
  echo "FAIL: ctest ran no test"
  failed=$((failed + 1))
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
