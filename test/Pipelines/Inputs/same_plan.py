"""Plans a program by the driver, by the pipeline and by the pass alone, with the
same options; prints the plan, or fails where the three differ.

  same_plan.py PROG.ein NAME=VALUE...
"""

import subprocess
import sys


def run(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command} ended with {done.returncode}: {done.stderr}")
    return done.stdout.strip()


program, options = sys.argv[1], sys.argv[2:]
graph = run(["tapestry-translate", "--ein-to-mlir", program])
driver = run(
    ["tapestry", "plan", program, "--stop-after=plan"] + ["--" + o for o in options]
)
pipelines = {
    "the pipeline": "tapestry-plan-pipeline{%s}",
    "the pass": "tapestry-prune,tapestry.graph(tapestry-partition{%s})",
}
for name, pipeline in pipelines.items():
    if any(o.startswith("order=") for o in options) and name == "the pass":
        continue  # is a pass of its own
    text = f"builtin.module({pipeline % ' '.join(options)})"
    if run(["tapestry-opt", f"--pass-pipeline={text}"], graph) != driver:
        sys.exit(f"{name} plans otherwise than the driver with {options}")
print(driver)
