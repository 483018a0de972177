"""What all pages of the site share: the frame with its navigation, and the paths between pages."""

import html
import os
import pathlib

SECTIONS = [
    ("Berth", "index.html"),
    ("How-tos", "howtos/index.html"),
    ("Commands", "man/index.html"),
    ("C and C++", "api/c/index.html"),
    ("Go", "api/go/index.html"),
    ("Python", "api/python/index.html"),
    ("All pages", "pages/index.html"),
]


def navigation(page, sections):
    """The links at the top of a page, which is a path below the site's folder."""
    links = (f'<a href="{relative(page, to)}">{html.escape(name)}</a>' for name, to in sections)
    return f"<nav>{' '.join(links)}</nav>"


def relative(page, target):
    """The link from one page to another, both of them paths below the site's folder."""
    return os.path.relpath(target, os.path.dirname(page) or ".")


class Site:
    """The folder that the pages are written to. `sections` are the parts that this site has."""

    def __init__(self, folder, sections):
        self.folder = pathlib.Path(folder)
        self.sections = sections

    def write(self, page, title, body):
        """Writes one page."""
        path = self.folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)} - Berth</title>
<link rel="stylesheet" href="{relative(page, "site.css")}">
</head>
<body>
{navigation(page, self.sections)}
<main>
{body}
</main>
</body>
</html>
"""
        )


def sections_of(names):
    """The sections to link to: those whose first path component below the site is in `names`."""
    return [section for section in SECTIONS if os.path.dirname(section[1]) in names]
