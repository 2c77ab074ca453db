"""Prints a function for every floating-point operation of math on every type."""

UNARY = """absf acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 floor
    log log10 log1p log2 round roundeven rsqrt sin sinh sqrt tan tanh trunc""".split()
BINARY = ["atan2", "copysign", "powf"]
SHAPES = ["{}", "vector<{}>", "vector<4x{}>", "vector<2x3x{}>"]

for name in (*UNARY, *BINARY, "fma", "fpowi", "isfinite", "isnan", "sincos"):
    for element in ("f16", "bf16", "f32", "f64"):
        for number, shape in enumerate(SHAPES):
            type, power, truth = (shape.format(e) for e in (element, "i32", "i1"))
            operands, types, result = "%a", type, type
            if name in BINARY:
                operands = "%a, %b"
            elif name == "fma":
                operands = "%a, %b, %a"
            elif name == "fpowi":
                operands, types = "%a, %n", f"{type}, {power}"
            elif name.startswith("is"):
                result = truth
            elif name == "sincos":
                result = f"{type}, {type}"
            results = "%0, %1" if name == "sincos" else "%0"
            print(f"func.func @{name}_{element}_{number}(%a: {type}, %b: {type}, %n: {power}) -> "
                  f"({result}) attributes {{tapestry.device}} {{")
            print(f"  {results} = math.{name} {operands} : {types}")
            print(f"  return {results} : {result}\n}}")
