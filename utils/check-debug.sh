#!/usr/bin/env bash
# Builds everything without optimisation in build-debug/ and runs the unit tests
# there: definitions that disagree between files show without inlining only.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset debug
cmake --build --preset debug
ctest --preset debug -E '^lit$'
