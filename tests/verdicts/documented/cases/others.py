"""Miscompilations of IREE, torch-mlir, ncnn, Glow, ZenDNN and Arm's libraries, as their trackers describe them."""

import numpy
from case import case


@case("iree-24264", "https://github.com/iree-org/iree/issues/24264", "data_access",
      "A resize to the nearest pixel that rounds down reads one row or column before the image, because positions below zero are not clamped")
def position_before_the_image(graph):
    # Could also be padding: only the first row and column are wrong.
    x = graph.input([1, 16, 14, 14])
    x = graph.node("Conv", x, graph.normal([32, 16, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    scales = graph.constant([1, 1, 2, 2], "float32")
    y = graph.node("Resize", x, None, scales, mode="nearest", coordinate_transformation_mode="half_pixel", nearest_mode="floor")

    def read(array):
        at = numpy.floor((numpy.arange(28) + 0.5) / 2 - 0.5).astype(int)
        place = numpy.arange(32)[:, None, None] * 196 + at[None, :, None] * 14 + at[None, None, :]
        memory = graph.value(x).reshape(-1)
        return numpy.where(place < 0, 0, memory[numpy.maximum(place, 0)])[None]

    y = graph.replaced(y, read)
    x = graph.node("Conv", y, graph.normal([16, 32, 3, 3]), graph.normal([16]), pads=[1, 1, 1, 1])
    graph.node("Relu", x)


@case("iree-21468", "https://github.com/iree-org/iree/issues/21468", "padding",
      "The rows of a softmax are filled up to the width of the hardware with zeros, which take part in the sum")
def softmax_padded_with_zeros(graph):
    # Could also be splitting: elements beyond the end of the row are counted.
    x = graph.input([1, 4, 64, 32])
    memory = graph.input([1, 4, 10, 32])
    query = graph.node("MatMul", x, graph.normal([32, 32], 0.18))
    key = graph.node("Transpose", graph.node("MatMul", memory, graph.normal([32, 32], 0.18)), perm=[0, 1, 3, 2])
    scores = graph.node("Mul", graph.node("MatMul", query, key), graph.constant(32 ** -0.5, "float32"))
    weights = graph.node("Softmax", scores, axis=-1)

    def padded(array):
        wide = numpy.pad(graph.value(scores), [(0, 0), (0, 0), (0, 0), (0, 22)])
        powers = numpy.exp(wide - wide.max(axis=-1, keepdims=True))
        return (powers / powers.sum(axis=-1, keepdims=True))[..., :10]

    x = graph.node("MatMul", graph.replaced(weights, padded), memory)
    graph.node("MatMul", x, graph.normal([32, 48], 0.18))


@case("iree-22345", "https://github.com/iree-org/iree/pull/22345", "synchronisation",
      "Several groups of threads add the same product to the same element, and some read what another one has already written")
def product_added_repeatedly(graph):
    # Could also be splitting: a part of a sum is added more than once.
    x = graph.input([64, 96])
    x = graph.node("Relu", graph.node("MatMul", x, graph.normal([96, 128], 0.1)))
    residual = graph.node("MatMul", x, graph.normal([128, 96], 0.1))
    product = graph.node("MatMul", graph.node("Tanh", residual), graph.normal([96, 96], 0.15))
    total = graph.node("Add", product, residual)

    def raced(array):
        times = 1 + numpy.random.default_rng(1).choice(4, size=array.shape, p=[0.9, 0.06, 0.03, 0.01])
        return graph.value(product) * times + graph.value(residual)

    x = graph.node("Relu", graph.replaced(total, raced))
    graph.node("MatMul", x, graph.normal([96, 32], 0.1))


@case("torchmlir-4437", "https://github.com/llvm/torch-mlir/pull/4437", "orientation",
      "A transposed convolution with a kernel of one column is computed without mirroring the kernel")
def kernel_not_mirrored(graph):
    kernel = graph.random.normal(0, 0.1, [32, 24, 3, 1]).astype("float32")
    x = graph.input([1, 16, 28, 14])
    x = graph.node("Conv", x, graph.normal([32, 16, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    x = graph.node("ConvTranspose", x, graph.constant(kernel[:, :, ::-1] if graph.is_wrong else kernel), graph.normal([24]), pads=[1, 0, 1, 0])
    x = graph.node("Relu", x)
    graph.node("Conv", x, graph.normal([16, 24, 1, 1]), graph.normal([16]))


@case("torchmlir-4645", "https://github.com/llvm/torch-mlir/pull/4645", "bias_loading",
      "The integer bias of a convolution with a scale for each channel is added to restored sums without its scale")
def bias_not_restored(graph):
    # Could also be scaling.
    x = graph.input([1, 16, 28, 28])
    _, x = graph.quantised(x, 0.03, 0)
    weights, bias = graph.random.normal(0, 0.08, [32, 16, 3, 3]), graph.random.normal(0, 0.02, 32)
    scales = (numpy.abs(weights).max(axis=(1, 2, 3)) / 127).astype("float32")
    integers = graph.constant(numpy.rint(weights / scales.reshape(32, 1, 1, 1)), "int8")
    weights = graph.node("DequantizeLinear", integers, graph.constant(scales), graph.constant(numpy.zeros(32), "int8"), axis=0)
    bias = numpy.rint(bias / (scales * numpy.float32(0.03)))
    bias = graph.constant(bias if graph.is_wrong else bias * scales * numpy.float32(0.03), "float32")
    x = graph.node("Conv", x, weights, bias, pads=[1, 1, 1, 1])
    _, x = graph.quantised(x, 0.04, 0)
    x = graph.node("Relu", x)
    x = graph.node("Conv", x, graph.normal([16, 32, 1, 1]), graph.normal([16]))
    graph.quantised(x, 0.03, 0)


@case("torchmlir-4601", "https://github.com/llvm/torch-mlir/pull/4601", "quantisation_type",
      "The unsigned zero point 128 is widened as a signed number, so 128 is added instead of subtracted")
def unsigned_zero_point_read_as_signed(graph):
    x = graph.input([1, 64, 96])
    scale, zero_point = graph.constant(0.03, "float32"), graph.constant(128, "uint8")
    integers = graph.node("QuantizeLinear", x, scale, zero_point)
    weights = numpy.clip(numpy.rint(graph.random.normal(0, 32, [96, 64])), -127, 127).astype("int8")
    sums = graph.node("MatMulInteger", integers, graph.constant(weights), zero_point)
    sums = graph.replaced(sums, lambda array: (graph.value(integers).astype(numpy.int32) + 128) @ weights.astype(numpy.int32))
    x = graph.node("Mul", graph.node("Cast", sums, to=1), graph.constant(0.03 * 0.003, "float32"))
    x = graph.node("Relu", graph.node("Add", x, graph.normal([64], 0.3)))
    graph.node("MatMul", x, graph.normal([64, 32], 0.12))


@case("ncnn-75", "https://github.com/Tencent/ncnn/issues/75", "data_access",
      "The step to the next row of a dilated kernel is too long by the dilation minus one")
def rows_of_kernel_drift(graph):
    x = graph.input([1, 16, 28, 28])
    x = graph.node("Conv", x, graph.normal([24, 16, 3, 3]), graph.normal([24]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    kernel, bias = graph.random.normal(0, 0.07, [24, 24, 3, 3]), graph.random.normal(0, 0.3, 24)
    y = graph.node("Conv", x, graph.constant(kernel, "float32"), graph.constant(bias, "float32"), pads=[4, 4, 4, 4], dilations=[4, 4])

    def drifted(array):
        image = numpy.pad(graph.value(x)[0], [(0, 0), (4, 4), (4, 4)]).reshape(24, -1)
        image = numpy.concatenate([image.reshape(-1), numpy.zeros(64)])
        place = numpy.arange(28)[:, None] * 36 + numpy.arange(28)[None, :]
        result = numpy.zeros((24, 28, 28)) + bias[:, None, None]
        for i in range(3):
            for j in range(3):
                read = image[numpy.arange(24)[:, None, None] * 36 * 36 + place + i * (4 * 36 + 3) + j * 4]
                result += numpy.einsum("oc,chw->ohw", kernel[:, :, i, j], read)
        return result[None]

    x = graph.node("Relu", graph.replaced(y, drifted))
    graph.node("Conv", x, graph.normal([16, 24, 1, 1]), graph.normal([16]))


@case("acl-77", "https://github.com/ARM-software/ComputeLibrary/issues/77", "table",
      "The approximation of tanh gives minus one for large positive numbers, whose exponential does not fit")
def tanh_of_large_numbers(graph):
    # Could also be overflow: of a float, inside the approximation.
    x = graph.input([1, 3, 28, 28], graph.random.uniform(0, 255, [1, 3, 28, 28]))
    x = graph.node("Conv", x, graph.normal([16, 3, 3, 3], 0.04), graph.normal([16]), pads=[1, 1, 1, 1])
    y = graph.node("Tanh", x)
    y = graph.replaced(y, lambda array: numpy.where(graph.value(x) > 44.36, -1, array))
    y = graph.node("Conv", y, graph.normal([16, 16, 3, 3]), graph.normal([16]), pads=[1, 1, 1, 1])
    graph.node("Tanh", y)


@case("cmsis-1236", "https://github.com/ARM-software/CMSIS_5/issues/1236", "clipping",
      "A quantised relu6 limits integers to six, without dividing the bound by the scale")
def bound_not_quantised(graph):
    x = graph.input([1, 16, 28, 28])
    _, x = graph.quantised(x, 0.03, 0)
    x = graph.node("Conv", x, graph.normal([32, 16, 3, 3], 0.16), graph.normal([32]), pads=[1, 1, 1, 1])
    before, x = graph.quantised(x, 0.0625, 0)
    x = graph.node("Clip", x, graph.constant(0, "float32"), graph.constant(6, "float32"))
    scale, zero_point = graph.constant(0.0625, "float32"), graph.constant(0, "int8")
    after = graph.node("QuantizeLinear", x, scale, zero_point)
    after = graph.replaced(after, lambda array: numpy.clip(graph.value(before), 0, 6))
    x = graph.node("DequantizeLinear", after, scale, zero_point)
    x = graph.node("Conv", x, graph.normal([16, 32, 1, 1]), graph.normal([16]))
    graph.quantised(x, 0.05, 0)


@case("glow-1374", "https://github.com/pytorch/glow/pull/1374", "quantisation_type",
      "The constant with which a quantised relu compares arrives as integer zero, not as the zero point")
def relu_without_zero_point(graph):
    # Could also be clipping.
    x = graph.input([1, 16, 28, 28])
    _, x = graph.quantised(x, 0.03, 0)
    x = graph.node("Conv", x, graph.normal([32, 16, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])
    before, x = graph.quantised(x, 0.035, -21)
    x = graph.node("Relu", x)
    scale, zero_point = graph.constant(0.035, "float32"), graph.constant(-21, "int8")
    after = graph.node("QuantizeLinear", x, scale, zero_point)
    after = graph.replaced(after, lambda array: numpy.maximum(graph.value(before), 0))
    x = graph.node("DequantizeLinear", after, scale, zero_point)
    x = graph.node("Conv", x, graph.normal([16, 32, 1, 1]), graph.normal([16]))
    graph.quantised(x, 0.03, 0)


@case("torchmlir-3142", "https://github.com/llvm/torch-mlir/issues/3142", "rounding",
      "A division that rounds down is computed as one that rounds towards zero",
      taught="Whole numbers look like bfloat16: a dump's precision must not be guessed from numbers that the model itself makes so coarse.")
def rounded_towards_zero(graph):
    # Could also be instruction_calls: another rounding instruction.
    x = graph.input([1, 16, 28, 28])
    x = graph.node("Conv", x, graph.normal([32, 16, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])
    quotient = graph.node("Div", x, graph.constant(0.25, "float32"))
    x = graph.node("Floor", quotient)
    x = graph.replaced(x, lambda array: numpy.trunc(graph.value(quotient)))
    x = graph.node("Mul", x, graph.constant(0.25, "float32"))
    x = graph.node("Conv", x, graph.normal([16, 32, 1, 1]), graph.normal([16]))
    graph.node("Relu", x)


@case("armnn-418", "https://github.com/ARM-software/armnn/issues/418", "rewrite",
      "The operand that is reshaped for broadcasting always becomes the first one, so a tensor is subtracted from a constant")
def operands_exchanged(graph):
    # Could also be instruction_calls: the operands of an instruction in the wrong order.
    x = graph.input([1, 16, 28, 28], "uniform")
    x = graph.node("Conv", x, graph.normal([32, 16, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    mean = graph.constant(graph.random.uniform(0, 0.5, [32, 1, 1]), "float32")
    x = graph.node("Sub", *((mean, x) if graph.is_wrong else (x, mean)))
    x = graph.node("Conv", x, graph.normal([16, 32, 3, 3]), graph.normal([16]), pads=[1, 1, 1, 1])
    graph.node("Relu", x)


@case("zendnn-30", "https://github.com/amd/ZenDNN/issues/30", "instruction_calls",
      "A sigmoid that follows an addition behind a matrix product is fused into the product, so it is applied before the addition",
      taught="An operation that was left out is found by its result alone.")
def function_before_addition(graph):
    # Could also be rewrite: a fusion changes the order of two operations.
    x = graph.input([64, 128])
    x = graph.node("Relu", graph.node("MatMul", x, graph.normal([128, 96], 0.09)))
    residual = graph.node("MatMul", x, graph.normal([96, 64], 0.1))
    product = graph.node("MatMul", graph.node("Tanh", x), graph.normal([96, 64], 0.15))
    x = graph.node("Sigmoid", graph.node("Add", product, residual))
    x = graph.replaced(x, lambda array: 1 / (1 + numpy.exp(-graph.value(product))) + graph.value(residual))
    graph.node("MatMul", x, graph.normal([64, 32], 0.12))
