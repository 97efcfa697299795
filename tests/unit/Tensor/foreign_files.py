"""Writes tensors in the formats of other tools, as their documentation describes them, and the same tensors as expected.npz.

usage: foreign_files.py FOLDER
"""
import base64
import io
import json
import pathlib
import struct
import sys

import numpy

folder = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(1)
tensors = {"features.0/conv": random.normal(0, 1, (1, 3, 5, 4)).astype("float32"), "half": random.normal(0, 1, (7,)).astype("float16"),
           "scores": random.normal(0, 1, (2, 2)), "ids": numpy.arange(-3, 5).reshape(2, 4), "bytes": numpy.arange(250, 256).astype("uint8"),
           "mask": numpy.array([True, False, True]), "scalar": numpy.array(2.5, "float32"), "empty": numpy.zeros((0, 3), "int8")}
numpy.savez(folder / "expected.npz", **tensors)


def safetensors(tensors, metadata=None, padding=b""):
    names = {"float32": "F32", "float16": "F16", "float64": "F64", "int64": "I64", "int8": "I8", "uint8": "U8", "bool": "BOOL"}
    header, data = ({"__metadata__": metadata} if metadata else {}), b""
    for name, array in tensors.items():
        begin = len(data)
        data += array.tobytes()
        header[name] = {"dtype": names[str(array.dtype)], "shape": list(array.shape), "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode() + padding
    return struct.pack("<Q", len(text)) + text + data


def array_of(array):
    file = io.BytesIO()
    numpy.save(file, array)
    return {"array": base64.b64encode(file.getvalue()).decode(), "polygraphy_class": "ndarray"}


def results(*runners, is_lazy=True):
    def outputs(run):
        return {name: {"values": array_of(array), "polygraphy_class": "LazyArray"} if is_lazy else array_of(array) for name, array in run.items()}

    runs = [[name, [{"outputs": outputs(run), "runtime": 0.5, "runner_name": name, "polygraphy_class": "IterationResult"} for run in iterations]]
            for name, iterations in runners]
    return {"lst": runs, "polygraphy_class": "RunResults"}


(folder / "x.safetensors").write_bytes(safetensors(tensors))
(folder / "padded.safetensors").write_bytes(safetensors(tensors, {"format": "pt"}, b"    "))
(folder / "cut.safetensors").write_bytes(safetensors(tensors)[:-1])
(folder / "outputs.json").write_text(json.dumps(results(("trt-runner", [tensors])), indent=1))
(folder / "old.json").write_text(json.dumps(results(("onnxrt-runner", [tensors]), is_lazy=False)))
(folder / "inputs.json").write_text(json.dumps([{name: array_of(array) for name, array in tensors.items()}]))
(folder / "two.json").write_text(json.dumps(results(("trt-runner", [tensors]), ("onnxrt-runner", [tensors]))))
(folder / "often.json").write_text(json.dumps(results(("trt-runner", [tensors, tensors]))))
