"""Write the C source of berth._native: the public headers, as cffi sees them.

The declarations come from berth/berth.h after the C preprocessor, so they include each function,
struct and enum of the installed headers, with the compiler's own sizes and values.
"""

import argparse
import pathlib
import re
import subprocess
import tempfile

import cffi

HERE = pathlib.Path(__file__).resolve().parent
# Types of the C library that cffi knows by itself; their headers are left out.
SYSTEM_HEADERS = ("stdbool.h", "stddef.h", "stdint.h", "stdio.h")
# An inline function, which is declared to Python like any other; the C compiler sees its body.
INLINE = re.compile(r"^static inline ([^{;]*?)\n\{\n.*?^\}$", re.MULTILINE | re.DOTALL)
# Numbers that the headers define as macros; their values are the compiler's.
NUMBER = re.compile(r"^#define (BERTH_[A-Z_]+) (?:\(?[0-9]|U?INT(?:32|64)_)", re.MULTILINE)


def preprocess(cc: str, include: pathlib.Path, text: str, *options: str) -> str:
    """The preprocessor's output for a text that includes the public headers."""
    with tempfile.TemporaryDirectory() as empty:
        for name in SYSTEM_HEADERS:
            pathlib.Path(empty, name).touch()
        command = [cc, "-E", *options, "-nostdinc", "-U__GNUC__"]
        command += ["-I", empty, "-I", str(include), "-I", str(HERE), "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"generate.py: {' '.join(command)}: {done.stderr}")
    return done.stdout


def declarations(cc: str, include: pathlib.Path) -> str:
    """Everything that the headers, batch.h and slices.h declare, and the numbers that they define."""
    declared = preprocess(cc, include, "#include <batch.h>\n#include <slices.h>\n", "-P")
    numbers = NUMBER.findall(preprocess(cc, include, "#include <berth/berth.h>\n", "-dM"))
    if "BERTH_NODE_NONE" not in numbers or "berth_engine_schedule" not in declared:
        raise SystemExit("generate.py: these are not the headers of Berth")
    declared = INLINE.sub(r"\1;", declared)
    return declared + "".join(f"#define {name} ...\n" for name in sorted(numbers))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cc", default="cc", help="the C compiler")
    parser.add_argument(
        "--include", type=pathlib.Path, required=True, help="folder of berth/berth.h"
    )
    parser.add_argument("--output", type=pathlib.Path, required=True, help="the C file to write")
    arguments = parser.parse_args()

    builder = cffi.FFI()
    builder.cdef(declarations(arguments.cc, arguments.include))
    builder.cdef('extern "Python" {\n' + (HERE / "callbacks.h").read_text() + "}\n")
    builder.set_source("berth._native", '#include "batch.h"\n#include "slices.h"\n')
    builder.emit_c_code(str(arguments.output))


if __name__ == "__main__":
    main()
