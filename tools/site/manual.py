"""The manual pages of the program, which writes them itself, as HTML."""

import html
import re
import shutil
import subprocess


def missing(program):
    """Why there can be no manual pages; None if there can."""
    if not program.exists():
        return f"{program} is not built; run: tools/build {program.parent.parent} --target berth"
    if shutil.which("mandoc") is None:
        return "mandoc is not installed; run: tools/setup --docs"
    return None


def output_of(command, **arguments):
    return subprocess.run(
        command, check=True, text=True, stdout=subprocess.PIPE, **arguments
    ).stdout


def write(program, site):
    """Writes a page for the program and for each of its commands."""
    first = output_of([program, "manual"])
    commands = re.findall(r"^\.BR berth.-([a-z]+) ", first, re.M)
    items = []
    for command in [None, *commands]:
        source = output_of([program, "manual", *([command] if command else [])])
        body = output_of(["mandoc", "-T", "html", "-O", "fragment,man=%N.html"], input=source)
        name = f"berth-{command}" if command else "berth"
        body = re.sub(r"<(/?)h([12])\b", lambda tag: f"<{tag[1]}h{int(tag[2]) + 1}", body)
        body = re.sub(r"<br/>\n?", "", body)
        body = re.sub(r"(<pre>)\s*\n|\n\s*\n", lambda gap: gap[1] or "\n", body)
        # Links to pages of other programs lead nowhere here.
        body = re.sub(
            r'<a [^>]*href="([\w.-]+)\.html"[^>]*>(.*?)</a>',
            lambda link: link[0] if link[1].startswith("berth") else link[2],
            body,
        )
        for other in commands:
            body = body.replace(
                f"<b>berth-{other}</b>(1)",
                f'<a href="berth-{other}.html"><b>berth-{other}</b>(1)</a>',
            )
        body = f'<h1>{name}</h1>\n<div class="manual-text">{body}</div>'
        site.write(f"man/{name}.html", name, body)
        about = re.search(r'\.SH "?NAME"?\n.*?\\- (.*)', source)
        about = html.escape(about[1].replace("\\", "")) if about else ""
        items.append(f'<li><a href="{name}.html">{name}</a>: {about}</li>')
    site.write("man/index.html", "Commands", f"<h1>Commands</h1>\n<ul>{''.join(items)}</ul>")
