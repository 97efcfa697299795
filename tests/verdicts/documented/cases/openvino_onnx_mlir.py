"""Wrong results of OpenVINO (its importer and its GPU plugin) and of ONNX-MLIR (its rewrites and lowerings)."""

import numpy
from case import case


@case("openvino-35942", "https://github.com/openvinotoolkit/openvino/pull/35942", "overflow",
      "A normalisation over large images adds the squares of the deviations in float16, whose range they exceed")
def variance_in_float16(graph):
    x = graph.node("Conv", graph.input([1, 3, 257, 256]), graph.normal([16, 3, 3, 3]), graph.normal([16]), pads=[1, 1, 1, 1])
    scale, bias = (graph.random.normal(centre, 0.3, [16]).astype("float32") for centre in (1, 0))
    y = graph.node("InstanceNormalization", x, graph.constant(scale), graph.constant(bias), epsilon=1e-5)

    def total(array):  # 256 work items add 257 elements each; their sums are added in pairs
        sums = numpy.zeros([16, 256], "float16")
        for i in range(257):
            sums = sums + array[:, i]
        while sums.shape[1] > 1:
            sums = sums[:, 0::2] + sums[:, 1::2]
        return sums

    def wrong(_):
        array = graph.value(x)[0].astype("float16")
        with numpy.errstate(over="ignore", invalid="ignore"):
            deviations = array - (total(array) / numpy.float16(256) / numpy.float16(257))[:, :, None]
            variance = total(deviations * deviations) / numpy.float16(256) / numpy.float16(257)
            factors = scale[:, None] / numpy.sqrt(variance.astype("float32") + numpy.float32(1e-5))
            return (deviations.astype("float32") * factors[:, :, None] + bias[:, None, None])[None]

    x = graph.node("Relu", graph.replaced(y, wrong))
    graph.node("Conv", x, graph.normal([8, 16, 3, 3]), graph.normal([8]), strides=[2, 2], pads=[1, 1, 1, 1])


@case("openvino-38240", "https://github.com/openvinotoolkit/openvino/issues/38240", "rewrite",
      "A slice that reverses a sequence is skipped, because its steps are known only at run time and its result has the shape of its input")
def reversal_skipped(graph):
    x = graph.input([1, 64, 96])
    start, end, step = (graph.input([1], numpy.array([number]), "int64") for number in (-1, -2 ** 31, -1))
    x = graph.node("Relu", graph.node("MatMul", x, graph.normal([96, 128], 96 ** -0.5)))
    backward = graph.node("Slice", x, start, end, graph.constant([1], "int64"), step)
    backward = graph.replaced(backward, lambda _: graph.value(x))
    x = graph.node("Concat", x, backward, axis=2)
    x = graph.node("MatMul", x, graph.normal([256, 64], 0.0625))
    graph.node("Relu", x)


@case("openvino-19650", "https://github.com/openvinotoolkit/openvino/pull/19650", "splitting",
      "A fully connected layer that reads its input in blocks of 8 leaves out the last 4 of 100 products of each sum")
def last_inputs_left_out(graph):
    x = graph.node("Gemm", graph.input([16, 64]), graph.normal([100, 64]), graph.normal([100]), transB=1)
    before = graph.node("Relu", x)
    weights, bias = graph.random.normal(0, 0.1, [48, 100]).astype("float32"), graph.random.normal(0, 0.5, [48]).astype("float32")
    x = graph.node("Gemm", before, graph.constant(weights), graph.constant(bias), transB=1)
    x = graph.replaced(x, lambda _: graph.value(before)[:, :96] @ weights[:, :96].T + bias)
    graph.node("Gemm", graph.node("Relu", x), graph.normal([10, 48]), graph.normal([10]), transB=1)


@case("openvino-31340", "https://github.com/openvinotoolkit/openvino/pull/31340", "memory_allocation",
      "A Tanh writes its result over a product that a selection reads later")
def product_overwritten_by_tanh(graph):
    x = graph.node("MatMul", graph.input([1, 64, 96]), graph.normal([96, 128], 96 ** -0.5))
    product = graph.node("Mul", x, graph.normal([128], 1))
    y = graph.node("MatMul", product, graph.normal([128, 128], 128 ** -0.5))
    tanh = graph.node("Tanh", y)
    is_kept = graph.node("Greater", y, graph.constant(-0.5, "float32"))
    x = graph.node("Where", is_kept, tanh if graph.is_wrong else product, graph.constant(0, "float32"))
    x = graph.node("MatMul", graph.node("Add", x, tanh), graph.normal([128, 64], 128 ** -0.5))
    graph.node("Relu", x)


@case("openvino-25169", "https://github.com/openvinotoolkit/openvino/issues/25169", "rewrite",
      "The importer gives a mean over height and width all axes, so that all channels get the same mean",
      taught="A result of another shape, broadcast to the right one, is a hypothesis of its own.")
def mean_over_all_axes(graph):
    x = graph.node("Conv", graph.input([1, 16, 28, 28]), graph.normal([64, 16, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    mean = graph.node("ReduceMean", x, axes=[2, 3], keepdims=1)
    mean = graph.replaced(mean, lambda array: numpy.full_like(array, array.mean()))
    squeezed = graph.node("Relu", graph.node("Conv", mean, graph.normal([16, 64, 1, 1]), graph.normal([16])))
    excited = graph.node("Sigmoid", graph.node("Conv", squeezed, graph.normal([64, 16, 1, 1]), graph.normal([64])))
    graph.node("Conv", graph.node("Mul", x, excited), graph.normal([32, 64, 1, 1]), graph.normal([32]))


@case("onnx-mlir-1924", "https://github.com/onnx/onnx-mlir/pull/1924", "rewrite",
      "An addition is merged into a matrix product whose factor for addends is zero, so that it is lost")
def addend_times_zero(graph):
    x = graph.node("Relu", graph.node("Gemm", graph.input([32, 64]), graph.normal([128, 64]), graph.normal([128]), transB=1))
    product = graph.node("Gemm", x, graph.normal([128, 128]), beta=0.0, transB=1)
    x = graph.node("Add", product, x)
    x = graph.replaced(x, lambda _: graph.value(product))
    graph.node("Gemm", graph.node("Relu", x), graph.normal([16, 128]), graph.normal([16]), transB=1)


@case("onnx-mlir-2746", "https://github.com/onnx/onnx-mlir/pull/2746", "padding",
      "The additional last row and column of a transposed convolution are filled with zeros instead of being computed")
def output_padding_with_zeros(graph):
    x = graph.node("Conv", graph.input([1, 16, 14, 14]), graph.normal([64, 16, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    x = graph.node("ConvTranspose", x, graph.normal([64, 32, 3, 3], 1 / 16), strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1])

    def wrong(array):
        array[:, :, -1], array[:, :, :, -1] = 0, 0
        return array

    x = graph.node("Relu", graph.replaced(x, wrong))
    graph.node("Conv", x, graph.normal([16, 32, 3, 3]), graph.normal([16]), pads=[1, 1, 1, 1])


# Also: data_access. The index is that of a row of the layout that one-dimensional tensors leave empty, so what is read is taken to be zero.
@case("onnx-mlir-1940", "https://github.com/onnx/onnx-mlir/issues/1940", "bias_loading",
      "A bias is read from the last of 32 rows of its layout, although it lies in the first one")
def bias_from_empty_row(graph):
    x = graph.node("Conv", graph.input([1, 16, 28, 28]), graph.normal([32, 16, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    bias = graph.random.normal(0, 0.5, [64])
    x = graph.node("Conv", x, graph.normal([64, 32, 3, 3]), graph.constant(bias * (not graph.is_wrong), "float32"), pads=[1, 1, 1, 1])
    graph.node("Conv", graph.node("Relu", x), graph.normal([16, 64, 1, 1]), graph.normal([16]))
