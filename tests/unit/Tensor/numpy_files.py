"""The numpy side of NumpyTest.cpp: `write FOLDER` writes the files that C++ reads, `check FOLDER` checks those that C++
wrote.

Both sides compute the contents from the type and the shape, so that neither trusts a file of the other.
"""
import sys
import zipfile
from pathlib import Path

import numpy as np

TYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "bool", "complex64", "complex128"]
SHAPES = [(), (0,), (5,), (2, 3), (3, 0, 2), (2, 3, 4), (1, 1, 1, 1, 7), (100, 33)]


def contents(type_name, shape):
    """Arbitrary bits from a linear congruential generator; 0 and 1 for bool."""
    dtype = np.dtype(type_name)
    count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    state, data = 12345, bytearray(count)
    for index in range(count):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        data[index] = (state >> 16) & (1 if type_name == "bool" else 255)
    return np.frombuffer(bytes(data), dtype).reshape(shape)


def name_of(type_name, shape):
    return "-".join([type_name, *map(str, shape)])


def all_tensors():
    return {name_of(t, s): contents(t, s) for t in TYPES for s in SHAPES}


def write(folder):
    for name, array in all_tensors().items():
        np.save(folder / f"{name}.c.npy", array)
        np.save(folder / f"{name}.fortran.npy", np.asarray(array, order="F"))
        np.save(folder / f"{name}.big.npy", array.byteswap().view(array.dtype.newbyteorder(">")))
        for major in (2, 3):
            with open(folder / f"{name}.v{major}.npy", "wb") as file:
                np.lib.format.write_array(file, array, version=(major, 0))
    np.savez(folder / "stored.npz", **all_tensors())
    np.savez_compressed(folder / "deflated.npz", **all_tensors())
    mixed = {"a/b": np.asfortranarray(contents("float32", (2, 3))), "größe": contents("int8", (5,)),
             "x.npy": contents("uint8", (5,)), "": contents("bool", ())}
    np.savez(folder / "names.npz", **mixed)
    with open(folder / "streamed.npz", "wb") as file:  # not seekable: sizes come in data descriptors
        file.seekable = lambda: False
        np.savez_compressed(Unseekable(file), x=contents("float32", (100, 33)))
    np.save(folder / "object.npy", np.array([None]), allow_pickle=True)
    np.save(folder / "text.npy", np.array(["abc"]))
    np.save(folder / "structure.npy", np.zeros(2, [("a", "<f4"), ("b", "<i4")]))


class Unseekable:
    def __init__(self, file):
        self.write, self.flush = file.write, file.flush

    def read(self, *_):  # numpy treats an object as a file if it has `read`
        raise OSError


def same(left, right):
    return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()


def check(folder):
    for name, array in all_tensors().items():
        ours = folder / f"{name}.npy"
        assert same(np.load(ours), array), name
        np.save(folder / "numpy.npy", array)
        assert ours.read_bytes() == (folder / "numpy.npy").read_bytes(), f"{name}: the file differs from the one that numpy writes"
    for archive in sorted(folder.glob("*.npz")):
        assert zipfile.ZipFile(archive).testzip() is None, archive
        with np.load(archive) as tensors:
            assert list(tensors) == [*all_tensors(), "a/b", "größe"], archive
            for name, array in all_tensors().items():
                assert same(tensors[name], array), f"{archive}: {name}"
            assert same(tensors["a/b"], np.array([0x3F80, 0xC000], np.uint16)), archive  # written as bfloat16


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](Path(sys.argv[2]))
