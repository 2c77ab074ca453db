#!/usr/bin/env bash
# Builds everything with assertions and without inlining in build-debug/ and runs the
# unit tests there: definitions that disagree between files show in no other build.
# Optimised otherwise, for the planner's tests are long.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -fno-inline"
cmake --build --preset debug
ctest --preset debug -E '^lit$'
