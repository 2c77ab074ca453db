#!/usr/bin/env bash
# Checks that all C++ sources are formatted; --fix formats them.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(--dry-run -Werror)
[ "${1:-}" = --fix ] && mode=(-i)
git ls-files '*.h' '*.cpp' | xargs clang-format-22 "${mode[@]}"
