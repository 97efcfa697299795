"""A documented miscompilation, re-created: two ONNX models that differ only in the wrong arithmetic, and the class of the bug.

A case is written as one function, which builds the right model and, with `graph.is_wrong`, the wrong one:

    @case("tvm-1234", "https://github.com/apache/tvm/issues/1234", "padding", "AvgPool counts padded elements at the right border",
          taught="...")
    def average_of_padding(graph):
        x = graph.input([1, 32, 28, 28])
        x = graph.node("Conv", x, graph.normal([48, 32, 3, 3]), graph.normal([48]), pads=[1, 1, 1, 1])
        x = graph.node("AveragePool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1 if graph.is_wrong else 0)
        graph.node("Relu", x)

Nodes in front of the wrong one and behind it make it a layer of a network, as in the reports. Both models have the same values under the
same names. Where ONNX has no operator for the wrong arithmetic, graph.replaced() computes the value with numpy.
"""

import dataclasses
import io
import pathlib
import subprocess
import tempfile
from collections.abc import Callable

import numpy
import onnx
from onnx import helper, mapping, numpy_helper


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    link: str
    bug_class: str  # as `tilerig inject --list` names classes
    title: str  # what went wrong, in one line
    taught: str  # what the case shows about classes or evidence; empty if nothing new
    build: Callable

    @property
    def tracker(self):
        return self.link.split("github.com/")[-1].split("/issues")[0].split("/pull")[0]


CASES = []


def case(name, link, bug_class, title, taught=""):
    def register(build):
        CASES.append(Case(name, link, bug_class, title, taught, build))
        return build

    return register


class Graph:
    """Builds the right or the wrong model of a case. Names of values are numbers in the order of creation, equal in both models."""

    def __init__(self, tilerig, is_wrong, seed, opset=17):
        self.tilerig, self.is_wrong, self.opset = tilerig, is_wrong, opset
        self.random = numpy.random.default_rng(seed)
        self.nodes, self.initialisers, self.inputs, self.fed, self.count, self.last = [], [], [], {}, 0, None

    def fresh(self, stem):
        self.count += 1
        return f"{stem}_{self.count}"

    def input(self, shape, kind="normal", dtype="float32"):
        """An input of the model: normal numbers, pictures-like smooth ones in 0 ... 1 ("uniform"), or given as an array."""
        name = self.fresh("input")
        value = kind if isinstance(kind, numpy.ndarray) else (self.random.uniform(0, 1, shape) if kind == "uniform" else self.random.normal(0, 1, shape))
        self.fed[name] = value.astype(dtype)
        self.inputs.append(helper.make_tensor_value_info(name, mapping.NP_TYPE_TO_TENSOR_TYPE[numpy.dtype(dtype)], list(shape)))
        return name

    def constant(self, value, dtype=None):
        name = self.fresh("constant")
        self.initialisers.append(numpy_helper.from_array(numpy.ascontiguousarray(numpy.asarray(value, dtype=dtype)), name))
        return name

    def normal(self, shape, scale=None):
        """Weights: normal numbers, by default scaled so that sums of products have a variance near 1."""
        depth = numpy.prod(shape[1:]) if len(shape) > 1 else 4
        return self.constant(self.random.normal(0, scale or float(depth) ** -0.5, shape), "float32")

    def node(self, op, *operands, outputs=1, **attributes):
        names = [self.fresh(op.lower()) for _ in range(outputs)]
        self.nodes.append(helper.make_node(op, [it or "" for it in operands], names, name=f"{op}_{self.count}", **attributes))
        self.last = names[-1]
        return names[0] if outputs == 1 else names

    def quantised(self, x, scale, zero_point=0, dtype="int8"):
        """QuantizeLinear and DequantizeLinear behind a value: the names of the integers and of the floats."""
        scale, zero_point = self.constant(scale, "float32"), self.constant(zero_point, dtype)
        integers = self.node("QuantizeLinear", x, scale, zero_point)
        return integers, self.node("DequantizeLinear", integers, scale, zero_point)

    def quantised_weights(self, shape, scale=None):
        """Weights in int8 with one scale for all, dequantised."""
        weights = self.random.normal(0, float(numpy.prod(shape[1:])) ** -0.5, shape)
        scale = scale or float(abs(weights).max()) / 127
        integers = numpy.clip(numpy.rint(weights / scale), -127, 127)
        return self.node("DequantizeLinear", self.constant(integers, "int8"), self.constant(scale, "float32"), self.constant(0, "int8"))

    def hidden(self, build):
        """Nodes that only this one of the two models has: their names do not count. `build` returns the name of the value it made; constants
        have to be made before, in both models."""
        count, before = self.count, len(self.nodes)
        name = build()
        for node in self.nodes[before:]:
            for i, output in enumerate(node.output):
                node.output[i] = "hidden_" + output
            for i, operand in enumerate(node.input):
                if any("hidden_" + operand in other.output for other in self.nodes[before:]):
                    node.input[i] = "hidden_" + operand
        self.count = count
        return "hidden_" + name

    def value(self, name):
        """The array that the model built so far computes for a value."""
        with tempfile.TemporaryDirectory() as folder:
            return computed(self.tilerig, self.model([name]), self.fed, pathlib.Path(folder), [name])[name]

    def replaced(self, name, function):
        """In the wrong model, the value is function(array) instead, computed with numpy; in the right one it stays. Returns the name."""
        if not self.is_wrong:
            return name
        array = self.value(name)
        wrong = numpy.ascontiguousarray(function(array.copy())).astype(array.dtype)
        assert wrong.shape == array.shape, (name, array.shape, wrong.shape)
        for node in self.nodes:
            for i, output in enumerate(node.output):
                if output == name:
                    node.output[i] = "hidden_" + name
        self.initialisers.append(numpy_helper.from_array(wrong, "hidden_value_" + name))
        self.nodes.append(helper.make_node("Identity", ["hidden_value_" + name], [name], name="wrong_" + name))
        return name

    def model(self, outputs=None):
        outputs = [helper.make_empty_tensor_value_info(name) for name in outputs or [self.last]]
        graph = helper.make_graph(self.nodes, "case", self.inputs, outputs, self.initialisers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        return onnx.shape_inference.infer_shapes(model)


def computed(tilerig, model, inputs, folder, names=None):
    """The values of a model in the reference interpreter of tilerig: those named, or all."""
    path, fed, tensors = folder / "m.onnx", folder / "in.npz", folder / "out.npz"
    onnx.save(model, path)
    numpy.savez(fed, **inputs)
    words = [tilerig, "reference", path, "-i", fed, "--capture", ",".join(names) if names else "all", "--capture-to", tensors]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    with numpy.load(io.BytesIO(tensors.read_bytes())) as file:
        return {name: file[name] for name in file.files}


def pair(tilerig, case, seed=0):
    """The right model, its inputs, and the values of the right and of the wrong model."""
    models, values = [], []
    for is_wrong in (False, True):
        graph = Graph(tilerig, is_wrong, seed)
        case.build(graph)
        models.append(graph.model())
        with tempfile.TemporaryDirectory() as folder:
            values.append(computed(tilerig, models[-1], graph.fed, pathlib.Path(folder)))
    right = {node_output for node in models[0].graph.node for node_output in node.output}
    return models[0], graph.fed, *({name: array for name, array in dump.items() if name in right} for dump in values)
