#!/usr/bin/env bash
# Runs clang-tidy on the sources that changed most recently.
#   utils/check-tidy.sh [MOST]    at most MOST files (20), newest commits first
# Those are the ones that differ from origin/main; where none does (a clone of
# main), the ones of its last commits. Needs a configured build.
set -uo pipefail
cd "$(dirname "$0")/.."
most=${1:-20}
build=${TAPESTRY_BUILD:-build}
rooms=('lib/*.cpp' 'tools/*.cpp' 'runtime/*.cpp')
list() { git log --format= --name-only --diff-filter=AMR "$@" -- "${rooms[@]}"; }
base=$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)
files=$( (git diff --name-only --diff-filter=AMR -- "${rooms[@]}"; list "$base..HEAD") )
[ -n "$files" ] || files=$(list -n 50)

failed=0
count=0
for file in $(awk '!seen[$0]++' <<<"$files"); do
  # Only what this build compiles: plug-ins may be off, files may be gone.
  grep -qF "/$file\"" "$build/compile_commands.json" || continue
  [ -f "$file" ] || continue
  clang-tidy-22 --quiet -p "$build" "$file" 2>/dev/null || failed=1
  count=$((count + 1))
  [ "$count" -lt "$most" ] || break
done
echo "clang-tidy: $count files"
[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
