"""Base class of the tests of scripts: a temporary tree with copies of the real scripts and files that the
test writes.

The scripts derive the root of the repository from their own path, so a copy works on the tree that it is in.
Programs that would change the machine are replaced by fakes, in a folder at the front of PATH.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent


class ScratchTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = Path(holder.name).resolve() / "tree"
        self.programs = self.root.parent / "programs"
        self.programs.mkdir()
        shutil.copytree(REPOSITORY / "scripts", self.root / "scripts")

    def write(self, path, text=""):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def fake(self, name, text):
        """Replaces a program by a fake, a shell script with the given text."""
        file = self.programs / name
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)

    def run_script(self, *words):
        """Runs scripts/WORDS and returns its exit code and everything it printed."""
        environment = {**os.environ, "PATH": f"{self.programs}:{os.environ['PATH']}"}
        environment.pop("DEBIAN_FRONTEND", None)
        done = subprocess.run(
            [self.root / "scripts" / words[0], *words[1:]],
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.returncode, done.stdout

    def assert_accepted(self, *words):
        code, output = self.run_script(*words)
        self.assertEqual(code, 0, output)
        return output

    def assert_reported(self, expected, *words):
        code, output = self.run_script(*words)
        self.assertEqual(code, 1, output)
        self.assertIn(expected, output)
        return output
