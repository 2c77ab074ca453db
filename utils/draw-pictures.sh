#!/usr/bin/env bash
# Draws the pictures of README.md again, by build/bin/tapestry and Graphviz.
set -euo pipefail
cd "$(dirname "$0")/.."
tapestry=${TAPESTRY_BUILD:-build}/bin/tapestry
"$tapestry" plan docs/examples/chain.ein --devices 8 --svg docs/pictures/chain.svg
"$tapestry" plan docs/pictures/linear.ein --devices 2 --draw shards --svg docs/pictures/linear.svg
