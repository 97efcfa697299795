"""Miscompilations of XLA, of the graph optimiser of TensorFlow and of TensorFlow Lite, as their trackers describe them."""

import numpy
from case import case
from onnx import numpy_helper


def constant_of(graph, name):
    """The array of a constant."""
    return next(numpy_helper.to_array(tensor) for tensor in graph.initialisers if tensor.name == name)


@case("xla-11772", "https://github.com/openxla/xla/issues/11772", "rewrite",
      "A softmax along the first axis is replaced by a library call that works along the last one")
def softmax_of_the_library(graph):
    x = graph.input([8, 64, 32])
    x = graph.node("MatMul", x, graph.normal([32, 48], 0.18))
    x = graph.node("Tanh", x)
    weights = graph.node("MatMul", x, graph.normal([48, 1], 0.3))
    weights = graph.node("Softmax", weights, axis=2 if graph.is_wrong else 0)
    x = graph.node("Mul", x, weights)
    x = graph.node("ReduceSum", x, graph.constant([0], "int64"), keepdims=0)
    graph.node("MatMul", x, graph.normal([48, 16]))


@case("xla-46110", "https://github.com/openxla/xla/issues/46110", "rewrite",
      "A factor behind MatMul and bias is folded into the MatMul alone, so the bias is not scaled")
def bias_not_scaled(graph):
    # Could also be bias_loading: the bias is added with another scale than the sums have.
    x = graph.input([64, 96])
    hidden = graph.node("MatMul", x, graph.normal([96, 128], 0.1))
    hidden = graph.node("Relu", graph.node("Add", hidden, graph.normal([128], 0.5)))
    product = graph.node("MatMul", hidden, graph.normal([128, 96], 0.1))
    bias = graph.normal([96], 0.5)
    scaled = graph.node("Mul", graph.node("Add", product, bias), graph.constant(0.1, "float32"))
    scaled = graph.replaced(scaled, lambda array: numpy.float32(0.1) * graph.value(product) + constant_of(graph, bias))
    x = graph.node("Add", x, scaled)
    graph.node("LayerNormalization", x, graph.constant(numpy.ones(96), "float32"), graph.constant(numpy.zeros(96), "float32"), axis=-1)


@case("xla-46897", "https://github.com/openxla/xla/issues/46897", "rewrite",
      "A bias for each row of a matrix product is fused into it as a bias for each column")
def bias_along_the_wrong_axis(graph):
    # Could also be bias_loading: outputs get the biases of other outputs.
    x = graph.input([96, 48])
    x = graph.node("MatMul", graph.normal([64, 96], 0.1), x)
    x = graph.node("Relu", x)
    product = graph.node("MatMul", graph.normal([64, 64], 0.15), x)
    bias = graph.normal([64, 1], 0.5)
    x = graph.node("Add", product, bias)
    x = graph.replaced(x, lambda array: graph.value(product) + constant_of(graph, bias)[:48].reshape(1, 48))
    x = graph.node("Relu", x)
    graph.node("MatMul", graph.normal([32, 64], 0.12), x)


@case("tensorflow-47986", "https://github.com/tensorflow/tensorflow/pull/47986", "rewrite",
      "Division by one that rounds down is removed as if it changed nothing, so nothing is rounded")
def rounding_division_removed(graph):
    # Could also be rounding.
    x = graph.input([1, 32, 14, 14])
    x = graph.node("Conv", x, graph.normal([48, 32, 3, 3], 0.2), graph.normal([48]), pads=[1, 1, 1, 1])
    quotient = graph.node("Div", x, graph.constant(1, "float32"))
    x = graph.node("Floor", quotient)
    x = graph.replaced(x, lambda array: graph.value(quotient))
    x = graph.node("Mul", x, graph.constant(0.25, "float32"))
    graph.node("Conv", x, graph.normal([16, 48, 1, 1]), graph.normal([16]))


@case("tensorflow-52045", "https://github.com/tensorflow/tensorflow/issues/52045", "rewrite",
      "One minus x plus epsilon is regrouped to one plus epsilon minus x, and epsilon is lost in the folded constant",
      taught="As onnxruntime-22557: a lost epsilon, and minus infinity one node later. Not noticed.")
def epsilon_lost_in_constant(graph):
    # Could also be type_decision: in double precision the folded constant would keep epsilon.
    x = graph.input([16, 64])
    x = graph.node("MatMul", x, graph.normal([64, 128], 0.9))
    probability = graph.node("Sigmoid", x)
    rest = graph.node("Sub", graph.constant(1, "float32"), probability)
    rest = graph.node("Add", rest, graph.constant(1e-9, "float32"))
    rest = graph.replaced(rest, lambda array: numpy.float32(1 + 1e-9) - graph.value(probability))
    x = graph.node("Log", rest)
    graph.node("ReduceMean", x, axes=[1])


@case("tensorflow-58863", "https://github.com/tensorflow/tensorflow/pull/58863", "rewrite",
      "A layer normalisation that is fused from its parts does not get the epsilon of the network, but the default one")
def epsilon_not_passed_on(graph):
    x = graph.input([1, 64, 128])
    x = graph.node("MatMul", x, graph.normal([128, 96], 0.006))
    x = graph.node("Add", x, graph.normal([96], 0.02))
    gain, shift = graph.constant(graph.random.uniform(0.5, 1.5, 96), "float32"), graph.normal([96], 0.1)
    x = graph.node("LayerNormalization", x, gain, shift, axis=-1, epsilon=1e-3 if graph.is_wrong else 1e-6)
    x = graph.node("MatMul", x, graph.normal([96, 128], 0.1))
    graph.node("Relu", x)


@case("tensorflow-37279", "https://github.com/tensorflow/tensorflow/pull/37279", "scaling",
      "A quantised leaky relu copies positive integers, although its result has another scale than its input")
def positive_integers_copied(graph):
    # Could also be quantisation_type: the zero points differ as well.
    x = graph.input([1, 16, 28, 28])
    _, x = graph.quantised(x, 0.03, 128, "uint8")
    x = graph.node("Conv", x, graph.normal([32, 16, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])
    before, x = graph.quantised(x, 0.04, 128, "uint8")
    x = graph.node("LeakyRelu", x, alpha=0.1)
    scale, zero_point = graph.constant(0.022, "float32"), graph.constant(23, "uint8")
    after = graph.node("QuantizeLinear", x, scale, zero_point)
    after = graph.replaced(after, lambda array: numpy.where(graph.value(before) >= 128, graph.value(before), array))
    x = graph.node("DequantizeLinear", after, scale, zero_point)
    x = graph.node("Conv", x, graph.normal([16, 32, 1, 1]), graph.normal([16]))
    graph.quantised(x, 0.03, 128, "uint8")


@case("tensorflow-54333", "https://github.com/tensorflow/tensorflow/pull/54333", "rounding",
      "A quantised average pooling subtracts the zero point before it rounds, so means half way between integers are rounded to the other side")
def halves_rounded_up(graph):
    x = graph.input([1, 16, 28, 28])
    _, x = graph.quantised(x, 0.03, 0)
    x = graph.node("Conv", x, graph.normal([32, 16, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    before, x = graph.quantised(x, 0.015625, -128)
    x = graph.node("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
    scale, zero_point = graph.constant(0.015625, "float32"), graph.constant(-128, "int8")
    after = graph.node("QuantizeLinear", x, scale, zero_point)

    def rounded(array):
        sums = (graph.value(before).astype(numpy.int32) + 128).reshape(1, 32, 14, 2, 14, 2).sum(axis=(3, 5))
        return (sums + 2) // 4 - 128

    after = graph.replaced(after, rounded)
    x = graph.node("DequantizeLinear", after, scale, zero_point)
    x = graph.node("Conv", x, graph.normal([16, 32, 1, 1]), graph.normal([16]))
    graph.quantised(x, 0.03, 0)


@case("tensorflow-56493", "https://github.com/tensorflow/tensorflow/pull/56493", "quantisation_type",
      "The product of a gate and a state in a quantised LSTM has its zero point subtracted instead of added")
def zero_point_subtracted(graph):
    x = graph.input([1, 32, 64])
    _, x = graph.quantised(x, 0.03, 0)
    gate = graph.node("Sigmoid", graph.node("Add", graph.node("MatMul", x, graph.normal([64, 48], 0.2)), graph.normal([48], 0.3)))
    state = graph.node("Tanh", graph.node("Add", graph.node("MatMul", x, graph.normal([64, 48], 0.2)), graph.normal([48], 0.3)))
    _, gate = graph.quantised(gate, 1 / 256, -128)
    _, state = graph.quantised(state, 1 / 128, 0)
    x = graph.node("Mul", gate, state)
    scale, zero_point = graph.constant(0.0075, "float32"), graph.constant(-7, "int8")
    integers = graph.node("QuantizeLinear", x, scale, zero_point)
    integers = graph.replaced(integers, lambda array: numpy.clip(numpy.rint(graph.value(x) / numpy.float32(0.0075)) + 7, -128, 127))
    x = graph.node("DequantizeLinear", integers, scale, zero_point)
    x = graph.node("MatMul", x, graph.normal([48, 32]))
    graph.quantised(x, 0.02, 0)
