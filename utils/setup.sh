#!/usr/bin/env bash
# Installs what Tapestry needs to build, run and be tested on Debian 12.
# Does nothing where everything is there; --demo adds what utils/demo.sh needs,
# --sanitize what builds with sanitizers do.
set -euo pipefail

packages=(cmake ninja-build g++ clang-22 lld-22 ccache
  libmlir-22-dev llvm-22-dev llvm-22-tools mlir-22-tools
  libgtest-dev libbenchmark-dev openmpi-bin libopenmpi-dev
  clang-format-22 clang-tidy-22 python3 python3-numpy git graphviz
  # utils/accuracy.py
  python3-mpmath python3-gmpy2 python3-scipy)
[ "${1:-}" = --demo ] && packages+=(python3-sklearn)
[ "${1:-}" = --sanitize ] && packages+=(libclang-rt-22-dev)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
    grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "installing: ${missing[*]}"
sudo=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "setup.sh: error: root is needed to install: ${missing[*]}" >&2
    exit 3
  }
  sudo=sudo
fi
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
