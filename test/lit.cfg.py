# Configuration of Tapestry's lit suite.
#
# With TAPESTRY_VERIFY_ROUNDTRIP=1 in the environment, every tapestry-opt of the
# suite also prints and parses its input, in text and bytecode, and compares.
import atexit
import os
import shutil
import tempfile

import lit.formats

config.name = "tapestry"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ein", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)

config.environment["PATH"] = os.pathsep.join(
    [config.tapestry_tools_dir, config.llvm_tools_dir, os.environ["PATH"]]
)
for variable in ["OMP_NUM_THREADS", "ASAN_OPTIONS", "UBSAN_OPTIONS"]:
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]

# Tests share objects of equal code, of this run alone: what users have is not read,
# and every object is made once by the compiler under test. Other tools that tests run
# keep what they like beside it.
caches = tempfile.mkdtemp(prefix="caches-", dir=config.test_exec_root)
atexit.register(shutil.rmtree, caches, ignore_errors=True)
os.mkdir(os.path.join(caches, "tapestry"), mode=0o700)
config.environment["XDG_CACHE_HOME"] = caches

# CUDA's assembler, on PATH or where its toolkit is installed.
ptxas = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
if os.access(ptxas, os.X_OK):
    config.available_features.add("ptxas")
    config.substitutions.append((r"\bptxas\b(?= -)", ptxas))

if os.path.exists("/usr/local/cuda/include/cuda.h"):
    config.available_features.add("cuda-toolkit")
    config.substitutions.append(("%cuda_include", "/usr/local/cuda/include"))
    if os.path.exists("/usr/local/cuda/include/nccl.h"):
        config.available_features.add("nccl-header")
cublaslt = "/usr/local/cuda/lib64/libcublasLt.so.13"
if os.path.exists(cublaslt):
    config.available_features.add("cublaslt")
    config.substitutions.append(("%cublaslt", cublaslt))

config.substitutions.append(("%lib", config.tapestry_lib_dir))
# Debian's own interpreter: the one whose modules its packages installed.
config.substitutions.append(("%python", "/usr/bin/python3"))

if os.environ.get("TAPESTRY_VERIFY_ROUNDTRIP") == "1":
    # --verify-roundtrip cannot parse inputs that are split or wrong by design.
    opt = os.path.join(config.tapestry_tools_dir, "tapestry-opt")
    config.substitutions.append(
        (r"\btapestry-opt\b(?!.*(split-input-file|verify-diagnostics))",
         opt + " --verify-roundtrip")
    )
