"""Which tests reach which lines of engine/, and how each test is run.

A map is made once, from a build of clang's with -fprofile-instr-generate -fcoverage-mapping, and
kept in a file: for each test, its seconds, and for each file the lines that it runs, as the bits of
a hexadecimal number."""
import json
import os
import re
import subprocess
import time

# Options that make a test take a second or two; --again runs each test as ctest does.
SHORT = {
    "test_engine_model": "--rounds 12", "test_branch_model": "--rounds 15",
    "test_index_model": "--decisions 800", "test_objects_model": "--rounds 15",
    "test_plugin_counts": "--rounds 10", "test_query_model": "--rounds 20",
    "test_transaction_model": "--rounds 20", "test_what_if_model": "--rounds 15",
    "test_engine_threads": "--rounds 1", "test_scheduler_simulation": "--rounds 20",
    "test_engine_model_swept": "--rounds 4", "test_branch_model_swept": "--rounds 4",
    "test_scheduler_simulation_swept": "--rounds 4",
}
# Tests of the program's own parts, and slow tests that check nothing more than others do.
LEFT_OUT = re.compile(r"test_(what_if_model_swept|curl_transport|stream_cut|lease|serving)$")


class Test:
    """A program of the build with its options; `folder` is where it runs."""

    def __init__(self, name, program, options, folder):
        self.name, self.program, self.options, self.folder = name, program, options, folder


def tests_of(source, long_rounds=False):
    found = []
    for room in ("unit", "model"):
        folder = os.path.join(source, "tests", room)
        for entry in sorted(os.listdir(folder)):
            name = entry[:-2]
            if entry.startswith("test_") and entry.endswith(".c"):
                found.append((name, folder))
    found += [(name + "_swept", os.path.join(source, "tests", "model"))
              for name in ("test_engine_model", "test_branch_model", "test_scheduler_simulation")]
    tests = [Test(name, name, [] if long_rounds else SHORT.get(name, "").split(), folder)
             for name, folder in found if not LEFT_OUT.search(name)]
    vectors = os.path.join(source, "tests", "vectors")
    for version in sorted(os.listdir(vectors)):
        folder = os.path.join(vectors, version)
        for entry in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            family = entry.split(".")[0]
            for path in ("scan", "index"):
                if entry.endswith(".jsonl.gz"):
                    tests.append(Test("vectors_%s_%s_%s" % (version, family, path), "berth",
                                      ["verify", "--path", path, "--threads", "1",
                                       os.path.join(folder, entry)], folder))
    return tests


def environment(source, build, **more):
    env = dict(os.environ, BERTH=os.path.join(build, "bin", "berth"), BERTH_SOURCE=source,
               BERTH_BUILD=build, BERTH_SHARED=os.path.join(source, "..", "shared"))
    return dict(env, **more)


def run(command, folder, env, seconds):
    """Exit code (None: out of time) and seconds."""
    begin = time.monotonic()
    try:
        nothing = subprocess.DEVNULL
        code = subprocess.run(command, cwd=folder, env=env, timeout=seconds, stdin=nothing,
                              stdout=nothing, stderr=nothing, check=False).returncode
    except subprocess.TimeoutExpired:
        code = None
    return code, time.monotonic() - begin


def lines_run(build, program, profile, engine):
    """For each file of engine/, the lines that were run, as bits."""
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", profile + ".data", profile],
                   check=True)
    binary = os.path.join(build, "lib", "libberth.so") if program == "berth" else os.path.join(
        build, "bin", program)
    text = subprocess.run(["llvm-cov", "export", "-format=lcov", "-instr-profile",
                           profile + ".data", binary], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode()
    found, path = {}, None
    for line in text.splitlines():
        if line.startswith("SF:"):
            path = os.path.normpath(os.path.join(build, line[3:]))  # ccache makes it relative
            path = os.path.relpath(path, engine) if path.startswith(engine + "/") else None
        elif path and line.startswith("DA:"):
            number, count = line[3:].split(",")[:2]
            if int(count) > 0:
                found[path] = found.get(path, 0) | 1 << int(number)
    return {path: "%x" % lines for path, lines in found.items()}


def make_map(source, build, path, work):
    engine, tests = os.path.join(source, "engine"), {}
    for test in tests_of(source):
        profile = os.path.join(work, test.name + ".profraw")
        program = os.path.join(build, "bin", test.program)
        if not os.path.exists(program):
            continue
        code, seconds = run([program] + test.options, test.folder,
                            environment(source, build, LLVM_PROFILE_FILE=profile), 300)
        if code != 0:
            print("%s: left out, it ends with %s" % (test.name, code), flush=True)
            continue
        files = lines_run(build, test.program, profile, engine)
        if files:
            tests[test.name] = {"seconds": round(seconds, 3), "files": files}
        os.remove(profile)
        os.remove(profile + ".data")
        print("%s: %.2f s, %d files" % (test.name, seconds, len(files)), flush=True)
    with open(path, "w") as out:
        json.dump(tests, out)
