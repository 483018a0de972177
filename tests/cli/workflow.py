"""Runs the steps of a GitHub workflow as GitHub's runner does, except those that use other actions.

Usage: workflow.py WORKFLOW FOLDER

The steps run in FOLDER, each in a shell of its own, with files for its summary (FOLDER/summary.md) and
for folders of programs; steps with "if: failure()" run where one before failed. Each secret and
variable has its name as its value. The exit code is 1 if a step failed. It knows only the parts of
YAML that the example needs.
"""
import os
import re
import subprocess
import sys


def indent_of(line):
    return len(line) - len(line.lstrip())


def steps_of(lines):
    """Each step as its own lines, without their indentation."""
    start = next(i for i, line in enumerate(lines) if line.strip() == "steps:")
    step = []
    for line in lines[start + 1:]:
        if line.lstrip().startswith("- ") and indent_of(line) == indent_of(lines[start]) + 2:
            if step:
                yield step
            step = []
            line = line.replace("- ", "  ", 1)
        step.append(line[indent_of(lines[start]) + 4:])
    yield step


def parse(step):
    """The members of a step: text, or a table of texts."""
    found = {}
    at = 0
    while at < len(step):
        name, value = re.match(r"([a-z-]+): ?(.*)", step[at]).groups()
        at += 1
        block = []
        while at < len(step) and (step[at] == "" or step[at].startswith("  ")):
            block.append(step[at][2:])
            at += 1
        if value == "|":
            value = "\n".join(block) + "\n"
        elif block:
            value = dict(re.match(r"([A-Z_]+): (.*)", line).groups() for line in block)
        found[name] = value
    return found


def run(step, folder, path):
    env = dict(os.environ, RUNNER_TEMP=folder + "/temp", GITHUB_PATH=folder + "/temp/path",
               GITHUB_STEP_SUMMARY=folder + "/summary.md", PATH=path)
    for name, value in step.get("env", {}).items():
        env[name] = re.sub(r"\$\{\{ *([a-z.A-Z_]+) *\}\}", r"\1", value)
    done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                          cwd=folder + "/checkout", env=env, check=False, stdin=subprocess.DEVNULL, timeout=60)
    print(step["name"] + ": exit code", done.returncode)
    return done.returncode == 0


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = [line for line in file.read().split("\n") if not line.startswith("#")]
    folder = os.path.realpath(sys.argv[2])
    os.makedirs(folder + "/temp", exist_ok=True)
    path = os.environ["PATH"]
    good = True
    count = 0
    for step in (parse([line for line in one if line != ""]) for one in steps_of(lines)):
        if "run" not in step or (step.get("if") == "failure()") == good:
            continue
        good = run(step, folder, path) and good
        count += 1
        if os.path.exists(folder + "/temp/path"):
            with open(folder + "/temp/path", encoding="utf-8") as file:
                path = ":".join(file.read().split() + [os.environ["PATH"]])
    if count < 3:
        sys.exit("only %d steps were found" % count)
    sys.exit(0 if good else 1)


main()
