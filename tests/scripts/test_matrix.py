"""Tests of tests/conformance/matrix and of the comparison in tests/conformance/bits, with fake commands."""

import subprocess
import tempfile
import unittest
from pathlib import Path

MATRIX = Path(__file__).resolve().parents[1] / "conformance" / "matrix"

# A fake of every tilerig command. It refuses the machine `tiny` and fails on the machine `broken`. Tensor t
# has the elements 1, 2, 3 according to the reference, but 1, 2, 4 on the device in the precision `bad`.
COMMAND = """#!/usr/bin/python3
import json, pathlib, sys
import numpy
here, words = pathlib.Path(__file__).parent, sys.argv[1:]
with (here / "log").open("a") as log:
    print(*words, file=log)
after = lambda option: words[words.index(option) + 1] if option in words else None
machine, last = after("--machine"), 3
if machine in ("tiny", "broken"):
    print(f"tilerig compile: {machine} will not do")
    sys.exit(3 if machine == "tiny" else 4)
if words[0] == "compile" and after("-o").endswith(".trb"):
    pathlib.Path(after("-o")).write_text(after("--precision"))
if words[0] == "compile" and after("-o").endswith(".onnx"):
    pathlib.Path(after("-o")).write_bytes(b"") # a model without anything
if words[0] == "run" and pathlib.Path(words[1]).read_text() == "bad":
    last = 4
if words[0] == "reference" and after("--save-inputs"):
    numpy.savez(after("--save-inputs"), x=numpy.zeros(2, numpy.float32))
for option in ("-o", "--capture-to"):
    if words[0] != "compile" and after(option):
        numpy.savez(after(option), t=numpy.array([1, 2, last], numpy.float32))
"""


class Matrix(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        for name in ("tilerig", "tilerig-compile", "tilerig-run", "tilerig-reference"):
            (self.folder / name).write_text(COMMAND)
            (self.folder / name).chmod(0o755)
        (self.folder / "mine.onnx").write_text("a model")

    def matrix(self, *words):
        state, table = self.folder / "state", self.folder / "table"
        done = subprocess.run(
            [MATRIX, "--commands", self.folder, "--models", self.folder / "mine.onnx", "--state", state, "--table", table,
             *words],
            capture_output=True, text=True)
        return done.returncode, table.read_text()

    def commands_run(self):
        log = self.folder / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines

    def test_equal(self):
        code, table = self.matrix("--precisions", "fp32", "int8", "--tiles", "64", "4@tr16")
        self.assertEqual(code, 0)
        self.assertIn("8 equal, 0 different, 0 refused, 0 failed.", table)
        self.assertIn("compiled in fp32, int8 for 64@tr64, 4@tr16 (tiles@machine), and run in mode fast, timed, on inputs of seed 1",
                      table)
        self.assertIn("| mine.onnx | 8 | 0 | 0 | 0 | 16 |", table)
        self.assertNotIn("not equal", table)

    def test_different(self):
        code, table = self.matrix("--precisions", "fp32", "bad", "--tiles", "64", "--modes", "fast")
        self.assertEqual(code, 1)
        self.assertIn("1 equal, 1 different, 0 refused, 0 failed.", table)
        self.assertIn("| mine.onnx | 1 | 1 | 0 | 0 | 4 |", table)
        self.assertIn("| mine.onnx | bad | 64@tr64 | fast | **2 differ**: ", table)

    def test_refused_is_no_failure(self):
        code, table = self.matrix("--precisions", "fp32", "--tiles", "64", "4@tiny", "--modes", "fast")
        self.assertEqual(code, 0)
        self.assertIn("| mine.onnx | 1 | 0 | 1 | 0 | 2 |", table)
        self.assertIn("| mine.onnx | fp32 | 4@tiny | fast | refused: tilerig compile: tiny will not do |", table)

    def test_modes_with_the_same_result_share_a_row(self):
        _, table = self.matrix("--precisions", "fp32", "--tiles", "64", "4@tiny")
        self.assertIn("| mine.onnx | fp32 | 4@tiny | fast, timed | refused: tilerig compile: tiny will not do |", table)

    def test_failed(self):
        code, table = self.matrix("--precisions", "fp32", "--tiles", "4@broken", "64", "--modes", "fast")
        self.assertEqual(code, 1)
        self.assertIn("| mine.onnx | 1 | 0 | 0 | 1 | 2 |", table)
        self.assertIn("| mine.onnx | fp32 | 4@broken | fast | failed: ", table)

    def test_takes_up_where_it_was(self):
        words = ["--precisions", "fp32", "int8", "--tiles", "64", "--modes", "fast"]
        self.matrix(*words)
        self.commands_run()
        _, first = self.matrix(*words)
        self.assertEqual(self.commands_run(), [])
        state = self.folder / "state"
        state.write_text(state.read_text()[:-20])  # as if interrupted while writing the last line
        for _ in range(2):
            code, table = self.matrix(*words)
            self.assertEqual((code, table), (0, first))
        again = self.commands_run()
        self.assertEqual(sum(line.startswith("run") for line in again), 1, again)

    def test_known_alone(self):
        words = ["--modes", "fast", "--tiles", "64"]
        self.matrix(*words, "--precisions", "int8")
        self.commands_run()
        code, table = self.matrix(*words, "--precisions", "fp32", "int8", "--known")
        self.assertEqual((code, self.commands_run()), (0, []))
        self.assertIn("1 equal, 0 different, 0 refused, 0 failed; 1 not run.", table)
        self.assertIn("| mine.onnx | 1 | 0 | 0 | 0 | 2 |", table)

    def test_other_seed_model_or_commands_are_new(self):
        words = ["--precisions", "fp32", "--tiles", "64", "--modes", "fast"]
        self.matrix(*words)
        for change in ("seed", "model", "command"):
            self.commands_run()
            if change == "seed":
                words += ["--seed", "2"]
            else:
                file = self.folder / ("mine.onnx" if change == "model" else "tilerig-run")
                file.write_text(file.read_text() + "# another\n")
            self.matrix(*words)
            self.assertNotEqual(self.commands_run(), [], change)


if __name__ == "__main__":
    unittest.main()
