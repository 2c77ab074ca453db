"""The machine, and NumPy, torch and JAX as contestants on it: how they are held to a
number of threads and to a processor's instructions, and how they are timed."""

import contextlib
import importlib
import os
import pathlib
import sys
import time

NAMES = ("numpy", "torch", "jax")

# What holds libraries to the vectors of a level: ours is --cpu.
HELD = {
    "x86-64-v3": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "DNNL_MAX_CPU_ISA": "AVX2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
    },
}
XLA_ISA = {"x86-64-v3": "AVX2"}
LEVELS = ("native", *HELD)


def machine():
    """Model of the processor and how many of its cores may be used."""
    model = "unknown processor"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB"


def processor_flags():
    with open("/proc/cpuinfo") as text:
        line = next((line for line in text if line.startswith("flags")), "flags :")
    return set(line.split(":", 1)[1].split())


def prepare(threads, cpu):
    """Sets what the libraries read when they are imported, and the processors of this
    process and of those that it starts: JAX takes a thread for each that it sees."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(threads)
    flags = []
    if threads == 1:
        flags += ["--xla_cpu_multi_thread_eigen=false", "intra_op_parallelism_threads=1"]
    if cpu in XLA_ISA:
        flags.append(f"--xla_cpu_max_isa={XLA_ISA[cpu]}")
    os.environ["XLA_FLAGS"] = " ".join(flags)
    os.environ["JAX_ENABLE_X64"] = "1"
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ.update(HELD.get(cpu, {}))
    if cpu == "native" and "avx512f" in processor_flags():
        # It takes virtual processors for older ones than they are.
        os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < threads:
        sys.exit(f"{threads} threads need as many processors; there are {len(processors)}")
    os.sched_setaffinity(0, processors[-threads:])


def load(names, threads, cpu):
    """The modules of those that can be imported, by name."""
    found = {}
    for name in names:
        try:
            found[name] = importlib.import_module(name)
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)
    if "torch" in found:
        found["torch"].set_num_threads(threads)
        found["torch"].set_grad_enabled(False)
        if cpu in HELD:
            importlib.import_module("torch._inductor.config").cpp.simdlen = 256
    return found


def versions(modules):
    return ", ".join(f"{name} {module.__version__}" for name, module in modules.items())


def forms_of(function):
    return function if isinstance(function, tuple) else (function,) if function else ()


class Contestants:
    """Name to a function without arguments that waits for its result: every form of
    every peer that has one. What draws nothing is given the sizes."""

    def __init__(self, modules, work, arrays, sizes):
        self.runs = {}
        if "torch" in modules:
            # It compiles one function for so many kinds of arguments only.
            modules["torch"].compiler.reset()
        numbers = {} if work.draw else sizes
        for name, module in modules.items():
            if name == "numpy" and work.type == "bf16":
                continue  # which it does not have
            held = {key: place(name, module, array, work.type) for key, array in arrays.items()}
            for at, function in enumerate(forms_of(getattr(work, name))):
                self.add(name, module, at, function, held, numbers)

    def add(self, name, module, at, function, held, numbers):
        suffix = f" {at + 1}" if at else ""
        if name == "jax":
            call = lambda **given: function(module.numpy, **given)  # noqa: E731
            compiled = module.jit(call, static_argnames=list(numbers))
            self.runs[f"jax{suffix}"] = lambda: module.block_until_ready(
                compiled(**held, **numbers)
            )
            return
        self.runs[f"{name}{suffix}"] = lambda: function(module, **held, **numbers)
        if name == "torch":
            compiled = module.compile(
                lambda **given: function(module, **given), fullgraph=True, dynamic=False
            )
            self.runs[f"torch.compile{suffix}"] = lambda: compiled(**held, **numbers)

    def warm(self):
        """Runs each twice. Seconds of the second time; what it gave. Forms that their
        library refuses are left out."""
        seconds, results = {}, {}
        for name, run in list(self.runs.items()):
            try:
                with contextlib.redirect_stderr(None):
                    run()
                start = time.perf_counter()
                results[name] = run()
                seconds[name] = time.perf_counter() - start
            except Exception as refused:  # each library has kinds of its own
                words = str(refused).strip().splitlines() or [""]
                print(f"  {name} refuses: {words[0][:100]}", file=sys.stderr)
                del self.runs[name]
        return seconds, results


def place(name, module, array, kind):
    if name == "torch":
        tensor = module.as_tensor(array)
        return tensor.bfloat16() if kind == "bf16" else tensor
    if name == "jax":
        return module.numpy.asarray(array, module.numpy.bfloat16 if kind == "bf16" else None)
    return array


def as_array(result):
    """What a contestant gave, of several results the first, as an array of NumPy's own
    types."""
    import numpy as np

    if isinstance(result, tuple):
        result = result[0]
    if hasattr(result, "detach"):
        result = result.detach()
        return (result.float() if str(result.dtype) == "torch.bfloat16" else result).numpy()
    array = np.asarray(result)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def least(run, passes):
    """Of as many passes, one after the other."""
    best = float("inf")
    for _ in range(passes):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best
