"""Miscompilations of PyTorch: Inductor, the ONNX exporter, quantised kernels and the Metal backend, as their trackers describe them."""

import numpy
from case import case
from numpy.lib.stride_tricks import sliding_window_view


@case("pytorch-7868", "https://github.com/pytorch/pytorch/issues/7868", "rewrite",
      "Two transpositions in a row are fused into the inverse of their product")
def transpositions_fused_wrongly(graph):
    x = graph.input([32, 32, 32])
    x = graph.node("MatMul", x, graph.normal([32, 32]))
    x = graph.node("Relu", x)
    x = graph.node("Transpose", x, perm=[1, 2, 0] if graph.is_wrong else [2, 0, 1])
    x = graph.node("MatMul", x, graph.normal([32, 48], 0.2))
    graph.node("Relu", x)


def attention(graph, x, heads, depth):
    """Query, key and value of an attention layer, heads first."""
    length, width = 48, heads * depth
    shape = graph.constant([1, length, heads, depth], "int64")
    parts = []
    for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]):
        part = graph.node("Add", graph.node("MatMul", x, graph.normal([width, width], width ** -0.5)), graph.normal([width], 0.1))
        parts.append(graph.node("Transpose", graph.node("Reshape", part, shape), perm=perm))
    return parts


@case("pytorch-174049", "https://github.com/pytorch/pytorch/issues/174049", "rewrite",
      "Attention is replaced by a library call that scales by the root of the depth, whatever scale the network has")
def scale_of_attention_ignored(graph):
    # Could also be scaling.
    x = graph.input([1, 48, 256])
    query, key, value = attention(graph, x, heads=4, depth=64)
    scores = graph.node("Div", graph.node("MatMul", query, key), graph.constant(8.0 if graph.is_wrong else 8 ** -0.5, "float32"))
    mask = numpy.where(numpy.tril(numpy.ones((48, 48))) > 0, 0, -1e4)
    scores = graph.node("Add", scores, graph.constant(mask.reshape(1, 1, 48, 48), "float32"))
    x = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), value)
    x = graph.node("Reshape", graph.node("Transpose", x, perm=[0, 2, 1, 3]), graph.constant([1, 48, 256], "int64"))
    graph.node("MatMul", x, graph.normal([256, 128], 0.06))


@case("executorch-22517", "https://github.com/pytorch/executorch/pull/22517", "rewrite",
      "A batch normalisation is folded into a transposed convolution as into a plain one: its factors go to the input channels")
def batch_norm_of_transposed_convolution(graph):
    x = graph.input([1, 48, 14, 14])
    x = graph.node("Conv", x, graph.normal([32, 48, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    kernel = graph.random.normal(0, 0.15, [32, 32, 2, 2]).astype("float32")
    y = graph.node("ConvTranspose", x, graph.constant(kernel), strides=[2, 2])
    gain, mean, variance = graph.random.uniform(0.5, 1.5, 32), graph.random.normal(0, 0.2, 32), graph.random.uniform(0.3, 2, 32)
    shift = graph.random.normal(0, 0.3, 32)
    z = graph.node("BatchNormalization", y, *(graph.constant(it, "float32") for it in (gain, shift, mean, variance)), epsilon=1e-5)

    def folded(array):
        factor = gain / numpy.sqrt(variance + 1e-5)
        result = numpy.zeros(array.shape)
        parts = numpy.einsum("chw,coij->ohiwj", graph.value(x)[0], kernel * factor.reshape(32, 1, 1, 1))
        result[0] = parts.reshape(32, 28, 28) + (shift - mean * factor).reshape(32, 1, 1)
        return result

    x = graph.node("Relu", graph.replaced(z, folded))
    graph.node("Conv", x, graph.normal([16, 32, 3, 3]), graph.normal([16]), pads=[1, 1, 1, 1])


@case("pytorch-100987", "https://github.com/pytorch/pytorch/issues/100987", "padding",
      "An average pooling divides by the size of the whole window where the last window reaches beyond the image")
def last_window_divided_by_all(graph):
    # Could also be rewrite (which elements an average counts).
    x = graph.input([1, 32, 28, 28])
    x = graph.node("Conv", x, graph.normal([48, 32, 3, 3]), graph.normal([48]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    x = graph.node("AveragePool", x, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)

    def divided(array):
        array[..., -1, :] *= numpy.float32(2 / 3)
        array[..., -1] *= numpy.float32(2 / 3)
        return array

    x = graph.replaced(x, divided)
    x = graph.node("Conv", x, graph.normal([64, 48, 1, 1]), graph.normal([64]))
    graph.node("Relu", x)


@case("pytorch-196681", "https://github.com/pytorch/pytorch/issues/196681", "memory_mapping",
      "The last two results of each row are stored as a vector of sixteen, over the beginning of the next row")
def vector_stored_over_next_row(graph):
    # Could also be splitting: the remainder of a tiled loop is treated as a full tile.
    x = graph.input([1, 8, 66, 66])
    x = graph.node("Conv", x, graph.normal([8, 8, 3, 3]), graph.normal([8]), pads=[1, 1, 1, 1])
    half = graph.node("Mul", x, graph.constant(0.5, "float32"))
    share = graph.node("Erf", graph.node("Mul", x, graph.constant(0.7071067811865476, "float32")))
    x = graph.node("Mul", half, graph.node("Add", share, graph.constant(1, "float32")))
    x = graph.node("MatMul", x, graph.normal([66, 66], 0.15))

    def stored(array):
        rows = array.reshape(-1, 66)  # the blocks of 16 columns are done one after another, each for all rows; the unused lanes hold zero
        rows[1:, :14] = 0
        return array

    x = graph.replaced(x, stored)
    x = graph.node("Relu", x)
    graph.node("Conv", x, graph.normal([16, 8, 3, 3]), graph.normal([16]), pads=[1, 1, 1, 1])


@case("pytorch-188771", "https://github.com/pytorch/pytorch/pull/188771", "splitting",
      "In a reduction over two axes, the pointer of one operand is not reset, so only the first block of rows is summed")
def only_first_block_summed(graph):
    # Could also be data_access: all later blocks read beyond the end of the operand, where zeros are returned.
    x = graph.input([1, 16, 192, 192])
    x = graph.node("Conv", x, graph.normal([8, 16, 1, 1]), graph.normal([8]))
    along_columns = graph.node("Sigmoid", graph.node("ReduceMax", x, axes=[2]))
    along_rows = graph.node("Sigmoid", graph.node("ReduceMax", x, axes=[3]))
    product = graph.node("Mul", along_columns, along_rows)
    x = graph.node("ReduceMean", product, axes=[2, 3])
    x = graph.replaced(x, lambda array: graph.value(product)[:, :, :32].sum(axis=(2, 3), keepdims=True) / (192 * 192))
    x = graph.node("Conv", x, graph.normal([16, 8, 1, 1]), graph.normal([16]))
    graph.node("Relu", x)


@case("pytorch-190517", "https://github.com/pytorch/pytorch/issues/190517", "synchronisation",
      "A kernel reads back what it has just stored without a barrier, so parts of a layer normalisation use old contents of the buffer",
      taught="Elements that were read too early have no pattern; without repeated runs, a race looks like anything that loses parts.")
def read_back_without_barrier(graph):
    image = graph.input([1, 64, 128])
    image = graph.node("MatMul", image, graph.normal([128, 256], 0.09))
    image = graph.node("Relu", image)
    tokens = graph.node("Concat", graph.normal([1, 1, 256], 0.5), image, axis=1)
    gain, shift = graph.random.uniform(0.5, 1.5, 256), graph.random.normal(0, 0.1, 256)
    x = graph.node("LayerNormalization", tokens, graph.constant(gain, "float32"), graph.constant(shift, "float32"), axis=-1, epsilon=1e-6)

    def normalised(array):
        right, old = graph.value(tokens).astype("float64"), graph.value(image).reshape(-1)
        mean, variance = right.mean(axis=-1, keepdims=True), right.var(axis=-1, keepdims=True)
        read = right.reshape(-1, 32).copy()  # groups of 32 elements belong to one group of threads; a tenth of them reads too early
        early = numpy.random.default_rng(1).random(len(read)) < 0.1
        read[early] = numpy.resize(old, read.shape)[early]
        read = read.reshape(right.shape)
        return numpy.where(read == right, array, (read - mean) / numpy.sqrt(variance + 1e-6) * gain + shift)

    x = graph.replaced(x, normalised)
    x = graph.node("MatMul", x, graph.normal([256, 128], 0.06))
    graph.node("Relu", x)


@case("pytorch-108811", "https://github.com/pytorch/pytorch/pull/108811", "memory_allocation",
      "The buffer of a sum over devices is reused for a relu while the sum is still needed")
def sum_overwritten_by_relu(graph):
    x, other = graph.input([64, 96]), graph.input([64, 64])
    part = graph.node("MatMul", x, graph.normal([96, 64], 0.1))
    total = graph.node("Add", part, other)  # the sum over two devices; the part of the other one is an input here
    positive = graph.node("Relu", part)
    square = graph.node("MatMul", positive, positive)
    result = graph.node("Add", square, total)
    result = graph.replaced(result, lambda array: graph.value(square) + graph.value(positive))
    x = graph.node("Relu", result)
    graph.node("MatMul", x, graph.normal([64, 32], 0.02))


@case("pytorch-198101", "https://github.com/pytorch/pytorch/issues/198101", "serialisation",
      "A tensor is computed only after a later instruction has overwritten part of its input")
def computed_after_overwriting(graph):
    # Could also be memory_allocation.
    x = graph.input([24, 64])
    x = graph.node("MatMul", x, graph.normal([64, 48]))
    first = graph.node("Slice", x, *(graph.constant([it], "int64") for it in (0, 2, 1)))
    last = graph.node("Slice", x, *(graph.constant([it], "int64") for it in (5, 48, 1)))
    overwritten = graph.node("Concat", first, graph.constant(numpy.full((24, 3), 2), "float32"), last, axis=1)
    y = graph.node("Mul", overwritten if graph.is_wrong else x, graph.constant(2, "float32"))
    y = graph.node("Add", y, graph.constant(4, "float32"))
    x = graph.node("Concat", y, overwritten, axis=1)
    x = graph.node("MatMul", x, graph.normal([96, 32]))
    graph.node("Relu", x)


@case("pytorch-192212", "https://github.com/pytorch/pytorch/issues/192212", "coefficient_loading",
      "A convolution whose kernel is a slice of a larger kernel reads its weights as if they followed each other without gap")
def slice_of_weights_read_densely(graph):
    # Could also be data_access.
    weights = graph.random.normal(0, 0.06, [32, 32, 3, 3, 3]).astype("float32")
    right = weights[:, :, 1]
    dense = weights.reshape(-1)[9:9 + right.size].reshape(right.shape)
    x = graph.input([1, 16, 28, 28])
    x = graph.node("Conv", x, graph.normal([32, 16, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    x = graph.node("Conv", x, graph.constant(dense if graph.is_wrong else right), graph.normal([32]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    graph.node("Conv", x, graph.normal([16, 32, 1, 1]), graph.normal([16]))


@case("pytorch-85675", "https://github.com/pytorch/pytorch/issues/85675", "data_access",
      "A concatenation copies a rotated image in the order of its memory, without regard to its strides")
def strides_of_operand_ignored(graph):
    # Could also be orientation: rows and columns of the operand are exchanged.
    x = graph.input([1, 16, 28, 28])
    x = graph.node("Conv", x, graph.normal([24, 16, 3, 3]), graph.normal([24]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    mirrored = graph.node("Slice", x, *(graph.constant([it], "int64") for it in (-1, -1000, 3, -1)))
    rotated = graph.node("Transpose", mirrored, perm=[0, 1, 3, 2])
    both = graph.node("Concat", x, rotated, axis=1)
    both = graph.replaced(both, lambda array: numpy.concatenate([graph.value(x), graph.value(mirrored)], axis=1))
    x = graph.node("Conv", both, graph.normal([16, 48, 1, 1]), graph.normal([16]))
    graph.node("Relu", x)


@case("pytorch-44939", "https://github.com/pytorch/pytorch/issues/44939", "overflow",
      "A quantised convolution adds products in pairs of 16 bits, which saturate")
def pairs_saturate(graph):
    x = graph.input([1, 16, 28, 28], "uniform")
    integers, x = graph.quantised(x, 1 / 255, 0, "uint8")
    weights = graph.random.normal(0, 1, [32, 16, 3, 3])
    scale = numpy.float32(numpy.abs(weights).max() / 127)
    weights = numpy.rint(weights / scale).astype("int8")
    restored = graph.node("DequantizeLinear", graph.constant(weights), graph.constant(scale), graph.constant(0, "int8"))
    x = graph.node("Conv", x, restored, pads=[1, 1, 1, 1])

    def saturated(array):
        image = numpy.pad(graph.value(integers).astype(numpy.int32)[0], [(0, 0), (1, 1), (1, 1)])
        windows = sliding_window_view(image, (3, 3), axis=(1, 2)).transpose(1, 2, 3, 4, 0).reshape(28, 28, 144)  # channels are innermost
        rows = weights.astype(numpy.int32).transpose(0, 2, 3, 1).reshape(32, 144)
        lost = numpy.zeros((1, 32, 28, 28), numpy.int32)
        for i in range(0, 144, 2):
            pair = numpy.einsum("hwp,op->ohw", windows[..., i:i + 2], rows[:, i:i + 2])
            lost += pair - numpy.clip(pair, -32768, 32767)
        return array - lost * (numpy.float32(1 / 255) * scale)

    x = graph.replaced(x, saturated)
    x = graph.node("Relu", x)
    _, x = graph.quantised(x, 0.12, 0, "uint8")
    x = graph.node("Conv", x, graph.normal([16, 32, 1, 1]), graph.normal([16]))
    graph.quantised(x, 0.1, 128, "uint8")


@case("pytorch-23874", "https://github.com/pytorch/pytorch/issues/23874", "type_decision",
      "The bias of a quantised convolution is quantised with the scale of the result in place of the scale of the input",
      taught="A wrong scale of a bias and a wrong bias are the same numbers: whether the type decision or the loading is at fault, dumps cannot say.")
def bias_with_scale_of_result(graph):
    # Could also be bias_loading: the bias has another scale than the sums.
    in_scale, out_scale = numpy.float32(0.02), numpy.float32(0.035)
    x = graph.input([1, 16, 28, 28], "uniform")
    x = graph.node("Conv", x, graph.normal([32, 16, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    _, x = graph.quantised(x, in_scale, 0, "uint8")
    weights, bias = graph.random.normal(0, 0.06, [32, 32, 3, 3]), graph.random.normal(0, 0.5, 32)
    scale = numpy.float32(numpy.abs(weights).max() / 127)
    weights = graph.constant(numpy.rint(weights / scale), "int8")
    weights = graph.node("DequantizeLinear", weights, graph.constant(scale), graph.constant(0, "int8"))
    integers = numpy.rint(bias / (scale * (out_scale if graph.is_wrong else in_scale)))
    x = graph.node("Conv", x, weights, graph.constant(integers * scale * in_scale, "float32"), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    _, x = graph.quantised(x, out_scale, 0, "uint8")
    x = graph.node("Conv", x, graph.normal([16, 32, 1, 1]), graph.normal([16]))
    graph.quantised(x, 0.03, 128, "uint8")


@case("pytorch-86580", "https://github.com/pytorch/pytorch/issues/86580", "type_decision",
      "The small epsilon of a layer normalisation becomes zero in half precision")
def epsilon_becomes_zero(graph):
    tokens = graph.random.normal(0, 1, [1, 64, 128])
    tokens[:, 50:] = 0  # the sequence is shorter than the input
    x = graph.input([1, 64, 128], tokens)
    x = graph.node("MatMul", x, graph.normal([128, 96], 0.09))
    gain, shift = graph.constant(graph.random.uniform(0.5, 1.5, 96), "float32"), graph.normal([96], 0.1)
    x = graph.node("LayerNormalization", x, gain, shift, axis=-1, epsilon=float(numpy.float16(1e-8)) if graph.is_wrong else 1e-8)
    x = graph.node("MatMul", x, graph.normal([96, 64], 0.1))
    graph.node("Relu", x)


@case("torchdynamo-1013", "https://github.com/pytorch/torchdynamo/pull/1013", "memory_mapping",
      "A matrix product is stored into a buffer of its own instead of into its part of a concatenation, which keeps old data")
def part_of_concatenation_not_written(graph):
    # Could also be memory_allocation.
    x = graph.input([1, 64, 96])
    hidden = graph.node("Relu", graph.node("MatMul", x, graph.normal([96, 128], 0.1)))
    product = graph.node("MatMul", hidden, graph.normal([128, 64], 0.09))
    both = graph.node("Concat", product, hidden, axis=2)

    def partly_written(array):
        old = graph.fed[x].reshape(-1)  # what was at this place of the memory before
        array[..., :64] = numpy.resize(old, array.shape)[..., :64]
        return array

    both = graph.replaced(both, partly_written)
    x = graph.node("MatMul", both, graph.normal([192, 64], 0.07))
    graph.node("Relu", x)
