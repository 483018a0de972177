#!/usr/bin/env python3
"""Checks a site: every link inside of it leads to a file and an anchor, and no page needs the
network.

Usage: check_links.py SITE
"""

import html.parser
import pathlib
import sys
import urllib.parse

LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src")}


class Page(html.parser.HTMLParser):
    """The anchors and links of one page."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.problems = {"", "top"}, [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        if tag == "script":
            self.problems.append("has a script")
        for name, value in attrs:
            value = value or ""
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in ("href", "src"):
                outside = urllib.parse.urlsplit(value).scheme or value.startswith("//")
                if outside and (tag, name) in LOADED:
                    self.problems.append(f"loads {value}")
                elif not outside:
                    self.links.append(value)


def problems_of(path, page, pages):
    """What is wrong with the links of one page."""
    yield from page.problems
    for link in page.links:
        parts = urllib.parse.urlsplit(link)
        target = path
        if parts.path:
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve()
        if not target.is_file():
            yield f"links to {link}, which is not there"
        elif target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
            yield f"links to {link}, which has no such anchor"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_links.py SITE")
    folder = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    found = [
        f"{path.relative_to(folder)} {problem}"
        for path, page in pages.items()
        for problem in problems_of(path, page, pages)
    ]
    print("\n".join(sorted(set(found))), end="\n" if found else "")
    links = sum(len(page.links) for page in pages.values())
    print(f"{len(pages)} pages, {links} links, {len(set(found))} problems")
    sys.exit(1 if found or not pages else 0)


if __name__ == "__main__":
    main()
