"""The chapter on Python works: its examples are run in order, and print what it shows."""

import contextlib
import doctest
import io
import os
import re
import shutil
import tempfile
import unittest

from scenarios import ROOT

CHAPTER = ROOT / "docs" / "python.md"


def blocks(text):
    """The programs of a chapter, each with what it prints; None where that is not shown."""
    found = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    programs = []
    for place, (kind, body) in enumerate(found):
        if kind != "python":
            continue
        shown = found[place + 1] if place + 1 < len(found) else ("", "")
        programs.append((body, shown[1] if shown[0] == "text" else None))
    return programs


class Chapter(unittest.TestCase):
    def test_every_example_prints_what_is_shown(self):
        programs = blocks(CHAPTER.read_text())
        self.assertGreater(len(programs), 8)
        checker, names, here = doctest.OutputChecker(), {}, os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "scenarios", os.path.join(folder, "scenarios"))
            os.chdir(os.path.join(folder, "scenarios"))
            try:
                for body, shown in programs:
                    printed = io.StringIO()
                    with contextlib.redirect_stdout(printed):
                        exec(compile(body, str(CHAPTER), "exec"), names)
                    if shown is not None:
                        got = printed.getvalue()
                        self.assertTrue(checker.check_output(shown, got, doctest.ELLIPSIS), f"{body}\n{got}")
            finally:
                os.chdir(here)


if __name__ == "__main__":
    unittest.main()
