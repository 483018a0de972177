"""The reference of the Python package, read from its source: nothing is built or imported."""

import ast
import html
import re
import textwrap


def prose(node):
    """The docstring of a node."""
    text = ast.get_docstring(node)
    parts = []
    for block in re.split(r"\n\s*\n", text or ""):
        if block.startswith((" ", ">>>")):
            parts.append(f"<pre>{html.escape(textwrap.dedent(block))}</pre>")
        elif block:
            block = html.escape(block, quote=False)
            parts.append("<p>" + re.sub(r"`([^`]+)`", r"<code>\1</code>", block) + "</p>")
    return "\n".join(parts)


def entry(anchor, signature, comment):
    return (
        f'<div class="sig" id="{anchor}">{html.escape(signature)}</div>'
        f'<div class="indent">{comment}</div>'
    )


def arguments(function):
    shown = ast.unparse(function.args)
    returned = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    shown = re.sub(r"^(?:self|cls)(?:, )?", "", shown)
    return f"({shown}){returned}"


def remark(lines, node):
    """The comment of an assignment: behind it, or `#:` lines above."""
    above = []
    for line in reversed(lines[: node.lineno - 1]):
        if not line.strip().startswith("#:"):
            break
        above.insert(0, line.strip()[2:].strip())
    behind = re.search(r"#:? (.*)$", lines[node.end_lineno - 1])
    text = " ".join(above + ([behind[1]] if behind else []))
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


def members(name, node, lines):
    """The public members of a class, in the order of the source."""
    for member in node.body:
        if isinstance(member, ast.FunctionDef):
            if member.name.startswith("_") and member.name not in ("__init__", "__len__"):
                continue
            kinds = [ast.unparse(each) for each in member.decorator_list]
            if any(kind.endswith((".setter", "overload")) for kind in kinds):
                continue
            shown = member.name + arguments(member)
            if "property" in kinds:
                returned = ast.unparse(member.returns) if member.returns else ""
                shown = f"{member.name}: {returned}"
            prefix = "".join(f"@{kind} " for kind in kinds if kind.endswith("method"))
            yield entry(f"{name}.{member.name}", prefix + shown, prose(member))
        elif isinstance(member, (ast.AnnAssign, ast.Assign)):
            target = member.target if isinstance(member, ast.AnnAssign) else member.targets[0]
            if isinstance(target, ast.Name) and not target.id.startswith("_"):
                text = ast.unparse(member)
                yield entry(f"{name}.{target.id}", text, remark(lines, member))


def definitions(folder):
    """What the package's modules define at their top: the node and the lines of its module."""
    found = {}
    for path in sorted(folder.glob("*.py")):
        lines = path.read_text().split("\n")
        for node in ast.parse("\n".join(lines)).body:
            names = []
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                names = [node.name]
            elif isinstance(node, ast.AnnAssign):
                names = [ast.unparse(node.target)]
            elif isinstance(node, ast.Assign):
                names = [ast.unparse(target) for target in node.targets]
            for name in names:
                found.setdefault(name, (node, lines))
    return found


def exported(package):
    """The names in __all__."""
    for node in package.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return sorted(ast.literal_eval(node.value), key=str.lower)
    raise SystemExit("tools/docs: the Python package has no __all__")


def linked(base, names):
    """A base class, as a link if it is on the page: its members are there."""
    return f'<a href="#{base}">{base}</a>' if base in names else html.escape(base)


def write(folder, site):
    """Writes the package's page."""
    package = ast.parse((folder / "__init__.py").read_text())
    found, out = definitions(folder), []
    names = exported(package)
    links = "".join(f'<li><a href="#{name}">{name}</a></li>' for name in names)
    for name in names:
        if name not in found:
            raise SystemExit(f"tools/docs: {folder} exports {name} and does not define it")
        node, lines = found[name]
        if isinstance(node, ast.ClassDef):
            bases = ", ".join(linked(ast.unparse(base), names) for base in node.bases)
            out.append(f'<h2 id="{name}">class {name}{f"({bases})" if bases else ""}</h2>')
            out += [prose(node), *members(name, node, lines)]
        elif isinstance(node, ast.FunctionDef):
            out.append(entry(name, name + arguments(node), prose(node)))
        else:
            out.append(entry(name, ast.unparse(node), remark(lines, node)))
    body = [f"<h1>Python: package {folder.name}</h1>", prose(package)]
    body += [f'<ul class="columns">{links}</ul>', *out]
    site.write("api/python/index.html", "Python", "\n".join(body))
