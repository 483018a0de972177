"""The pages that are written in Markdown: guides and how-tos, and the files that they link to."""

import html
import os
import re
import shutil

import markdown
from markdown.extensions import Extension
from markdown.extensions.toc import TocExtension
from markdown.treeprocessors import Treeprocessor

from pages import relative

HOWTOS = "tools/site/howtos"
ITEM = re.compile(r" {0,3}(?:[-*]|\d+\.) ")
PROGRAM = re.compile(r"^\[([^\]]*)\]\(([^)]+)\)$")


def anchor(text, separator):
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"\s", separator, re.sub(r"[^\w\s-]", "", text.lower()).strip())


def regular(text):
    """Markdown as the library reads it: GitHub indents inner lists by less than four spaces and
    needs no empty line before a list."""
    out, fenced, in_list = [], False, False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if not fenced and ITEM.match(line):
            if not in_list and out and out[-1].strip():
                out.append("")
            in_list = True
            if re.match(r" {2,3}[-*] ", line):
                line = "    " + line.lstrip()
        elif not fenced and line and not line.startswith(" ") and out and not out[-1].strip():
            in_list = False
        out.append(line)
    return "\n".join(out)


class Links(Treeprocessor):
    """Points the links between files of the repository to the pages of the site."""

    def __init__(self, md, guides, source):
        super().__init__(md)
        self.guides, self.source = guides, source

    def run(self, root):
        for link in root.iter("a"):
            link.set("href", self.guides.link(self.source, link.get("href", "")))
        for image in root.iter("img"):
            image.set("src", self.guides.image(self.source, image.get("src", "")))


class LinksExtension(Extension):
    """Registers Links for one source file."""

    def __init__(self, guides, source):
        super().__init__()
        self.guides, self.source = guides, source

    def extendMarkdown(self, md):
        md.treeprocessors.register(Links(md, self.guides, self.source), "links", 1)


class Guides:
    """The pages that are made from files of the repository, each once, however many link to it."""

    def __init__(self, root, site):
        self.root, self.site = root, site
        self.titles = {}  # of the pages that are written, by the path of their source
        self.linked = []  # files and folders that pages link to

    def page_of(self, source):
        """The page that a file or folder of the repository becomes."""
        if source.startswith(HOWTOS + "/") and source.endswith(".md"):
            return f"howtos/{os.path.basename(source)[:-3]}.html"
        if os.path.isdir(self.root / source):
            if not os.path.exists(self.root / source / "README.md"):
                return os.path.normpath(f"pages/{source}/index.html")
            source = os.path.normpath(f"{source}/README.md")
        return f"pages/{source[:-3] if source.endswith('.md') else source}.html"

    def link(self, source, href):
        """A link of a source file, as its page has it."""
        if re.match(r"[a-z]+:|#", href):
            return href
        path, hash_sign, fragment = href.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(source), path))
        if target.startswith("..") or not os.path.exists(self.root / target):
            raise SystemExit(f"tools/docs: {source} links to {href}, which does not exist")
        if not target.endswith(".md"):
            self.linked.append(target)
        return relative(self.page_of(source), self.page_of(target)) + hash_sign + fragment

    def image(self, source, src):
        """Copies a picture beside the pages."""
        target = os.path.normpath(os.path.join(os.path.dirname(source), src))
        if target.startswith("..") or not os.path.isfile(self.root / target):
            raise SystemExit(f"tools/docs: {source} shows {src}, which does not exist")
        copy = self.site.folder / "pages" / target
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.root / target, copy)
        return relative(self.page_of(source), f"pages/{target}")

    def program(self, source, href):
        """The text of a program or its output, for a line of a how-to that is only a link."""
        target = os.path.normpath(os.path.join(os.path.dirname(source), href))
        if not os.path.isfile(self.root / target):
            raise SystemExit(f"tools/docs: {source} shows {href}, which does not exist")
        text = html.escape((self.root / target).read_text())
        link = self.link(source, href)
        return (
            f'<details open><summary><a href="{link}">{html.escape(target)}</a></summary>'
            f"<pre><code>{text}</code></pre></details>"
        )

    def write(self, source):
        """Writes the page of one Markdown file."""
        text = (self.root / source).read_text()
        programs = []  # set in afterwards, because they are no Markdown
        if source.startswith(HOWTOS):
            lines = text.split("\n")
            for i, line in enumerate(lines):
                if match := PROGRAM.match(line):
                    lines[i] = f"PROGRAM{len(programs)}."
                    programs.append(self.program(source, match[2]))
            text = "\n".join(lines)
        extensions = ["tables", "fenced_code", "sane_lists", "md_in_html"]
        extensions += [TocExtension(slugify=anchor), LinksExtension(self, source)]
        body = markdown.markdown(regular(text), extensions=extensions)
        for i, program in enumerate(programs):
            body = body.replace(f"<p>PROGRAM{i}.</p>", program)
        title = re.search(r"^# (.*)$", text, re.M)
        self.titles[source] = title[1] if title else source
        self.site.write(self.page_of(source), self.titles[source], body)

    def write_linked(self):
        """Writes the pages of the files and folders that pages link to."""
        for target in sorted(set(self.linked)):
            page = self.page_of(target)
            path = self.root / target
            if (self.site.folder / page).exists():
                continue
            if path.is_dir():
                names = sorted(entry.name + "/" * entry.is_dir() for entry in path.iterdir())
                items = "".join(f"<li><code>{html.escape(name)}</code></li>" for name in names)
                body = f'<ul class="columns">{items}</ul>'
            else:
                body = f"<pre><code>{html.escape(path.read_text(errors='replace'))}</code></pre>"
            self.site.write(page, target, f"<h1>{html.escape(target)}</h1>\n{body}")


def sources(root):
    """The Markdown files of the repository, without build trees and hidden folders."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in sorted(folders) if not name.startswith((".", "build"))]
        here = os.path.relpath(folder, root)
        pages = (name for name in sorted(files) if name.endswith(".md"))
        found += [os.path.normpath(f"{here}/{name}") for name in pages]
    return found


def list_of(guides, page, names):
    """A list of links to pages."""
    items = (
        f'<li><a href="{relative(page, guides.page_of(name))}">'
        f"{html.escape(guides.titles[name])}</a> <small>{html.escape(name)}</small></li>"
        for name in names
    )
    return f"<ul>{''.join(items)}</ul>"


def write_guides(root, site):
    """Writes every Markdown page, the files that they link to, and a list of them. Returns the
    guides, and the sources of the how-tos in the order of their list."""
    guides = Guides(root, site)
    for source in sources(root):
        guides.write(source)
    guides.write_linked()
    others = [name for name in guides.titles if not name.startswith(HOWTOS)]
    order = re.findall(r"\(([\w-]+\.md)\)", (root / HOWTOS / "index.md").read_text())
    howtos = [f"{HOWTOS}/{name}" for name in order]
    page = "pages/index.html"
    site.write(page, "All pages", f"<h1>All pages</h1>\n{list_of(guides, page, others)}")
    return guides, howtos
