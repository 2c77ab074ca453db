"""Runs a tool where nothing but the programs of one folder is found.

    with_path.py FOLDER TOOL ARGUMENT ...

Prints what it says and its status.
"""

import os
import shutil
import subprocess
import sys

folder, tool, *arguments = sys.argv[1:]
finished = subprocess.run(
    [shutil.which(tool), *arguments], env={**os.environ, "PATH": folder}, stderr=subprocess.STDOUT
)
print("status", finished.returncode)
