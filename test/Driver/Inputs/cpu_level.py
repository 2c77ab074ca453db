"""Prints this machine's level of the x86-64 psABI as /proc/cpuinfo tells it."""

LEVELS = [
    "cx16 lahf_lm popcnt pni ssse3 sse4_1 sse4_2",
    "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave",
    "avx512f avx512bw avx512cd avx512dq avx512vl",
]
flags = set()
for line in open("/proc/cpuinfo"):
    if line.startswith("flags"):
        flags = set(line.split(":")[1].split())
        break
level = 1
while level <= len(LEVELS) and flags.issuperset(LEVELS[level - 1].split()):
    level += 1
print("x86-64" + (f"-v{level}" if level > 1 else "") + "$")
