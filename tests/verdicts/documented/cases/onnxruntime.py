"""Wrong results of ONNX Runtime: its graph optimiser, quantiser and kernels for CPU and WebGPU."""

import numpy
from case import case


def dequantised(graph, numbers, scale, dtype="int8"):
    return graph.node("DequantizeLinear", graph.constant(numbers, dtype), graph.constant(scale, "float32"), graph.constant(0, dtype))


@case("onnxruntime-27375", "https://github.com/microsoft/onnxruntime/pull/27375", "padding",
      "An average over windows with padding at the bottom only divides by too few rows, because the padding on the left is taken for it")
def divisor_with_padding_of_other_side(graph):
    x = graph.node("Conv", graph.input([1, 32, 28, 28]), graph.normal([48, 32, 3, 3]), graph.normal([48]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    x = graph.node("AveragePool", x, kernel_shape=[3, 3], pads=[0, 0, 2, 2], count_include_pad=1)
    ends = numpy.arange(28) + 3
    x = graph.replaced(x, lambda array: array * (3 / (numpy.minimum(ends, 28) - numpy.arange(28)))[:, None])
    graph.node("Conv", x, graph.normal([32, 48, 1, 1]), graph.normal([32]))


@case("onnxruntime-9370", "https://github.com/microsoft/onnxruntime/issues/9370", "padding",
      "A transposed convolution takes the larger part of its padding at the front where it belongs to the back")
def same_upper_and_lower_exchanged(graph):
    x = graph.node("Conv", graph.input([1, 16, 14, 14]), graph.normal([64, 16, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    x = graph.node("ConvTranspose", x, graph.normal([64, 32, 3, 3], 1 / 24), graph.normal([32]), strides=[2, 2],
                   pads=[1, 1, 0, 0] if graph.is_wrong else [0, 0, 1, 1])
    graph.node("Conv", graph.node("Relu", x), graph.normal([16, 32, 3, 3]), graph.normal([16]), pads=[1, 1, 1, 1])


@case("onnxruntime-32228", "https://github.com/microsoft/onnxruntime/issues/32228", "rewrite",
      "A transposition that changes nothing is merged into a matrix product as if it exchanged rows and columns")
def identity_transpose_merged(graph):
    x = graph.node("MatMul", graph.input([64, 96]), graph.normal([96, 64], 96 ** -0.5))
    x = graph.node("Transpose", graph.node("Relu", x), perm=[0, 1])
    left = graph.hidden(lambda: graph.node("Transpose", x, perm=[1, 0])) if graph.is_wrong else x
    x = graph.node("MatMul", left, graph.normal([64, 128], 0.125))
    x = graph.node("Relu", graph.node("Add", x, graph.normal([128])))
    graph.node("MatMul", x, graph.normal([128, 32], 128 ** -0.5))


@case("onnxruntime-16105", "https://github.com/microsoft/onnxruntime/issues/16105", "overflow",
      "Sums of two products of unsigned and signed 8-bit numbers saturate at 16 bits",
      taught="As tvm-15929: 94 % of a matrix product were wrong, and excused.")
def pairs_saturate_at_16_bits(graph):
    x = graph.node("MatMul", graph.input([64, 96]), graph.normal([96, 256], 2 * 96 ** -0.5))
    q, x = graph.quantised(graph.node("Sigmoid", x), 1 / 255, 0, "uint8")
    numbers = numpy.clip(numpy.rint(graph.random.normal(0, 45, [256, 128])), -127, 127)
    x = graph.node("MatMul", x, dequantised(graph, numbers, 0.001))

    def wrong(_):
        products = graph.value(q).astype("int32")[:, :, None] * numbers.astype("int32")
        return numpy.clip(products[:, 0::2] + products[:, 1::2], -32768, 32767).sum(axis=1) * (0.001 / 255)

    x = graph.node("Add", graph.replaced(x, wrong), graph.normal([128]))
    _, x = graph.quantised(graph.node("Relu", x), 0.02, 0, "uint8")
    graph.node("MatMul", x, dequantised(graph, numpy.clip(numpy.rint(graph.random.normal(0, 40, [128, 32])), -127, 127), 0.002))


# Also: data_access, because addresses are wrong; but only those of the packed weights.
@case("onnxruntime-20030", "https://github.com/microsoft/onnxruntime/issues/20030", "coefficient_loading",
      "A matrix of weights is packed in blocks of 16 columns, but read as if it were packed in blocks of 4")
def packed_16_read_4(graph):
    x = graph.node("MatMul", graph.input([1, 64, 96]), graph.normal([96, 128], 96 ** -0.5))
    x = graph.node("Relu", x)
    weights = graph.random.normal(0, 128 ** -0.5, [128, 96]).astype("float32")
    if graph.is_wrong:
        packed = weights.reshape(128, 6, 16).transpose(1, 0, 2)  # block, row, column in the block
        weights = packed.reshape(24, 128, 4).transpose(1, 0, 2).reshape(128, 96)
    x = graph.node("MatMul", x, graph.constant(weights))
    x = graph.node("Relu", graph.node("Add", x, graph.normal([96])))
    graph.node("MatMul", x, graph.normal([96, 64], 96 ** -0.5))


@case("onnxruntime-27749", "https://github.com/microsoft/onnxruntime/pull/27749", "coefficient_loading",
      "A transposed convolution of 7 channels reads weights at the offset of the input, and does not multiply its last 3 channels by weights")
def weights_at_offset_of_input(graph):
    size = 20
    x = graph.node("Conv", graph.input([1, 16, size, size]), graph.normal([7, 16, 3, 3]), graph.normal([7]), pads=[1, 1, 1, 1])
    before = graph.node("Relu", x)
    weights = graph.random.normal(0, 0.2, [7, 1, 3, 3]).astype("float32")
    x = graph.node("ConvTranspose", before, graph.constant(weights), strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1])

    def wrong(array):  # channels are last in both buffers; reads behind the end give the last element
        rows = graph.value(before)[0].transpose(1, 2, 0)
        flat = weights.transpose(2, 3, 0, 1).reshape(-1)
        sums = numpy.zeros_like(array)
        for i in range(size):
            for j in range(size):
                offset = (i * size + j) * 7
                value = rows[i, j, :4] @ flat[numpy.minimum(numpy.arange(offset, offset + 4), flat.size - 1)] + rows[i, j, 4:].sum()
                for row in range(max(2 * i - 1, 0), min(2 * i + 2, 2 * size)):
                    for column in range(max(2 * j - 1, 0), min(2 * j + 2, 2 * size)):
                        sums[0, 0, row, column] += value
        return sums

    graph.node("Sigmoid", graph.replaced(x, wrong))


@case("onnxruntime-22020", "https://github.com/microsoft/onnxruntime/pull/22020", "type_decision",
      "The quantiser gives a bias the product of two tiny scales, with which it exceeds 32 bits and is cut off")
def scale_of_bias_too_small(graph):
    x = graph.node("Conv", graph.input([1, 16, 28, 28]), graph.normal([32, 16, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])
    _, x = graph.quantised(x, 0.5)
    weights, bias = graph.random.normal(0, 3e-8, [48, 32, 3, 3]), graph.random.normal(0, 2, [48])
    scale = abs(weights).max() / 127
    if not graph.is_wrong:
        scale = max(scale, abs(bias).max() / (2 ** 31 - 1) / 0.5)  # the fix: a scale of the weights with which the bias fits
    x = graph.node("Conv", x, dequantised(graph, numpy.rint(weights / scale), scale),
                   dequantised(graph, numpy.clip(numpy.rint(bias / (0.5 * scale)), -2 ** 31, 2 ** 31 - 1), 0.5 * scale, "int32"), pads=[1, 1, 1, 1])
    _, x = graph.quantised(graph.node("Relu", x), 0.05)
    graph.node("Conv", x, graph.quantised_weights([32, 48, 1, 1]), graph.normal([32]))


@case("onnxruntime-32452", "https://github.com/microsoft/onnxruntime/pull/32452", "rounding",
      "A quantisation cuts off the fraction instead of rounding to the nearest number")
def quantisation_truncates(graph):
    x = graph.node("Conv", graph.input([1, 32, 28, 28]), graph.normal([48, 32, 3, 3]), graph.normal([48]), pads=[1, 1, 1, 1])
    q, y = graph.quantised(x, 0.05)
    graph.replaced(q, lambda _: numpy.clip(numpy.trunc(graph.value(x) / numpy.float32(0.05)), -128, 127))
    x = graph.node("Conv", y, graph.quantised_weights([64, 48, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    graph.node("Relu", x)


@case("onnxruntime-3442", "https://github.com/microsoft/onnxruntime/issues/3442", "clipping",
      "A quantisation to int8 cuts off at -127 instead of -128")
def clipped_at_minus_127(graph):
    x = graph.node("Conv", graph.input([1, 32, 28, 28]), graph.normal([48, 32, 3, 3]), graph.normal([48]), pads=[1, 1, 1, 1])
    q, x = graph.quantised(x, 0.02)
    graph.replaced(q, lambda array: numpy.maximum(array, -127))
    x = graph.node("Conv", x, graph.quantised_weights([64, 48, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    graph.node("Relu", x)


@case("onnxruntime-15837", "https://github.com/microsoft/onnxruntime/pull/15837", "instruction_calls",
      "A fused convolution applies its activation function before it adds the residual tensor instead of after it")
def activation_before_addition(graph):
    x = graph.node("Conv", graph.input([1, 16, 28, 28]), graph.normal([64, 16, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    residual = graph.node("Relu", x)
    x = graph.node("Conv", residual, graph.normal([64, 64, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    sums = graph.node("Conv", graph.node("Relu", x), graph.normal([64, 64, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    shift = graph.normal([1, 64, 1, 1])
    other = graph.node("Add", residual, shift)  # the residual tensor is negative in places
    x = graph.node("Relu", graph.node("Add", sums, other))
    x = graph.replaced(x, lambda _: numpy.maximum(graph.value(sums), 0) + graph.value(other))
    graph.node("Conv", x, graph.normal([32, 64, 1, 1]), graph.normal([32]))


@case("onnxruntime-22557", "https://github.com/microsoft/onnxruntime/issues/22557", "table",
      "The rational function that stands for a sigmoid is below zero at strongly negative inputs",
      taught="The wrong numbers are far below what rounding of the largest number explains; they only matter where the next node makes NaN of them, and that node is right by itself. Not noticed.")
def sigmoid_below_zero(graph):
    x = graph.node("Conv", graph.input([1, 32, 20, 20]), graph.normal([64, 32, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    bias = graph.constant(graph.random.normal(-16.5, 0.5, [80]), "float32")
    logits = graph.node("Conv", x, graph.normal([80, 64, 1, 1]), bias)
    x = graph.node("Sigmoid", logits)

    def wrong(_):
        value = numpy.clip(graph.value(logits), -18, 18)
        square = value * value
        above, below = numpy.float32(4.37031012579801e-11), numpy.float32(6.10247389755681e-13)
        for factor in (1.15627324459942e-07, 6.08574864600143e-05, 8.51377133304701e-03, 2.48287947061529e-01):
            above = above * square + numpy.float32(factor)
        for factor in (5.76102136993427e-09, 6.29106785017040e-06, 1.70198817374094e-03, 1.16817656904453e-01, 9.93151921023180e-01):
            below = below * square + numpy.float32(factor)
        return above * value / below + numpy.float32(0.5)

    x = graph.replaced(x, wrong)
    graph.node("Sqrt", x)


@case("onnxruntime-11660", "https://github.com/microsoft/onnxruntime/issues/11660", "rewrite",
      "The quantiser removes a Relu as if the quantisation behind it cut off at zero, although the zero point is in the middle of the range")
def relu_removed_with_symmetric_range(graph):
    x = graph.node("Conv", graph.input([1, 16, 28, 28]), graph.normal([48, 16, 3, 3]), graph.normal([48]), pads=[1, 1, 1, 1])
    _, x = graph.quantised(x, 0.025)
    x = graph.node("Conv", x, graph.quantised_weights([64, 48, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    relu = graph.node("Relu", x)
    graph.replaced(relu, lambda _: graph.value(x))
    _, x = graph.quantised(relu, 0.025)
    x = graph.node("Conv", x, graph.quantised_weights([32, 64, 1, 1]), graph.normal([32]))
    graph.node("Relu", x)
