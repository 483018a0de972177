"""Doxygen's input filter: makes the plain comments of the public headers visible to it.

Usage: header_filter.py HEADER > FILTERED
A comment before a declaration becomes one of Doxygen's, and so does one behind a member. Code
inside of comments stays code; Owner, Threads, Errors and Cost become headings; names of functions
become links. Comments inside of function bodies and lines like `---- Pod ----` stay as they are.
"""

import pathlib
import re
import sys

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[{}]', re.S)
BODY = re.compile(r"\)\s*(?:(?:const|noexcept|override|final)\s*)*$")
HEADING = re.compile(r"(?:^|(?<=[.)] ))(Owner|Threads|Errors|Cost|NULL):\s+")
SPECIAL = re.compile(r'[\\@<>&#%"]')


def function_names(folder):
    """The names of the functions that the headers declare."""
    names = set()
    for header in folder.iterdir():
        code = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        names.update(re.findall(r"\b(berth_\w+)\(", code))
    return names


def prose(line, functions):
    """A line of text, for Doxygen."""
    out = []
    for i, part in enumerate(re.split(r"`([^`]*)`", line)):
        part = SPECIAL.sub(r"\\\g<0>", part)
        if i % 2:
            out.append(f"<code>{part}</code>")
            continue
        part = re.sub(
            r"\bberth_\w+",
            lambda name: ("#" if name[0] in functions else "") + name[0],
            part,
        )
        out.append(HEADING.sub(r"\n\n@par \1\n", part))
    return "".join(out)


def text_of(comment):
    """The lines of a comment, without its frame."""
    lines = comment[2:-2].split("\n")
    return [lines[0].strip()] + [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in lines[1:]]


def converted(comment, opening, functions, starred):
    """A comment as Doxygen's. A block of indented lines is code or a table, and stays as it is."""
    out, block, blank = [], [], 0
    lines = text_of(comment)
    if not starred:  # aligned with its code, so indentation means nothing
        lines = [line.strip() for line in lines]
    for line in lines + ["end"]:
        if line.startswith("  ") or (block and not blank and line.startswith(" ")):
            block += [""] * (blank if block else 0) + [line]
            if len(block) == 1:
                out += [""] * blank
            blank = 0
        elif not line:
            blank += 1
        else:
            if block:
                out += ["@verbatim", *block, "@endverbatim"]
            out += [""] * blank + [prose(line, functions)]
            block, blank = [], 0
    return opening + "\n".join(out[:-1]) + " */"


def filtered(code, functions):
    """The header's text with its comments converted."""
    out, end, stack, first = [], 0, [], True
    for token in TOKEN.finditer(code):
        out.append(code[end : token.start()])
        end, text = token.end(), token[0]
        before = code[code.rfind("\n", 0, token.start()) + 1 : token.start()]
        if text == "{":
            stack.append(bool(BODY.search(code[: token.start()])))
        elif text == "}" and stack:
            stack.pop()
        elif text.startswith("/*") and not any(stack) and "\\\n" not in text:
            starred = "\n" not in text or re.search(r"\n\s*\*", text)
            if first:
                text = converted(text, "/** @file\n", functions, starred)
            elif "----" in text or re.match(r"\s*#\s*(?:endif|else|if)", before):
                pass
            elif before.strip():
                text = converted(text, "/**< ", functions, starred)
            else:
                text = converted(text, "/** ", functions, starred)
            first = False
        out.append(text)
    return "".join(out) + code[end:]


def main():
    header = pathlib.Path(sys.argv[1])
    sys.stdout.write(filtered(header.read_text(), function_names(header.parent)))


if __name__ == "__main__":
    main()
