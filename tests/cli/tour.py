"""Runs the commands of a page and compares what they print with what the page shows.

Usage: tour.py PAGE FOLDER [--renew] [--only PROGRAM]

A command is a line "    $ ..."; its output follows, indented by four more blanks. Figures of speed are
not compared. A line "..." stands for any number of lines. --renew rewrites the page; --only runs
only commands that begin with PROGRAM, and cannot be combined with --renew.
"""
import argparse
import re
import subprocess
import sys

INDENT = "    "
FIGURES = [
    (re.compile(r"in [0-9.]+ s(, [0-9]+ a second)?"), "in T s"),
    (re.compile(r"^(Decisions a second) .*"), r"\1 R"),
    (re.compile(r"Tried +[0-9]+ plans"), "Tried N plans"),
]


def masked(lines):
    for pattern, text in FIGURES:
        lines = [pattern.sub(text, line) for line in lines]
    return lines


def output_of(command, folder):
    done = subprocess.run(["bash", "-c", "set -o pipefail; " + command], cwd=folder, check=False,
                          capture_output=True, text=True, timeout=60)
    if done.stderr:
        sys.exit(f"{command}: {done.stderr}")
    return done.stdout.rstrip("\n").split("\n")


def pieces(lines):
    """The page as [command or None, lines]; text that is not a command's output is a separate
    piece."""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line.startswith(INDENT + "$ "):
            yield None, [line]
            continue
        shown = []
        while at < len(lines):
            more = lines[at].startswith(INDENT) and not lines[at].startswith(INDENT + "$ ")
            blank = lines[at] == "" and any(
                text.startswith(INDENT) for text in lines[at + 1:at + 2]) and not (
                    lines[at + 1].startswith(INDENT + "$ "))
            if not more and not blank:
                break
            shown.append(lines[at][len(INDENT):])
            at += 1
        yield line[len(INDENT) + 2:], shown


def matches(found, shown):
    """Whether the output is what the page shows, in which "..." stands for any number of lines."""
    if not shown:
        return not found
    if shown[0] == "...":
        return any(matches(found[at:], shown[1:]) for at in range(len(found) + 1))
    return bool(found) and found[0] == shown[0] and matches(found[1:], shown[1:])


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("folder")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--renew", action="store_true")
    kind.add_argument("--only", default="")
    return parser.parse_args()


def main():
    given = arguments()
    page, folder, renew = given.page, given.folder, given.renew
    with open(page, encoding="utf-8") as file:
        lines = file.read().split("\n")
    result, commands, wrong = [], 0, 0
    for command, shown in pieces(lines):
        if command is None or not command.startswith(given.only):
            result += shown
            continue
        commands += 1
        found = output_of(command, folder)
        result.append(INDENT + "$ " + command)
        result += [INDENT + line if line else "" for line in found]
        if not matches(masked(found), masked(shown)) and not renew:
            wrong += 1
            print(f"{page}: {command}: is shown otherwise; BERTH_UPDATE=1 writes it anew")
            for line in found:
                if masked([line])[0] not in masked(shown):
                    print("  printed, not shown: " + line)
    if commands == 0:
        sys.exit(f"{page}: there is no command")
    if renew:
        with open(page, "w", encoding="utf-8") as file:
            file.write("\n".join(result))
    sys.exit(wrong > 0)


main()
