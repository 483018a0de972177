"""The reference of the Go packages, made of what `go doc -all` prints."""

import html
import os
import re
import shutil
import subprocess
import textwrap

# The folder of the module, the package in it, its name. The first one is the page of the section.
PACKAGES = [
    (".", ".", "berth"),
    (".", "./clustersnapshot", "clustersnapshot"),
    (".", "./provisioning", "provisioning"),
    ("framework", ".", "framework"),
    (".", "./schedulerlibrary/framework", "schedulerlibrary/framework"),
    (".", "./schedulerlibrary/simulator", "schedulerlibrary/simulator"),
    (".", "./schedulerlibrary/snapshot", "schedulerlibrary/snapshot"),
    (".", "./schedulerlibrary/state", "schedulerlibrary/state"),
]
DECLARATION = re.compile(r"(?:func (?:\((?:\w+ )?\*?(\w+)\) )?(\w+)|type (\w+))")


def documentation(folder, package):
    """What `go doc -all` prints about a package, and its complaint if it fails."""
    environment = os.environ | {"GOPROXY": "off", "GOTOOLCHAIN": "local", "GOWORK": "off"}
    run = subprocess.run(
        ["go", "doc", "-all", package],
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )
    return (run.stdout, "") if run.returncode == 0 and run.stdout else ("", run.stderr.strip())


def missing(folder):
    """Why there can be no reference of Go; None if there can."""
    if shutil.which("go") is None:
        return "Go is not installed; see https://go.dev/dl"
    for module, package, _ in PACKAGES:
        complaint = documentation(folder / module, package)[1]
        if complaint and " requires go " in complaint:
            return complaint.splitlines()[-1]
        if complaint:
            where = f"go doc -all {package}, in {folder / module}"
            raise SystemExit(f"tools/docs: {where}: {complaint}")
    return None


def prose(lines):
    """Text, with paragraphs at empty lines, headings after # and code where it is indented."""
    parts = []
    for block in "\n".join(lines).split("\n\n"):
        if not block.strip():
            continue
        if block.startswith("# "):
            parts.append(f"<h2>{html.escape(block[2:])}</h2>")
        elif block.startswith((" ", "\t")):
            parts.append(f"<pre>{html.escape(textwrap.dedent(block))}</pre>")
        else:
            parts.append(f"<p>{html.escape(block)}</p>")
    return "\n".join(parts)


def body_of(text):
    """The body of a package's page: declarations start at the left margin, their comments do not."""
    head, *rest = re.split(r"^((?:CONSTANTS|VARIABLES|FUNCTIONS|TYPES)\n)", text, flags=re.M)
    out = [prose(head.strip("\n").split("\n")[2:])]
    for title, section in zip(rest[::2], rest[1::2]):
        out.append(f"<h2>{title.strip().capitalize()}</h2>")
        code, comment = [], []

        def flush():
            if code:
                match = DECLARATION.match(code[0])
                name = match and ".".join(part for part in match.groups() if part)
                anchor = f' id="{name}"' if match else ""
                text = html.escape("\n".join(code).rstrip())
                out.append(f'<div class="sig"{anchor}>{text}</div>')
                out.append(f'<div class="indent">{prose(comment)}</div>')
            code.clear()
            comment.clear()

        inside = False  # of a declaration with braces
        for line in section.split("\n"):
            if not inside and re.match(r"(?:func|type|var|const) ", line):
                flush()
                inside = line.endswith(("{", "("))
                code.append(line)
            elif inside:
                code.append(line)
                inside = line not in ("}", ")")
            else:
                comment.append(line.removeprefix("    "))
        flush()
    return "\n".join(out)


def contents(body):
    """Links to the functions and types of a page, without methods."""
    names = sorted(re.findall(r'<div class="sig" id="(\w+)"', body), key=str.lower)
    items = "".join(f'<li><a href="#{name}">{name}</a></li>' for name in names)
    return f'<ul class="columns">{items}</ul>'


def write(folder, site):
    """Writes a page for each package."""
    pages = {name: f"{name.replace('/', '-')}.html" for _, _, name in PACKAGES[1:]}
    items = "".join(f'<li><a href="{page}">{name}</a></li>' for name, page in pages.items())
    more = f"<p>Other packages:</p>\n<ul>{items}</ul>\n<p>Functions and types:</p>\n"
    for module, package, name in PACKAGES:
        body = body_of(documentation(folder / module, package)[0])
        page = pages.get(name, "index.html")
        lists = (more if page == "index.html" else "") + contents(body)
        title = f"Go: package {name}"
        site.write(f"api/go/{page}", title, f"<h1>{title}</h1>\n{lists}\n{body}")
