"""Programs: changes of .ein that mostly keep the structure."""

import re

from harness.blocks import C_TYPES, DECLARATIONS
from harness.generator import generate

from . import corpus
from .accepted import check_plan_file
from .mutators import noise, replace_number

TOKEN = re.compile(r"#[^\n]*|[ \t]+|\n|\d+\.\d+(?:e-?\d+)?|\w+|\*\*|//|<<|>>|&&|\|\||[=!<>]=|->|@\?|[^\w\s]")
TYPES = ["f64", "f32", "f16", "bf16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "c64", "c128", "bool"]
REDUCTIONS = ["sum", "prod", "max", "min", "all", "any", "xor", "mean", "logsumexp", "argmax", "argmin"]
SCANS = ["cumsum", "cumprod", "cummax", "cummin"]
SORTS = ["sort", "argsort", "topk"]
FUNCTIONS = [
    *("exp", "log", "sqrt", "rsqrt", "sin", "cos", "tanh", "erf", "sigmoid", "floor"),
    *("relu", "sign", "round", "trunc", "tan", "log1p", "expm1", "log2", "log10", "exp2", "cbrt"),
    *("sinh", "cosh", "asin", "acos", "atan", "isnan", "isinf"),
    *("ceil", "abs", "f32", "f64", "f16", "bf16", "i8", "i64", "u8", "u32", "bool"),
    *("re", "im", "conj", "arg", "c64", "c128"),
]
OPERATORS = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "**", "==", "!=", "<", "<=", ">", ">=", "&&", "||"]
LIBRARY = ["relu", "gelu", "silu", "sgd"]
MACROS = ["softmax", "rmsnorm", "layernorm"]
KEYWORDS = {
    *TYPES, *REDUCTIONS, *SCANS, *SORTS, *FUNCTIONS, *MACROS, "param", "input", "output", "def", "group",
    "monoid", "identity", "extern", "block", "cost", "select", "pad", "true", "false", "inf", "nan",
}  # fmt: skip
STATEMENT = re.compile(r"^(\w+)\[([^\]]*)\]([^=\n]*)= *(?!=)(.*)$", re.MULTILINE)
ACCESS = re.compile(r"(?<![\w\])])([A-Za-z]\w*)\[([^\[\]=<>]*)\]")

# Changes ---------------------------------------------------------------------


def substitute(rng, pattern, text, make):
    """Replaces one match of a pattern, drawn at random."""
    found = list(re.finditer(pattern, text) if isinstance(pattern, str) else pattern.finditer(text))
    if not found:
        return text
    match = rng.choice(found)
    return text[: match.start()] + make(match) + text[match.end() :]


def swap_word(rng, text):
    """A word for another of its kind, here or everywhere."""
    kinds = [TYPES, REDUCTIONS, SCANS, SORTS, FUNCTIONS, MACROS, ["true", "false"], ["inf", "nan", "0", "1e30", "2i"]]
    words = [w for kind in kinds for w in kind if re.search(rf"\b{re.escape(w)}\b", text)]
    if not words:
        return text
    word = rng.choice(words)
    new = rng.choice(rng.choice([kind for kind in kinds if word in kind]))
    if rng.random() < 0.5:
        return re.sub(rf"\b{word}\b", new, text)
    return substitute(rng, rf"\b{word}\b", text, lambda _: new)


def swap_operator(rng, text):
    pattern = r"(?<= )(?:\*\*|//|<<|>>|[=!<>]=|&&|\|\||[-+*/%&|^<>])(?= )"
    return substitute(rng, pattern, text, lambda _: rng.choice(OPERATORS))


def swap_label(rng, text):
    """A label, or another name, for one beside it."""

    def change(match):
        names = re.findall(r"\b[a-zA-Z_]\w*\b", match.group())
        names = [name for name in names if name not in KEYWORDS]
        if not names:
            return match.group()
        old, new = rng.choice(names), rng.choice([*names, "i", "j", "zz"])
        if rng.random() < 0.5:
            return re.sub(rf"\b{old}\b", new, match.group())
        return substitute(rng, rf"\b{old}\b", match.group(), lambda _: new)

    return substitute(rng, STATEMENT, text, change)


def change_subscripts(rng, text):
    def change(match):
        parts = match[2].split(",")
        place = rng.randrange(len(parts))
        label = parts[place].strip() or "i"
        choice = rng.randrange(8)
        if choice == 0:
            rng.shuffle(parts)
        elif choice == 1:
            del parts[place]
        elif choice == 2:
            parts.insert(place, rng.choice(parts))
        else:
            parts[place] = rng.choice(
                [f"{label} + 1", f"2*{label}", f"7 - {label}", f"{label} + r", f"{label} - 1",
                 f"{label}' - 1 - {label}", "0", "3", f"{label}:{rng.choice([1, 2, 3, 5, 8])}",
                 f"3*{label} + 2*q - 1", f"({label} + 1) % {rng.choice([1, 3, 7, 8])}",
                 f"{label} // {rng.choice([0, 1, 2, 3])}", f"(2*{label} - 3) // 2 % {rng.choice([2, 5, 8])}",
                 f"{label} // 2 + 1", f"{label} % 3 + {label}", f"{label} // q"]
            )  # fmt: skip
        base = f"pad({match[1]}, {rng.choice([0, 1, '-inf', 'true'])})"
        if rng.random() < 0.4:
            base = f"{rng.choice(['edge', 'wrap', 'reflect', 'symmetric'])}({view(rng, match[1])})"
        # What data name may lie outside.
        if rng.random() < 0.15:
            # The one at hand may be gone.
            parts[place : place + 1] = [rng.choice(["i32", "i64", "i8", "u8"]) + f"({match.group()})"]
            return f"{base}[{', '.join(parts)}]"
        tensor = view(rng, match[1]) if rng.random() < 0.3 else match[1]
        return f"{base if rng.random() < 0.3 else tensor}[{', '.join(parts)}]"

    return substitute(rng, ACCESS, text, change)


def view(rng, tensor, depth=0):
    """The tensor seen otherwise, now and then of numbers that do not fit."""
    if depth > 2 or rng.random() < 0.3:
        return tensor
    one = view(rng, tensor, depth + 1)
    word = rng.choice(["concat", "stack", "interleave"])
    return rng.choice(
        [f"transpose({one})", f"transpose[{rng.choice(['1, 0', '0, 1', '2, 0, 1'])}]({one})",
         f"flip[{rng.randrange(3)}]({one})", f"repeat[{rng.randrange(2)}, {rng.randrange(4)}]({one})",
         f"tile[{rng.choice(['2', '1, 3', '2, 2', '1, 1, 2'])}]({one})",
         f"reshape[{rng.choice(['4, 8', '6, 4', '5, 7', '8, 8', '12', '64', '2, 2, 16'])}]({one})",
         f"{one}[{rng.choice(['1:3, :', ':, ::-1', '0, :', '-1, 1:', '::3, 1:9:2', '::-2', '-2:', '2:2'])}]",
         f"{word}[{rng.randrange(3)}]({one}, {view(rng, tensor, depth + 1)})"]
    )  # fmt: skip


def inner(rng, access, label):
    """A reduction of an access over one of its labels, under another name mostly."""
    own = rng.choice(["zq", "zq", "zq", label])
    given = rng.choice(["", "", ":1", ":2", ":3"])
    operand = re.sub(rf"\b{re.escape(label)}\b", own, access)
    if rng.random() < 0.3:
        operand = wrap_access(rng, operand)
    return f"({rng.choice(REDUCTIONS)}[{own}{given}]({operand}))"


def wrap_access(rng, text):
    """An access becomes an operand of more."""

    def change(match):
        access = match.group()
        label = re.findall(r"\b[a-z]\w*\b", match[2])
        label = rng.choice(label or ["i"])
        return rng.choice(
            [f"{rng.choice(FUNCTIONS)}({access})", f"({access} {rng.choice(OPERATORS)} {access})",
             f"({access} * {rng.choice(['0.5', '3', '1e-7', 'i32(2)'])})", f"(-{access})",
             f"select([{label} <= 2], {access}, {access} + {access})", f"max({access}, 0)",
             f"({access} * [{label} - 1 < 3])", f"!{access}", f"{access} / {label}'",
             f"({access}) ** {rng.choice(['2', '3', '0.5', '-1'])}", inner(rng, access, label),
             f"{access} / {inner(rng, access, label)}", f"({access} + {label})", f"hypot({access}, pi)",
             f"clamp({access}, -1, {label})", f"atan2({access}, {access})",
             f"{access} * random.{rng.choice(['uniform', 'normal', 'bits'])}({label})",
             f"select(random.bernoulli({rng.choice(['-7', label])}, {rng.choice(['0.5', '1.5'])}), {access}, 0)",
             f"{rng.choice(SCANS)}[{label}]({access})", f"scan {rng.choice(REDUCTIONS)}[{label}]({access})",
             f"{access} * ({label} + 1) // 2", f"[{access} == {label}]", f"f32({label} % 3)"]
        )  # fmt: skip

    return substitute(rng, ACCESS, text, change)


def add_statement(rng, text):
    """A vertex more, that reads one which is there, and an output of it."""
    # Places on the left side are no labels.
    found = [match for match in STATEMENT.finditer(text) if "[" not in match[2]]
    if not found:
        return text
    match = rng.choice(found)
    labels = [part.split(":")[0].strip() for part in match[2].split(",") if part.strip()]
    name, access = f"N{rng.randrange(1000)}", f"{match[1]}[{', '.join(labels)}]"
    last = labels[-1] if labels else "i"
    heads = ", ".join(labels)
    line = rng.choice(
        [f"{name}[{heads}] = {rng.choice(FUNCTIONS)}({access})",
         f"import {rng.choice(['nn', 'stats', 'nm'])}\n{name} = nn.{rng.choice(LIBRARY)}({match[1]})",
         f"import stats\n{name} = stats.{rng.choice(['mean', 'covariance'])}({match[1]})",
         f"def m{name}(X[{heads}], f = 2) -> Y[{heads}], Z[{heads}] {{ Y = X * f\nZ = -X }}\n"
         f"{name}, M{name} = m{name}({match[1]}{rng.choice(['', ', 3', ', 1, 1'])})",
         f"{name}[{heads}] = {rng.choice(MACROS[:1])}[{last}] {access}",
         f"{name}[{heads}] = {rng.choice(MACROS[1:])}[{last}]({access}, 0.001)",
         f"{name}[{', '.join(labels[:-1])}] = {rng.choice(REDUCTIONS)}[{last}] {access}",
         f"{name} = {rng.choice(REDUCTIONS)}[{heads}] {access}",
         f"{monoid(rng, 'o' + name)}\n{name}[{', '.join(labels[:-1])}] = o{name}[{last}]({access}){rng.choice(['', ' + 1'])}",
         f"{name}[{heads}] = {rng.choice(SCANS)}[{rng.choice(labels or ['i'])}] {access}",
         f"{monoid(rng, 'o' + name)}\n{name}[{heads}] = scan o{name}[{rng.choice(labels or ['i'])}] {access}",
         f"{monoid(rng, 'o' + name)}\n{name}[{place(rng, access, last)}] = o{name}[{heads}] {access}",
         f"{name}[{', '.join([*labels[:-1], 'zr' + rng.choice(['', ':1', ':3'])])}]"
         f"{rng.choice(['', f', I{name}[' + ', '.join([*labels[:-1], 'zr']) + ']'])} = "
         f"{rng.choice(SORTS)}[{last}] {access}",
         f"{name}[{heads}, zz:3] = {access}",
         loop(rng, name, match[1], labels),
         block(rng, name, view(rng, match[1])), block(rng, name, view(rng, match[1])),
         f"{name}[{place(rng, access, last)}] = {rng.choice(REDUCTIONS)}[{heads}] {access}",
         f"{name}[{', '.join([*labels[:-1], place(rng, access, last)])}] = "
         f"{rng.choice(REDUCTIONS)}[{last}] {access}",
         f"{name}[{heads}] = {access} * {inner(rng, access, last)}",
         f"{name}[{', '.join([*labels[:-1], last + ':2'])}] = {access}",
         f"{name}[{', '.join(reversed(labels))}] = {access} * {access}"]
    )  # fmt: skip
    if rng.random() < 0.2:
        return f"{text}\noutput {line}\n"
    if rng.random() < 0.2:
        return f"{text}\noutput {constant(rng, name)}\n"
    if rng.random() < 0.2:
        return f"{text}\noutput {name} = {whole(rng, match[1], found)}\n"
    return f"{text}\n{line}\noutput {name}\n"


def monoid(rng, name):
    """A reduction of the program's own, now and then of a type that does not fit."""
    combine = rng.choice(
        ["max(abs(a), abs(b))", "a + b", "a * b", "a", "a & b", "a != b", "hypot(a, b)", "min(a + b, 9)",
         f"{rng.choice(FUNCTIONS)}(a {rng.choice(OPERATORS)} b)", "select([a < b], a, b)", "f32(a) + 1", "c"]
    )  # fmt: skip
    return f"monoid {name}(a, b) = {combine} identity {rng.choice(['0', '1', '-1', '-inf', 'false', 'nan', '2i', 'a'])}"


def block(rng, name, tensor):
    """A call of a block, now and then by a declaration or with arguments that do not fit."""
    kernel, type = rng.choice(list(DECLARATIONS)), rng.choice(list(C_TYPES))
    line = f"extern block {kernel}_{type}{DECLARATIONS[kernel].format(t=type, n=rng.randrange(9))}"
    if rng.random() < 0.5:
        line = change_declaration(rng, line)
    parameter = {"smooth": [", 3", ", more = -1", ""], "ramp": ["2", "-7"]}.get(kernel, [""])
    arguments = ("" if kernel == "ramp" else tensor) + rng.choice([*parameter, *parameter, ", 1"])
    names = f"{name}, M{name}" if kernel == "stats" else name
    return f"{line}\n{names} = {kernel}_{type}({arguments})"


def change_declaration(rng, text):
    """What a block says that it reads, writes or costs."""

    def change(match):
        line, choice = match.group(), rng.randrange(6)
        words = [":", "b", "x", "k + 1", "x:x + 3", "2*x", "3*k:3*k + 5:2", ":m", "x:x", "x:0", "0", "x + b", "9*x:9*x + 2"]
        if choice == 0:
            return substitute(rng, r"(?<=[\[,])[^\[\],]*(?=[\],])", line, lambda _: rng.choice(words))
        if choice == 1:
            return substitute(rng, r"\b(?:sum|max) ", line, lambda _: rng.choice(["", "min ", "mean ", "nothing "]))
        if choice == 2:
            return substitute(rng, r"->", line, lambda _: rng.choice(["-> sum", "-> max", "", "-> Y[] : f32,"]))
        if choice == 3:
            cost = rng.choice(["flops = 0", "flops = -1", "flops[b] = 3", "ram = 1e400", "flops[zz] = 1", "time = 2", "flops = 1, flops = 2"])
            return f"{line.partition(' cost')[0]} cost {cost}"
        if choice == 4:
            return substitute(rng, r"\b(?:f32|f64|i32|i8|i64)\b", line, lambda _: rng.choice(TYPES))
        return substitute(rng, r"\w+|[^\w\s]", line, lambda _: rng.choice(["", "x", "[", ")", "9"]))

    return substitute(rng, re.compile(r"^extern block .*$", re.MULTILINE), text, change)


def loop(rng, name, tensor, labels):
    """A loop over a tensor, now and then with statements or subscripts that do not fit."""
    heads = ", ".join(labels)
    first = rng.choice(["q"] * 6 + ["q + 1", "zz", *labels])
    steps = [f"next V{name}[{heads}] = {rng.choice(FUNCTIONS)}(V{name}[{heads}])",
             f"collect {name}[{', '.join([first, *labels])}] = V{name}[{heads}] {rng.choice(OPERATORS)} q",
             f"T{name} = max[{heads}] V{name}[{heads}]"]  # fmt: skip
    rng.shuffle(steps)
    body = "\n".join(steps if rng.random() < 0.9 else steps[1:])
    until = rng.choice(["", "", f" until T{name} > 1", f" until {name}[0] > 1"])
    return f"repeat q:{rng.choice([1, 2, 3, 7])} (V{name} = {tensor}) {{\n{body}\n}}{until}"


def place(rng, access, label):
    """A place on the left side, which may lie outside."""
    at = rng.choice(
        [f"i32({access}) % 5", f"i32({access})", f"{label} // 2", f"2*{label}", f"7 - {label}"]
    )
    return f"{at}{rng.choice(['', ':5', ':9'])}"


def whole(rng, tensor, statements):
    """An expression of whole tensors, which may not fit together."""
    other = rng.choice([tensor, tensor, rng.choice(statements)[1]])
    return rng.choice(
        [f"{tensor} * {other} + 1", f"{tensor} @ {other}", f"exp({tensor} @ {other}) @ {other}",
         f"select({tensor} > {other}, {tensor}, 0)", f"-{tensor} / sum[q]({other}[q])",
         view(rng, tensor), f"{view(rng, tensor)} @ {view(rng, other)}"]
    )  # fmt: skip


def constant(rng, name):
    """A constant tensor, now and then of another shape than it says."""
    rows, columns = rng.randrange(1, 4), rng.randrange(1, 4)
    values = ["0", "1", "-2", "1 / 2", "0.5", "inf", "true", "r"]
    kind = rng.choice(TYPES)
    few = values[:3] if kind[0] == "i" else ["true", "false"] if kind == "bool" else values[:5]
    draw = lambda: rng.choice(few if rng.random() < 0.97 else values)  # noqa: E731
    lines = [", ".join(draw() for _ in range(columns)) for _ in range(rows)]
    columns += rng.random() < 0.05
    return f"{name} : {kind}[{rows}, {columns}] = [{', '.join(f'[{line}]' for line in lines)}]"


def add_pin(rng, text):
    """What is asked of a cut, or the device that a tensor enters or leaves on."""
    if rng.random() < 0.3:
        border = re.compile(r"^(?:input \w+ *:[^@#\n]*|output \w+)(?= *(?:@.*)?$)", re.MULTILINE)
        return substitute(
            rng, border, text, lambda match: f"{match.group().rstrip()} on device {rng.choice([0, 0, 1, 2, 7, '(-1)', 'i'])}"
        )

    def change(match):
        labels = re.findall(r"[a-z]\w*", match[2]) or ["i"]
        chosen = rng.sample(labels, rng.randrange(len(labels)) + 1)
        parts = [
            f"{x}: {rng.choice(['1', '2', '3', '4', '[d]', 'd.0', '[d.0, d.1]'])}" for x in chosen
        ]
        pin = rng.choice(["@", "@", "@?", "@? 0.5", f"@ group g{rng.randrange(2)}"])
        if "group" not in pin:
            pin += " {" + ", ".join(parts + rng.choice([[], ["*: 1"]])) + "}"
        return f"{match[1]}[{match[2]}] {pin}{match[3]}= {match[4]}"

    return substitute(rng, STATEMENT, text, change)


def drop_value(rng, text):
    return substitute(rng, r"(?m)^(param \w+) *=.*$", text, lambda match: match[1])


def move_lines(rng, text):
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return text
    place, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    choice = rng.randrange(3)
    if choice == 0:
        lines[place], lines[other] = lines[other], lines[place]
    elif choice == 1:
        del lines[place]
    else:
        lines.insert(place, lines[other])
    return "".join(lines)


def splice(rng, text):
    """Another program behind this one, its names made its own."""
    other = corpus.pick(rng, corpus.programs())
    names = set(
        re.findall(
            r"^(?:input|param|def) *(\w+)|^(\w+)(?:\[[^\n]*)? *(?:@[^\n]*)?=", other, re.MULTILINE
        )
    )
    for name in {n for pair in names for n in pair if n}:
        other = re.sub(rf"\b{name}\b", f"{name}_2", other)
    return text + "\n" + other


def resize(rng, text):
    return replace_number(rng, text, small=True)


CHANGES = [
    *(swap_word, swap_operator, swap_label, change_subscripts, change_subscripts, wrap_access),
    *(wrap_access, add_statement, add_statement, add_pin, move_lines, splice, resize, resize, drop_value),
    *(replace_number, change_declaration),
]


def base_program(rng):
    choice = rng.random()
    if choice < 0.5:
        return generate(rng.randrange(10**6)).source
    if choice < 0.93:
        return corpus.pick(rng, corpus.programs())
    return corpus.pick(rng, corpus.invalid_programs())


def draw_program(rng):
    text = base_program(rng)
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 5])):
        text = rng.choice(CHANGES)(rng, text)
    if rng.random() < 0.12:
        text = noise(rng, text)
    return text


# The check ------------------------------------------------------------------


def draw_planning(rng):
    planning = [f"--devices={rng.choice([1, 2, 2, 3, 4, 4, 5, 6, 8, 12])}"]
    if rng.random() < 0.3:
        planning.append("--cost=spmd")
    if rng.random() < 0.2:
        planning.append(f"--solver={rng.choice(['bounded', 'eindecomp'])}")
    if rng.random() < 0.15:
        planning.append(f"--memory={rng.choice([64, 1000, 5000, 10**5, 10**7])}")
    if rng.random() < 0.15:
        planning.append(f"--order={rng.choice(['none', 'peak', 'planned'])}")
    return planning


def check_program(bench, text, planning, seed):
    """Returns whether the program is accepted."""
    bench.write("p.ein", text)
    words = ["plan", "p.ein", *planning, "--json=plan.json"]
    planned = bench.run("tapestry", *words, writes=["plan.json"])
    if planned.status == 0:
        check_plan_file(bench, planned, "p.ein", planning, seed)
    return planned.status == 0


def draw(rng, tools):
    planning, seed = draw_planning(rng), rng.randrange(2**31)
    return draw_program(rng), lambda bench, text: check_program(bench, text, planning, seed)
