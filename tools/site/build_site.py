"""Builds the site that tools/docs describes.

Usage: build_site.py --root FOLDER --build FOLDER SITE
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

import go_reference
import guides
import manual
import python_reference
from pages import Site, navigation, relative, sections_of

HERE = pathlib.Path(__file__).resolve().parent
INTRODUCTION = """<h1>Berth</h1>
<p>Berth decides on which node of a Kubernetes cluster a pod runs, as kube-scheduler does. This site
documents the program, the library and its bindings. It works without a network.</p>
"""
STARTS = [
    ("Start here", ["README.md", "tools/TOUR.md", "tools/README.md", "tools/live/README.md"]),
    (
        "The library",
        ["engine/README.md", "engine/api/README.md", "engine/versions/README.md"]
        + ["engine/queue/README.md", "engine/plugins/README.md"]
        + ["engine/bindings/go/README.md", "engine/bindings/python/README.md"],
    ),
    ("Berth itself", ["engine/LIMITS.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"]),
]


def write_c_reference(root, site):
    """The reference of C and C++, by Doxygen."""
    folder = site.folder / "api"
    bar = navigation("api/c/index.html", site.sections)
    head = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<title>$title - Berth</title>\n"
        f'<link rel="stylesheet" href="{relative("api/c/index.html", "site.css")}">\n'
        f'</head>\n<body>\n{bar}\n<div id="top">\n'
    )
    folder.mkdir(parents=True)
    (folder / "header.html").write_text(head)
    (folder / "footer.html").write_text("</body>\n</html>\n")
    (folder / "main.dox").write_text(
        "/** @mainpage C and C++\n\nStart with the file berth.h for C and berth.hpp for C++.\n\n"
        "- @ref berth.h\n- @ref berth.hpp\n*/\n"
    )
    settings = (HERE / "doxygen.conf").read_text() + f"""
INPUT = {root}/engine/include/berth {folder}/main.dox
STRIP_FROM_PATH = {root}/engine/include
INPUT_FILTER = "{sys.executable} {HERE}/header_filter.py"
FILTER_PATTERNS = *.dox=cat
OUTPUT_DIRECTORY = {folder}
HTML_HEADER = {folder}/header.html
HTML_FOOTER = {folder}/footer.html
HTML_STYLESHEET = {HERE}/site.css
"""
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True)
    for name in ("header.html", "footer.html", "main.dox"):
        (folder / name).unlink()
    for pattern in ("*.js", "*.png", "*.svg", "*.css"):  # of Doxygen's own frame, which is not used
        for path in (folder / "c").glob(pattern):
            path.unlink()


def write_index(site, pages, howtos):
    """The first page."""
    parts = [INTRODUCTION]
    for title, names in STARTS:
        parts.append(f"<h2>{title}</h2>\n{guides.list_of(pages, 'index.html', names)}")
    if howtos:
        parts.append(f"<h2>How-tos</h2>\n{guides.list_of(pages, 'index.html', howtos)}")
    links = "".join(f'<li><a href="{to}">{name}</a></li>' for name, to in site.sections[2:])
    parts.append(f"<h2>Reference</h2>\n<ul>{links}</ul>")
    site.write("index.html", "Documentation", "\n".join(parts))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("site", type=pathlib.Path)
    options = parser.parse_args()
    program = options.build / "bin" / "berth"
    names = ["", "howtos", "api/c", "api/python", "pages"]
    go = options.root / "engine/bindings/go"
    for name, reason in [("api/go", go_reference.missing(go)), ("man", manual.missing(program))]:
        if reason:
            print(f"tools/docs: left out: {name}: {reason}")
        else:
            names.append(name)
    site = Site(options.site, sections_of(names))
    site.folder.mkdir(parents=True)
    shutil.copy(HERE / "site.css", site.folder)
    pages, howtos = guides.write_guides(options.root, site)
    write_c_reference(options.root, site)
    python_reference.write(options.root / "engine/bindings/python/berth", site)
    if "api/go" in names:
        go_reference.write(go, site)
    if "man" in names:
        manual.write(program, site)
    write_index(site, pages, howtos)


if __name__ == "__main__":
    main()
