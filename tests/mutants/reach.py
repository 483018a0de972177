"""Which tests reach which lines of engine/ and tools/, and how each test is run.

A map is made once, from a build of clang's with -fprofile-instr-generate -fcoverage-mapping, and
kept in a file: for each test, its seconds, and for each file the lines that it runs, as the bits of
a hexadecimal number."""
import concurrent.futures
import glob
import json
import os
import re
import signal
import subprocess
import time

# Options that make a test take a second or two; --whole runs each test as ctest does.
SHORT = {
    "test_engine_model": "--rounds 12", "test_branch_model": "--rounds 15",
    "test_index_model": "--decisions 800", "test_objects_model": "--rounds 15",
    "test_plugin_counts": "--rounds 10", "test_query_model": "--rounds 20",
    "test_transaction_model": "--rounds 20", "test_what_if_model": "--rounds 15",
    "test_engine_threads": "--rounds 1", "test_scheduler_simulation": "--rounds 20",
    "test_engine_model_swept": "--rounds 4", "test_branch_model_swept": "--rounds 4",
    "test_scheduler_simulation_swept": "--rounds 4",
}
# Tests that take minutes, need several processes' faults, or find nothing that others do not.
LEFT_OUT = re.compile(r"test_(what_if_model_swept|replay_openb|bench_digests|real_clusters|crash)$")
# The part of a path that names a file of ours.
OF_OURS = re.compile(r"[:/]((?:engine|tools)/.*)")


def name_of(source, path):
    """A file's name: from engine/ if it is there, else from the root."""
    engine = os.path.join(source, "engine")
    return os.path.relpath(path, engine if path.startswith(engine + "/") else source)


class Test:
    """A program of the build with its options, or a script that runs the program; `folder` is where it
    runs, and `variables` are more of its environment."""

    def __init__(self, name, program, options, folder, script=None, variables=()):
        self.name, self.program, self.options, self.folder = name, program, options, folder
        self.script, self.variables = script, list(variables)

    def command(self, program):
        own = ["bash", self.script] if self.script else [program] + self.options
        return ["env"] + self.variables + own if self.variables else own


def tests_of(source, long_rounds=False):
    found = []
    for room in ("unit", "model"):
        folder = os.path.join(source, "tests", room)
        for entry in sorted(os.listdir(folder)):
            name = entry[:-2]
            if entry.startswith("test_") and entry.endswith(".c"):
                found.append((name, folder))
    found.append(("test_heap_jemalloc", os.path.join(source, "tests", "unit")))
    found += [(name + "_swept", os.path.join(source, "tests", "model"))
              for name in ("test_engine_model", "test_branch_model", "test_scheduler_simulation")]
    tests = [Test(name, name, [] if long_rounds else SHORT.get(name, "").split(), folder)
             for name, folder in found if not LEFT_OUT.search(name)]
    vectors = os.path.join(source, "tests", "vectors")
    # The program that ends without files of vectors, and one that needs a machine with two NUMA nodes.
    models = os.path.join(source, "tests", "model")
    tests = [test for test in tests if test.name != "test_memory_vectors"]
    tests += [Test("test_memory_vectors", "test_memory_vectors",
                   sorted(glob.glob(os.path.join(vectors, "v1.3*", "*.jsonl.gz"))), models),
              Test("test_engine_threads_numa", "test_engine_threads",
                   ["--seed", "100", "--rounds", "1", "--bind", "1"], models,
                   variables=["HWLOC_SYNTHETIC=numa:2 core:2 pu:1"])]
    for version in sorted(os.listdir(vectors)):
        folder = os.path.join(vectors, version)
        for entry in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            family = entry.split(".")[0]
            for path in ("scan", "index"):
                if entry.endswith(".jsonl.gz"):
                    tests.append(Test("vectors_%s_%s_%s" % (version, family, path), "berth",
                                      ["verify", "--path", path, "--threads", "1",
                                       os.path.join(folder, entry)], folder))
    folder = os.path.join(source, "tests", "cli")
    tests += [Test("cli_" + entry[5:-3], "berth", [], folder, entry)
              for entry in sorted(os.listdir(folder))
              if entry.startswith("test_") and entry.endswith(".sh") and not LEFT_OUT.search(entry[:-3])]
    return tests


def environment(source, build, **more):
    env = dict(os.environ, BERTH=os.path.join(build, "bin", "berth"), BERTH_SOURCE=source,
               BERTH_BUILD=build)
    env.setdefault("BERTH_SHARED", os.path.join(source, "..", "shared"))
    return dict(env, **more)


def run(command, folder, env, seconds):
    """Exit code (None: out of time) and seconds."""
    begin, nothing, code = time.monotonic(), subprocess.DEVNULL, None
    with subprocess.Popen(command, cwd=folder, env=env, stdin=nothing, stdout=nothing,
                          stderr=nothing, start_new_session=True) as process:
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL) # with what it started
    return code, time.monotonic() - begin


def lines_run(build, test, profile, source):
    """For each file of engine/ and tools/, the lines that were run, as bits."""
    parts = glob.glob(profile + "*")
    if not parts:
        return {}
    # A process that was killed may have left half of its counts.
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-failure-mode=all", "-o", profile + ".data"] +
                   parts, check=True, stderr=subprocess.DEVNULL)
    program = os.path.join(build, "bin", test.program)
    library = ["-object", os.path.join(build, "lib", "libberth.so")]
    binaries = [program] + (library if test.program == "berth" else [])
    text = subprocess.run(["llvm-cov", "export", "-format=lcov", "-instr-profile",
                           profile + ".data"] + binaries, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode()
    found, name = {}, None
    for line in text.splitlines():
        if line.startswith("SF:"):
            # ccache and -ffile-prefix-map make the beginnings of paths differ.
            inside = OF_OURS.search(line)
            path = os.path.join(source, inside.group(1)) if inside else ""
            name = name_of(source, path) if os.path.exists(path) else None
        elif name and line.startswith("DA:"):
            number, count = line[3:].split(",")[:2]
            if int(count) > 0:
                found[name] = found.get(name, 0) | 1 << int(number)
    for part in parts + [profile + ".data"]:
        os.remove(part)
    return {name: "%x" % lines for name, lines in found.items()}


def make_map(source, build, path, work, jobs):
    found = {}

    def measure(test):
        profile = os.path.join(work, test.name + ".profraw")
        program = os.path.join(build, "bin", test.program)
        if not os.path.exists(program):
            return
        # Each process of a script has counts of its own.
        code, seconds = run(test.command(program), test.folder, environment(
            source, build, LLVM_PROFILE_FILE=profile + ("%p" if test.script else "")), 300)
        files = lines_run(build, test, profile, source)
        if code != 0:
            print("%s: left out, it ends with %s" % (test.name, code), flush=True)
            return
        if files:
            found[test.name] = {"seconds": round(seconds, 3), "files": files}
        print("%s: %.2f s, %d files" % (test.name, seconds, len(files)), flush=True)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(measure, tests_of(source)))
    with open(path, "w") as out:
        json.dump(found, out)
