"""Miscompilations of TensorRT and of compilers that call it, as their trackers describe them."""

import numpy
from case import case


@case("trt-4606", "https://github.com/NVIDIA/TensorRT/issues/4606", "rewrite",
      "A clip to 0 ... 6 behind MatMul and Add becomes a relu: its upper bound is lost")
def upper_bound_lost(graph):
    # Could also be instruction_calls: the fused kernel gets a relu as its function.
    x = graph.input([1, 64, 128])
    x = graph.node("LayerNormalization", x, graph.normal([128], 1.0), graph.normal([128], 0.1), axis=-1)
    x = graph.node("MatMul", x, graph.normal([128, 256], 0.25))
    x = graph.node("Add", x, graph.normal([256], 0.5))
    low, high = graph.constant(0, "float32"), graph.constant(6, "float32")
    x = graph.node("Clip", x, low, None if graph.is_wrong else high)
    x = graph.node("MatMul", x, graph.normal([256, 128], 0.06))
    graph.node("Relu", x)


@case("trt-4854", "https://github.com/NVIDIA/TensorRT/issues/4854", "data_access",
      "A residual addition reads a part of a concatenation buffer as if its pixels followed each other without gap")
def strided_view_read_densely(graph):
    x = graph.input([1, 32, 20, 20])
    x = graph.node("Conv", x, graph.normal([128, 32, 3, 3]), graph.normal([128]), pads=[1, 1, 1, 1])
    x = graph.node("Mul", x, graph.node("Sigmoid", x))
    first, second = graph.node("Split", x, axis=1, outputs=2)
    y = graph.node("Conv", second, graph.normal([32, 64, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])
    y = graph.node("Mul", y, graph.node("Sigmoid", y))
    y = graph.node("Conv", y, graph.normal([64, 32, 3, 3]), graph.normal([64]), pads=[1, 1, 1, 1])
    y = graph.node("Mul", y, graph.node("Sigmoid", y))
    total = graph.node("Add", y, second)

    def added(array):
        # The buffer has, for each pixel, 64 channels of each half and 64 channels of this sum, not yet written. The addend begins at channel 64.
        buffer = numpy.concatenate([graph.value(first), graph.value(second), numpy.zeros_like(array)], axis=1).transpose(0, 2, 3, 1).reshape(-1)
        dense = buffer[64:64 + array.size].reshape(1, 20, 20, 64).transpose(0, 3, 1, 2)
        return graph.value(y) + dense

    total = graph.replaced(total, added)
    x = graph.node("Concat", first, second, total, axis=1)
    x = graph.node("Conv", x, graph.normal([64, 192, 1, 1]), graph.normal([64]))
    graph.node("Relu", x)


@case("trt-4826", "https://github.com/NVIDIA/TensorRT/issues/4826", "rewrite",
      "A transposition that is folded into an attention kernel permutes the shape of the query but not its strides")
def strides_not_permuted(graph):
    # Could also be data_access: the kernel then addresses the query as if it were contiguous in the new order.
    length, heads, depth = 64, 8, 32
    query = graph.input([length, heads, depth])
    features = graph.input([length, heads * depth])
    key = graph.node("MatMul", features, graph.normal([heads * depth, heads * depth], 0.06))
    key = graph.node("Reshape", key, graph.constant([length, heads, depth], "int64"))
    value = graph.node("MatMul", features, graph.normal([heads * depth, heads * depth], 0.06))
    value = graph.node("Reshape", value, graph.constant([length, heads, depth], "int64"))
    q = graph.node("Transpose", query, perm=[1, 0, 2])
    k = graph.node("Transpose", key, perm=[1, 2, 0])
    v = graph.node("Transpose", value, perm=[1, 0, 2])
    scores = graph.node("MatMul", q, k)
    scores = graph.replaced(scores, lambda array: graph.fed[query].reshape(heads, length, depth) @ graph.value(k))
    scores = graph.node("Mul", scores, graph.constant(depth ** -0.5, "float32"))
    x = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), v)
    x = graph.node("Transpose", x, perm=[1, 0, 2])
    x = graph.node("Reshape", x, graph.constant([length, heads * depth], "int64"))
    graph.node("MatMul", x, graph.normal([heads * depth, 128], 0.06))


@case("trt-273", "https://github.com/NVIDIA/TensorRT/issues/273", "rewrite",
      "A bilinear resize that should align the centres of pixels is imported as one that aligns their corners at the top left",
      taught="Mistakes of graph passes have the statistics of nothing in particular; what names them is the model with one node computed otherwise.")
def asymmetric_resize(graph):
    # Could also be data_access: all positions that are read are half a pixel too far to the bottom right.
    x = graph.input([1, 32, 14, 14])
    x = graph.node("Conv", x, graph.normal([48, 32, 3, 3]), graph.normal([48]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    scales = graph.constant([1, 1, 2, 2], "float32")
    x = graph.node("Resize", x, None, scales, mode="linear", coordinate_transformation_mode="asymmetric" if graph.is_wrong else "half_pixel")
    x = graph.node("Conv", x, graph.normal([32, 48, 3, 3]), graph.normal([32]), pads=[1, 1, 1, 1])
    graph.node("Relu", x)


@case("neotvm-32", "https://github.com/neo-ai/tvm/issues/32", "rewrite",
      "Average pooling handed to TensorRT leaves padding out of the count, because the attribute is not passed on")
def padding_not_counted(graph):
    # Could also be padding: only the borders are wrong.
    x = graph.input([1, 32, 35, 35])
    x = graph.node("Conv", x, graph.normal([48, 32, 3, 3]), graph.normal([48]), pads=[1, 1, 1, 1])
    x = graph.node("Relu", x)
    x = graph.node("AveragePool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=0 if graph.is_wrong else 1)
    x = graph.node("Conv", x, graph.normal([32, 48, 1, 1]), graph.normal([32]))
    graph.node("Relu", x)
