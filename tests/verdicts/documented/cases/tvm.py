"""Wrong results of Apache TVM: its graph passes, operator library, quantiser, memory planner, code generators and importers."""

import numpy
from case import case


@case("tvm-20190", "https://github.com/apache/tvm/issues/20190", "memory_allocation",
      "The memory planner does not follow an alias, and gives the storage of a tensor that is still needed to the other operand of its addition")
def storage_of_an_alias(graph):
    x = graph.node("MatMul", graph.input([1, 64, 96]), graph.normal([96, 128], 96 ** -0.5))
    x = graph.node("Relu", x)
    source = graph.node("Add", x, graph.constant(0.25, "float32"))
    left = graph.node("Reshape", source, graph.constant([1, 64, 128], "int64"))  # the alias: the same bytes under another name
    right = graph.node("Add", x, graph.constant(0.125, "float32"))
    x = graph.node("Add", right if graph.is_wrong else left, right)  # `right` was written over `left`
    x = graph.node("MatMul", x, graph.normal([128, 64], 128 ** -0.5))
    graph.node("Relu", x)


@case("tvm-8308", "https://github.com/apache/tvm/issues/8308", "data_access",
      "In a merged buffer, a vector of the second operand is read one element behind the start of the first operand")
def offset_divided_by_lanes(graph):
    x = graph.input([1, 32, 16, 16])
    a = graph.node("Conv", x, graph.normal([64, 32, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    b = graph.node("Conv", x, graph.normal([64, 32, 1, 1]), graph.normal([64]))
    x = graph.node("Add", a, b)

    def wrong(_):  # blocks of 1024 elements; the block of `b` follows that of `a`, but is read from element 1 instead of 1024
        merged = numpy.concatenate([graph.value(a).reshape(-1, 1024), graph.value(b).reshape(-1, 1024)], axis=1)
        return (merged[:, :1024] + merged[:, 1:1025]).reshape(1, 64, 16, 16)

    x = graph.node("Relu", graph.replaced(x, wrong))
    graph.node("Conv", x, graph.normal([32, 64, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])


@case("tvm-10336", "https://github.com/apache/tvm/pull/10336", "data_access",
      "An index of a layout conversion from blocks of 4 to blocks of 2 channels is simplified wrongly: odd rows are read one element too far")
def simplified_index_of_layout(graph):
    n, height, width = 2, 2, 64
    x = graph.node("Conv", graph.input([n, 12, height, width]), graph.normal([20, 12, 3, 3]), graph.normal([20]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    x = graph.node("Reshape", x, graph.constant([n, 5, 4, height, width], "int64"))
    blocks = graph.node("Transpose", x, perm=[0, 1, 3, 4, 2])
    x = graph.node("Reshape", blocks, graph.constant([n, 5, height, width, 2, 2], "int64"))
    x = graph.node("Transpose", x, perm=[0, 1, 4, 2, 3, 5])

    def wrong(array):  # the element in a block of 4 is (2 c + row) % 4 + i instead of 2 c % 4 + i, c being the block of 2
        image, c, row, column, i = numpy.ogrid[:n, :10, :height, :width, :2]
        address = ((image * 5 + c // 2) * height + row) * width + column
        address = address * 4 + (c * 2 + row) % 4 + i
        return graph.value(blocks).reshape(-1)[numpy.minimum(address, array.size - 1)].reshape(array.shape)

    x = graph.node("Reshape", graph.replaced(x, wrong), graph.constant([n, 10, height, width, 2], "int64"))
    x = graph.node("Transpose", x, perm=[0, 1, 4, 2, 3])
    x = graph.node("Reshape", x, graph.constant([n, 20, height, width], "int64"))
    graph.node("Conv", x, graph.normal([16, 20, 3, 3]), graph.normal([16]), pads=[1, 1, 1, 1])


@case("tvm-2937", "https://github.com/apache/tvm/pull/2937", "synchronisation",
      "A reduction over threads has no barrier before its next use: slow threads read an addend of the next row instead of their row's sum")
def sum_overwritten_by_next_row(graph):
    x = graph.input([1, 64, 128])
    q = graph.node("MatMul", x, graph.normal([128, 64], 128 ** -0.5))
    k = graph.node("MatMul", x, graph.normal([128, 64], 128 ** -0.5))
    scores = graph.node("MatMul", q, graph.node("Transpose", k, perm=[0, 2, 1]))
    scores = graph.node("Mul", scores, graph.constant(0.125, "float32"))
    x = graph.node("Softmax", scores, axis=-1)

    def wrong(array):  # one thread for each column, two warps of 32; the second warp is late in some rows
        exponentials = numpy.exp(graph.value(scores) - graph.value(scores).max(axis=-1, keepdims=True))
        for row in range(63):
            if numpy.random.default_rng(2937 + row).random() < 0.1:
                array[0, row, 32:] = exponentials[0, row, 32:] / exponentials[0, row + 1, 0]
        return array

    x = graph.node("MatMul", graph.replaced(x, wrong), graph.normal([64, 96], 0.125))
    graph.node("Relu", x)


@case("tvm-2182", "https://github.com/apache/tvm/issues/2182", "rewrite",
      "Factors behind a Relu are folded into the convolution in front of it although some are negative",
      taught="Two nodes in the other order: the wrong tensor is that of the second node, but the mistake is reproduced only from what the first one reads.")
def negative_factor_through_relu(graph):
    x = graph.node("Conv", graph.input([1, 32, 28, 28]), graph.normal([48, 32, 3, 3]), graph.normal([48]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    sums = graph.node("Conv", x, graph.normal([48, 48, 3, 3]), graph.normal([48]), pads=[1, 1, 1, 1])
    factors = graph.random.normal(0, 1, [48, 1, 1]).astype("float32")
    x = graph.node("Mul", graph.node("Relu", sums), graph.constant(factors))
    x = graph.replaced(x, lambda _: numpy.maximum(graph.value(sums) * factors, 0))
    graph.node("Conv", x, graph.normal([32, 48, 1, 1]), graph.normal([32]))


# Also: type_decision, because the annotation of the sum decided that no quantisation is needed before the conversion.
@case("tvm-15529", "https://github.com/apache/tvm/pull/15529", "overflow",
      "The int32 sum of a residual addition is converted to int8 without rescaling, so that it wraps around")
def residual_sum_cast_to_int8(graph):
    x = graph.node("Conv", graph.input([1, 16, 14, 14]), graph.normal([64, 16, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    _, x = graph.quantised(graph.node("Relu", x), 0.03)
    a, b = (graph.node("Conv", x, graph.quantised_weights([64, 64, 3, 3], 0.0015), pads=[1, 1, 1, 1]) for _ in range(2))
    total = graph.node("Relu", graph.node("Add", a, b))
    q, x = graph.quantised(total, 0.04)
    graph.replaced(q, lambda _: numpy.rint(graph.value(total) / (0.03 * 0.0015)).astype("int64").astype("int8"))  # 0.03 * 0.0015: scale of the sum
    x = graph.node("Conv", x, graph.quantised_weights([32, 64, 1, 1]), graph.normal([32]))
    graph.node("Relu", x)


@case("tvm-15929", "https://github.com/apache/tvm/pull/15929", "rounding",
      "A requantisation rounds twice, once after the multiplication and once after the shift, and halves away from zero",
      taught="The integers of a quantised model say nothing about the precision of its floats. Taken for 8-bit results, they excused errors of one step.")
def requantisation_rounds_twice(graph):
    x = graph.node("Conv", graph.input([1, 32, 28, 28]), graph.normal([48, 32, 3, 3]), graph.normal([48]), pads=[1, 1, 1, 1])
    q, x = graph.quantised(x, 0.025)
    requantised, x = graph.quantised(x, 0.0625, 3)

    def wrong(_):
        fraction, exponent = numpy.frexp(0.025 / 0.0625)
        product = numpy.floor(graph.value(q).astype("float64") * fraction + 0.5)
        shifted = product * 2.0 ** exponent
        return numpy.clip(numpy.copysign(numpy.floor(abs(shifted) + 0.5), shifted) + 3, -128, 127)

    graph.replaced(requantised, wrong)
    x = graph.node("Conv", x, graph.quantised_weights([32, 48, 1, 1]), graph.normal([32]))
    graph.node("Relu", x)


@case("tvm-4816", "https://github.com/apache/tvm/pull/4816", "padding",
      "The input of a quantised convolution is padded with the number 0 instead of the zero point")
def padded_with_zero_not_zero_point(graph):
    x = graph.node("Conv", graph.input([1, 3, 56, 56]), graph.normal([24, 3, 3, 3]), graph.normal([24]), pads=[1, 1, 1, 1])
    _, x = graph.quantised(x, 0.025, 121, "uint8")
    pads, value = graph.constant([0, 0, 0, 0, 0, 0, 1, 1], "int64"), graph.constant(-121 * 0.025, "float32")
    if graph.is_wrong:
        unpadded = x
        x = graph.hidden(lambda: graph.node("Pad", unpadded, pads, value))
    x = graph.node("Conv", x, graph.quantised_weights([32, 24, 3, 3]), graph.normal([32]), strides=[2, 2], pads=[0] * 4 if graph.is_wrong else [0, 0, 1, 1])
    _, x = graph.quantised(graph.node("Relu", x), 0.02, 0, "uint8")
    graph.node("Conv", x, graph.quantised_weights([32, 32, 1, 1]), graph.normal([32]))


# Also: data_access, because the operator library reads other elements; but the kinds of bugs list this mistake under rewrite.
@case("tvm-16137", "https://github.com/apache/tvm/pull/16137", "rewrite",
      "A resize to the nearest element by a whole factor ignores that positions are to be rounded up")
def nearest_always_rounds_down(graph):
    x = graph.node("Conv", graph.input([1, 32, 14, 14]), graph.normal([64, 32, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    x = graph.node("Resize", x, None, graph.constant([1, 1, 2, 2], "float32"), mode="nearest", coordinate_transformation_mode="asymmetric",
                   nearest_mode="floor" if graph.is_wrong else "ceil")
    graph.node("Conv", x, graph.normal([32, 64, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])


@case("tvm-8759", "https://github.com/apache/tvm/issues/8759", "rewrite",
      "The layout in front of a slice is changed without the slice: it takes every eighth channel instead of every eighth block of four channels")
def slice_keeps_old_layout(graph):
    x = graph.node("Conv", graph.input([1, 32, 14, 14]), graph.normal([64, 32, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    channels = graph.node("Conv", graph.node("Relu", x), graph.normal([256, 64, 3, 3]), graph.normal([256]), pads=[1, 1, 1, 1])
    x = graph.node("Reshape", channels, graph.constant([1, 64, 4, 14, 14], "int64"))
    x = graph.node("Slice", x, graph.constant([0], "int64"), graph.constant([-1], "int64"), graph.constant([1], "int64"), graph.constant([8], "int64"))
    x = graph.replaced(x, lambda array: graph.value(channels)[:, :-1:8].reshape(array.shape))
    x = graph.node("Reshape", x, graph.constant([1, 32, 14, 14], "int64"))
    graph.node("Conv", x, graph.normal([32, 32, 1, 1]), graph.normal([32]))


@case("tvm-17968", "https://github.com/apache/tvm/pull/17968", "orientation",
      "The weights of a transposed convolution are read with input and output channels exchanged")
def channels_of_transposed_convolution(graph):
    x = graph.node("Conv", graph.input([1, 16, 14, 14]), graph.normal([64, 16, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    weights = graph.random.normal(0, (64 * 9) ** -0.5, [64, 64, 3, 3])
    weights = graph.constant(weights.transpose(1, 0, 2, 3) if graph.is_wrong else weights, "float32")
    x = graph.node("ConvTranspose", x, weights, graph.normal([64]), strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1])
    graph.node("Conv", graph.node("Relu", x), graph.normal([16, 64, 3, 3]), graph.normal([16]), pads=[1, 1, 1, 1])
