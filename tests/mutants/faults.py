"""Finds small faults for C sources: where one can be made, and the text with the fault.

A fault is found on the text with comments, strings, preprocessor lines and assertions blanked, so
that none is made where it would not change the program. Lines are kept: removing a statement leaves
its line ends."""
import re

SWAPS = {
    "compare": {"<": ["<=", ">"], "<=": ["<", ">="], ">": [">=", "<"], ">=": [">", "<="],
                "==": ["!="], "!=": ["=="]},
    "arithmetic": {"+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"], "<<": [">>"],
                   ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"],
                   "+=": ["-=", "="], "-=": ["+=", "="],
                   "|=": ["=", "&="], "&=": ["=", "|="]},
    "logic": {"&&": ["||"], "||": ["&&"]},
    "order": {"memory_order_" + o: ["memory_order_relaxed"] for o in
              ("seq_cst", "acq_rel", "acquire", "release")},
}
OPERATORS = ("compare", "arithmetic", "logic", "condition", "statement", "constant", "return",
             "swap", "order")
NO_CODE = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", flags=re.S)
ASSERTION = re.compile(r"\b(BERTH_D?ASSERT|static_assert|_Static_assert|BERTH_PREFETCH)\s*\(")


class Fault:
    """Bytes start..end of a file are replaced by `text`."""

    def __init__(self, path, operator, start, end, text, source):
        self.path, self.operator, self.start, self.end, self.text = path, operator, start, end, text
        first = source.rfind("\n", 0, start) + 1
        last = source.find("\n", end)
        last = len(source) if last < 0 else last
        self.line = source.count("\n", 0, start) + 1
        self.before = squeeze(source[first:last])
        self.after = squeeze(source[first:start] + text + source[end:last])
        self.function = function_at(source, start)
        self.in_data = is_in_data(source, start)

    def key(self):
        return (self.path, self.function, self.before, self.after)

    def apply(self, source):
        removed = source[self.start:self.end].count("\n") - self.text.count("\n")
        return source[:self.start] + self.text + "\n" * removed + source[self.end:]


def function_at(source, at):
    """The name of the last definition that begins at the start of a line before this place."""
    name = ""
    for match in re.finditer(r"^[a-z][^\n;=(]*?(\w+)(?:\(|\[| =)", source[:at], flags=re.M):
        name = match.group(1)
    return name


def is_in_data(source, at):
    """Whether the place is outside functions, in an enum or a variable's initializer. Such lines are
    not run."""
    line = source[source.rfind("\n", 0, at) + 1:at]
    if re.match(r"[a-z].* = ", line):
        return True
    first = source.rfind("\n}", 0, at) + 1
    return re.search(r"^enum.*\{$|^[a-z].*= \{", source[first:at], flags=re.M) is not None


def squeeze(text):
    return " ".join(text.split())


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def bare(source):
    """The text with everything that is not code blanked, of the same length."""
    text = NO_CODE.sub(blank, source)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)
    for match in ASSERTION.finditer(text):
        end = closing(text, match.end() - 1)
        text = text[:match.start()] + blank_text(text[match.start():end + 1]) + text[end + 1:]
    return text


def blank_text(text):
    return re.sub(r"[^\n]", " ", text)


def closing(text, at):
    """The parenthesis that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return len(text) - 1


def replaced_operators(text):
    pattern = r"(?<=[\w)\]\s])\s(<<|>>|<=|>=|==|!=|&&|\|\||[-+|&]=|[-+*/%<>&|^])(?=\s)"
    for match in re.finditer(pattern, text):
        for name in ("compare", "arithmetic", "logic"):
            for other in SWAPS[name].get(match.group(1), ()):
                yield name, match.start(1), match.end(1), other
    for match in re.finditer(r"\bmemory_order_(?:seq_cst|acq_rel|acquire|release)\b", text):
        yield "order", match.start(), match.end(), "memory_order_relaxed"


def conditions(text):
    for match in re.finditer(r"\bif \(", text):
        end = closing(text, match.end() - 1)
        inner = text[match.end():end]
        for other in ("!(%s)", "0 && (%s)", "1 || (%s)"):
            yield "condition", match.end(), end, other % inner
    for match in re.finditer(r"\breturn (true|false);", text):
        other = "false" if match.group(1) == "true" else "true"
        yield "return", match.start(1), match.end(1), other
    for match in re.finditer(r"[ \n](&& |\|\| )!(?=[\w(])", text):
        yield "logic", match.end() - 1, match.end(), ""


def statements(text):
    """Calls and assignments that stand alone, after a line's indent."""
    for match in re.finditer(r"^( {4,})([^\n;{}]*(?:\n[^;{}]*?)?;)$", text, flags=re.M):
        body = match.group(2)
        previous = text[:match.start()].rstrip()
        if not previous or previous[-1] not in ";{})e:":
            continue
        call = re.match(r"[a-z_]\w*(?:->\w+|\.\w+)*\(", body)
        assigned = re.match(r"\*?[a-z_][\w.\[\]>+-]*(?: [-+*|&^]?= |\+\+;|--;)", body)
        no_call = ("if", "for", "while", "switch", "return", "sizeof")
        if (call and not body.startswith(no_call)) or assigned:
            yield "statement", match.start(2), match.end(2), ";"
    for match in re.finditer(r"\bcontinue;", text):
        yield "statement", match.start(), match.end(), ";"


def is_alignment(line):
    """Whether the next argument is an allocation's alignment, which x86 does not enforce."""
    return re.search(r"\b(berth__\w*alloc\w*|slots_create)\(.*, $|^ +[^()]*\), $", line) is not None


def constants(text):
    for match in re.finditer(r"(?<![\w.'])(\d+)(?:[uU]?[lL]{0,2})\b(?![.'])", text):
        number = int(match.group(1))
        line = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
        if "[" in line and re.search(r"\[\s*$", line) and text[match.end():match.end() + 1] == "]":
            continue
        if text[match.end():match.end() + 1] == ")" and is_alignment(line):
            continue
        for other in {0: [1], 1: [0, 2]}.get(number, [number + 1, number - 1]):
            yield "constant", match.start(1), match.start(1) + len(match.group(1)), str(other)


def swapped(text):
    for match in re.finditer(r"\b[a-z_]\w*\(", text):
        end = closing(text, match.end() - 1)
        parts, depth, at = [], 0, match.end()
        for i in range(match.end(), end):
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[i], 0)
            if text[i] == "," and depth == 0:
                parts.append((at, i))
                at = i + 1
        parts.append((at, end))
        declared = text[max(0, text.rfind("\n", 0, match.start())) + 1:match.start()]
        if "alloc" in match.group(0) or len(parts) < 2 or not declared.startswith(" ") or match.group(0) in ("if (", "for ("):
            continue
        for (a, b), (c, d) in zip(parts, parts[1:]):
            left, right = text[a:b].strip(), text[c:d].strip()
            if left and right and left != right and "{" not in left + right:
                yield "swap", a, d, (" " if text[a] in " \n" else "") + right + ", " + left


def faults(path, source):
    """All faults of one file, in order of place."""
    text = bare(source)
    found = []
    for make in (replaced_operators, conditions, statements, constants, swapped):
        for operator, start, end, other in make(text):
            # In a call or condition, strings are blanked: take the text from the source.
            if operator in ("condition", "swap") and text[start:end] != source[start:end]:
                continue
            found.append(Fault(path, operator, start, end, other, source))
    return sorted(found, key=lambda f: (f.start, f.end, f.text))
