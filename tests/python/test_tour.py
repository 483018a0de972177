"""The tour in the package's README prints the output that is shown there."""

import doctest
import os
import unittest

from common import SOURCE

README = os.path.join(SOURCE, "engine/bindings/python/README.md")


class Tour(unittest.TestCase):
    def test_it(self) -> None:
        failed, tried = doctest.testfile(
            README, module_relative=False, optionflags=doctest.ELLIPSIS
        )
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 20)


if __name__ == "__main__":
    unittest.main()
