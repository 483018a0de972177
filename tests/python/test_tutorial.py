"""The notebook in examples: its cells run in order, and their asserts hold."""

import contextlib
import importlib
import io
import json
import os
import re
import unittest
from typing import Any

from common import SOURCE, Case, berth

EXAMPLES = os.path.join(SOURCE, "engine/bindings/python/examples")
NOTEBOOK = os.path.join(EXAMPLES, "tutorial.ipynb")


def shown(code: str, names: dict[str, Any]) -> Any:
    """Runs a cell, and returns the value of its last line, as a notebook would show it."""
    lines = code.rstrip("\n").split("\n")
    try:
        last = compile(lines[-1], "cell", "eval")
    except SyntaxError:  # the last line is a part of a statement
        exec(compile(code, "cell", "exec"), names)
        return None
    exec(compile("\n".join(lines[:-1]), "cell", "exec"), names)
    return eval(last, names)


class Tutorial(Case):
    def setUp(self) -> None:
        with open(NOTEBOOK, encoding="utf-8") as file:
            self.notebook = json.load(file)

    def cells(self, kind: str) -> list[str]:
        return [
            "".join(cell["source"]) for cell in self.notebook["cells"] if cell["cell_type"] == kind
        ]

    def test_its_cells_run(self) -> None:
        names: dict[str, Any] = {"__name__": "__main__"}
        values, printed = [], io.StringIO()
        with contextlib.redirect_stdout(printed):
            for code in self.cells("code"):
                value = shown(code, names)
                values.append(value)
                if hasattr(value, "_repr_html_"):
                    self.assertIn("<table>", value._repr_html_())
        self.assertGreater(len(values), 10)
        tables = {type(each) for each in values if hasattr(each, "_repr_html_")}
        wanted = {berth.Loaded, berth.Engine, berth.Placement, berth.Explanation}
        self.assertEqual(wanted - tables, set())
        self.assertIn(["c"], values)  # the nodes for a database
        self.assertIn("c NodeResourcesFit ('Insufficient cpu',)", printed.getvalue())
        self.assertIn("cancelled when 0 of at most 1000 pods had fitted", printed.getvalue())

    def test_most_cells_with_answers_assert_them(self) -> None:
        self.assertGreater("".join(self.cells("code")).count("assert "), 12)

    def test_it_is_tidy(self) -> None:
        self.assertEqual(self.notebook["nbformat"], 4)
        identifiers = [cell["id"] for cell in self.notebook["cells"]]
        self.assertEqual(len(set(identifiers)), len(identifiers))
        for cell in self.notebook["cells"]:
            self.assertEqual(cell["metadata"], {})
            if cell["cell_type"] == "code":
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))
        text = json.dumps(self.notebook, indent=1, ensure_ascii=False) + "\n"
        with open(NOTEBOOK, encoding="utf-8") as file:
            self.assertEqual(file.read(), text)

    def test_its_links_lead_to_files(self) -> None:
        links = re.findall(r"\]\(([^)]+)\)", "\n".join(self.cells("markdown")))
        self.assertGreater(len(links), 0)
        for link in links:
            self.assertTrue(os.path.exists(os.path.join(EXAMPLES, link)), link)

    def test_it_is_a_valid_notebook(self) -> None:
        try:
            nbformat = importlib.import_module("nbformat")
        except ImportError:
            return  # test_it_is_tidy looks at the same fields
        nbformat.validate(nbformat.read(NOTEBOOK, as_version=4))


if __name__ == "__main__":
    unittest.main()
