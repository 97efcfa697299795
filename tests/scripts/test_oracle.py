"""Tests that numpy and scripts/oracle read each other's .npz files. Skipped if Node is not installed."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
TYPES = ["f4", "f8", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]

COPY = """
import { readNpz, writeNpz } from '%s/oracle.d/npz.mjs';
const [from, to] = process.argv.slice(-2);
try { writeNpz(to, Object.entries(readNpz(from))); } catch (error) { console.error(error.message); process.exit(3); }
"""


def sample():
    numbers = numpy.array([0, 1, 2, 3, 100, 127]).reshape(2, 3)
    tensors = {f"t/{name}": numbers.astype(name) for name in TYPES}
    tensors["scalar"] = numpy.float32(1.5)
    tensors["empty"] = numpy.zeros((0, 3), numpy.int64)
    tensors["one: ünïcode"] = numpy.array([-(2**63)], numpy.int64)
    return tensors


@unittest.skipUnless(shutil.which("node"), "node is not installed")
class Npz(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def copy(self, before):
        program = self.folder / "copy.mjs"
        program.write_text(COPY % SCRIPTS.as_posix())
        after = self.folder / "after.npz"
        done = subprocess.run(["node", program, before, after], capture_output=True, text=True)
        return done, after

    def test_numpy_and_oracle_read_each_other(self):
        for save in (numpy.savez, numpy.savez_compressed):
            before = self.folder / "before.npz"
            save(before, **sample())
            done, after = self.copy(before)
            self.assertEqual(done.returncode, 0, done.stderr)
            with numpy.load(after) as copied:
                self.assertEqual(sorted(copied.files), sorted(sample()))
                for name, tensor in sample().items():
                    self.assertEqual(copied[name].dtype, tensor.dtype, name)
                    self.assertEqual(copied[name].tobytes(), tensor.tobytes(), name)
                    self.assertEqual(copied[name].shape, tensor.shape, name)

    def test_what_is_no_tensor_is_refused(self):
        numpy.savez(self.folder / "complex.npz", x=numpy.zeros(2, numpy.complex64))
        (self.folder / "other.npz").write_text("no archive")
        for name, reason in (("complex.npz", "<c8"), ("other.npz", "not an .npz file"), ("absent.npz", "ENOENT")):
            done, after = self.copy(self.folder / name)
            self.assertEqual(done.returncode, 3)
            self.assertIn(reason, done.stderr)
            self.assertFalse(after.exists())


if __name__ == "__main__":
    unittest.main()
