#!/usr/bin/env bash
# Installs what is missing, builds, and trains a classifier of handwritten digits on
# four ranks until it gets 95 % of the images right that it has not seen. Then shows
# how the training step was cut, the bytes that moved, and the same step under MPI.
# Leaves its files in build/demo (or $TAPESTRY_BUILD/demo). The status is not 0 if
# anything of this did not work.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${TAPESTRY_BUILD:-$root/build}
ranks=4
steps=10      # per round
rounds=20     # at most
goal=0.95
python=/usr/bin/python3
show="$python $root/utils/demo/show.py"
train=$root/docs/examples/digits-train.ein
test=$root/docs/examples/digits-test.ein

title() { printf '\n== %s\n' "$*"; }

title "Set-up and build"
"$root/utils/setup.sh" --demo
TAPESTRY_BUILD=$build "$root/utils/build.sh" tapestry
tapestry=$build/bin/tapestry

rm -rf "$build/demo"
mkdir -p "$build/demo"
cd "$build/demo"
$python "$root/utils/demo/export_digits.py" .
cp W1.npy W1.first.npy
cp W2.npy W2.first.npy

title "Training on $ranks ranks, $steps steps per round (docs/examples/digits-train.ein)"
accuracy=0
for ((round = 1; round <= rounds; round++)); do
  "$tapestry" run "$train" --devices $ranks \
    --repeat $steps --feed W1n=W1 --feed W2n=W2 \
    -i X=X.npy -i Y=Y.npy -i W1=W1.npy -i W2=W2.npy \
    -o W1n=W1.next.npy -o W2n=W2.next.npy -o Loss=Loss.npy --report train.json
  mv W1.next.npy W1.npy
  mv W2.next.npy W2.npy
  "$tapestry" run "$test" --devices $ranks \
    -i X=Xt.npy -i Y=Yt.npy -i W1=W1.npy -i W2=W2.npy -o Accuracy=Accuracy.npy
  accuracy=$($show value Accuracy.npy)
  printf '  after %3d steps: loss %s, test accuracy %s\n' \
    $((round * steps)) "$($show value Loss.npy)" "$accuracy"
  if awk "BEGIN { exit !($accuracy >= $goal) }"; then
    break
  fi
done
if ! awk "BEGIN { exit !($accuracy >= $goal) }"; then
  echo "demo.sh: error: test accuracy $accuracy after $((rounds * steps)) steps," \
    "expected $goal" >&2
  exit 1
fi

title "How the step is cut (tapestry plan digits-train.ein --devices $ranks --explain)"
"$tapestry" plan "$train" --devices $ranks --explain

title "Bytes that the plan predicts and that the ranks counted, $steps steps"
$show bytes train.json

title "The same step as a standalone program, on threads and under mpirun"
"$tapestry" compile "$train" --devices $ranks -o digits-train
inputs=(-i X=X.npy -i Y=Y.npy -i W1=W1.first.npy -i W2=W2.first.npy)
./digits-train "${inputs[@]}" -o W1n=W1.local.npy -o W2n=W2.local.npy
root_user=()
[ "$(id -u)" -eq 0 ] && root_user=(--allow-run-as-root)
OMPI_MCA_btl_vader_single_copy_mechanism=none mpirun "${root_user[@]}" --oversubscribe \
  -n $ranks ./digits-train --backend mpi "${inputs[@]}" \
  -o W1n=W1.mpi.npy -o W2n=W2.mpi.npy
$show compare W1.local.npy W1.mpi.npy
$show compare W2.local.npy W2.mpi.npy

printf '\nThe classifier gets %s of the test images right.\n' "$accuracy"
