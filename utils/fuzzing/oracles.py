"""What must hold of every command, whatever it is given.

A `Bench` runs the tools in a folder, under limits, and raises `Failure` where one
crashes, hangs, says too much or too little, or leaves something behind.
"""

import os
import pathlib
import re
import signal
import subprocess

from harness.driver import Finished, command_line

# The table of exit statuses; 4, a rank that failed, is no answer to bad input.
STATUSES = (0, 1, 2, 3)
MLIR_OPT = "/usr/lib/llvm-22/bin/mlir-opt"
MOST_MEMORY = 8 << 30
MOST_LINES = 20
MOST_COLUMNS = 2500
CRASHES = (
    "Stack dump",
    "Assertion",
    "UNREACHABLE",
    "terminate called",
    "LLVM ERROR",
    "PLEASE submit a bug report",
    "Sanitizer",
    "runtime error: ",
)
# Control characters but for tab and line end, and bytes that are no UTF-8.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udcff]")


class Failure(Exception):
    """An oracle does not hold. Failures of one signature have one cause, so far as
    can be told."""

    def __init__(self, signature, text):
        super().__init__(f"{signature}\n{text}")
        self.signature = signature


class Bench:
    """A folder with the files of a case, and the tools."""

    def __init__(self, tools, folder):
        self.tools = pathlib.Path(tools)
        self.folder = pathlib.Path(folder)
        self.commands = []  # all that ran, to repeat it by hand
        (self.folder / "tmp").mkdir(exist_ok=True)

    def write(self, name, contents):
        if isinstance(contents, str):
            contents = contents.encode("utf-8", "surrogateescape")
        (self.folder / name).write_bytes(contents)

    def seconds(self):
        """Of processor time. Our slowest algorithms are not linear, but inputs are small."""
        size = sum(p.stat().st_size for p in self.folder.iterdir() if p.is_file())
        return 60 + size // 2000

    def execute(self, words):
        seconds = self.seconds()
        limits = ["prlimit", f"--cpu={seconds}:{seconds + 5}", "--core=0"]
        # The address space of sanitizers is beyond every limit; they have their own.
        if "ASAN_OPTIONS" not in os.environ:
            limits.append(f"--as={MOST_MEMORY}")
        environment = {
            **os.environ,
            "TMPDIR": str(self.folder / "tmp"),
            "MALLOC_ARENA_MAX": "2",  # each arena takes address space
            "TAPESTRY_TIMEOUT": "20",
            "XDG_CACHE_HOME": "/dev/null",  # all is compiled
        }
        try:
            done = subprocess.run(
                [*limits, *words],
                cwd=self.folder,
                env=environment,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=20 * seconds,
            )
        except subprocess.TimeoutExpired:
            raise Failure(f"{words[0]}: hang", f"$ {command_line(words)}\nwaits for ever") from None
        text = [t.decode("utf-8", "surrogateescape") for t in (done.stdout, done.stderr)]
        return Finished(words, done.returncode, *text, cwd=str(self.folder))

    def run(self, tool, *words, writes=(), may_write=(), quiet=True):
        """Runs a tool, which may refuse with one clear message, or write these files;
        those of `may_write` also before it fails. `quiet`: it has nothing to say but
        errors."""
        words = [str(word) for word in words]
        self.commands.append([tool, *words])
        before = set(self.folder.rglob("*"))
        path = tool if tool.startswith("./") else str(self.tools / tool)
        finished = self.execute([path, *words])
        finished.command[0] = tool
        if is_upstreams(tool, finished):
            finished.status, finished.stderr = 1, "error: MLIR crashes by itself"
            for path in set(self.folder.rglob("*")) - before:  # what it was writing
                path.unlink()
        check_end(tool, finished)
        # What MLIR's own tools print of an operation may be of any length.
        if tool in ("tapestry-opt", "tapestry-translate"):
            if finished.status and "error: " not in finished.stderr.lower():
                fail(f"{tool}: no message", finished)
        else:
            check_message(tool, finished, quiet)
        wanted = {self.folder / name for name in writes} if finished.status == 0 else set()
        known = [self.folder / name for name in may_write]
        left = {
            path for path in set(self.folder.rglob("*")) - before - wanted
            if not any(path == folder or folder in path.parents for folder in known)
        }  # fmt: skip
        if left:
            names = ", ".join(sorted(str(p.relative_to(self.folder)) for p in left))
            fail(f"{tool}: left files", finished, f"left behind: {names}")
        return finished

    def expect(self, what, tool, *words, **options):
        """Runs a tool that must accept its input."""
        finished = self.run(tool, *words, **options)
        if finished.status != 0:
            fail(what, finished)
        return finished


def fail(signature, finished, *lines):
    raise Failure(signature, "\n".join([*lines, finished.describe()]))


def is_upstreams(tool, finished):
    """MLIR's own parsers and readers crash on some input; a crash is ours if any of
    our functions is under way but those that call MLIR's tool."""
    if tool != "tapestry-opt" or finished.status >= 0:
        return False
    frames = re.findall(r"^ *#\d.*", finished.stderr, re.MULTILINE)
    if not frames:  # a heap that is destroyed leaves none
        words = [MLIR_OPT, "--allow-unregistered-dialect", finished.command[1], "-o", "/dev/null"]
        return subprocess.run(words, cwd=finished.cwd, capture_output=True).returncode < 0
    callers = re.compile(r"\b(main|_start|runMLIRTool)\b")
    return not [frame for frame in frames if "tapestry" in frame and not callers.search(frame)]


def check_end(tool, finished):
    if finished.status < 0:
        name = signal.Signals(-finished.status).name
        if name in ("SIGXCPU", "SIGKILL"):
            fail(f"{tool}: hang", finished)
        fail(f"{tool}: {name}{crash_place(finished.stderr)}", finished)
    for crash in CRASHES:
        if crash in finished.stderr:
            fail(f"{tool}: {crash}{crash_place(finished.stderr)}", finished)
    if finished.status not in STATUSES:
        fail(f"{tool}: status {finished.status}", finished)


def crash_place(text):
    """The assertion, or our function that is nearest to a crash."""
    for pattern in (r"Assertion `.*?'", r"runtime error: .*", r"^ *#\d.*?(tapestry::[\w:()~ ]+)\("):
        if found := re.search(pattern, text, re.MULTILINE):
            return f" in {found.group(found.lastindex or 0)[:200]}"
    return ""


def check_message(tool, finished, quiet):
    text = finished.stderr
    if found := UNPRINTABLE.search(text):
        fail(f"{tool}: control character", finished, f"prints {found.group()!r}")
    lines = text.splitlines()
    if any(len(line) > MOST_COLUMNS for line in lines):
        fail(f"{tool}: long line", finished, f"{max(map(len, lines))} columns")
    if finished.status == 0:
        return
    # LLVM's command line says `tapestry: for the --grid option: requires a value!`
    if "error: " not in text and not (finished.status == 2 and text.startswith("tapestry: ")):
        fail(f"{tool}: no message", finished)
    # Every error that is found at once may have its lines.
    if len(lines) > MOST_LINES * max(1, text.count("error: ")):
        fail(f"{tool}: long message", finished, f"{len(lines)} lines")
    if quiet and finished.stdout:
        fail(f"{tool}: text on stdout", finished)
