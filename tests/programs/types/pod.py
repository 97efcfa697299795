"""Test cases of `matmul` and `conv`, which share the code for their epilogues."""

from itertools import product

import numpy as np
from numbers_of_machine import AFFINE, FLOATS, QUANTISED, bounded, finished, fl, real, stored, to_float
from program_text import Program, affine, finish, instruction

ZERO = {"i8": (1, -2), "u8": (5, 7)}  # zero points of inputs and of weights
BIAS, SCALE = {"i32": [10, -20], "fp32": [0.5, -1.5]}, [0.5, 0.25]
MIDDLE_SCALE, MIDDLE_ZERO = 0.5, 1


def combinations():
    """The legal combinations of types: (first operand, second operand, output, accumulate_from, addend)."""
    for a, b in product(["i8", "u8"], repeat=2):
        yield from product([a], [b], ["i32"], [None, "i32"], [None])
        yield from product([a], [b], QUANTISED, [None, "i32"], [None, "i8", "u8"])
        yield from product([a], [b], FLOATS, [None, "i32"], [None] + FLOATS)
    for a in FLOATS:
        yield from product([a], [a], FLOATS, [None, "fp32"], [None] + FLOATS)


def after_accumulators(p, types, sums, shape, outputs):
    """Returns the operands of the epilogue as text, and the results. `sums`: the sums of products; the output's index
    varies fastest."""
    a, b, kind, start, addend = types
    is_integer = a not in FLOATS
    words = []
    starts = [3 * i - 4 for i in range(len(sums))]
    if start:
        words.append(f"accumulate_from={p.place(start, starts, shape)}")
    else:
        bias = BIAS["i32" if is_integer else "fp32"]
        words.append(f"bias={p.vector('i32' if is_integer else 'fp32', bias)}")
        starts = [bias[i % outputs] for i in range(len(sums))]
    acc = [x + y for x, y in zip(sums, starts)]
    added = [0.0] * len(sums)
    if addend:
        values = [stored(0.5 * (i % 7) - 1, addend) for i in range(len(sums))]
        added = [real(x, addend) for x in values]
        words.append(f"addend={p.place(addend, values, shape)} {affine('addend_affine', addend)}")
    if is_integer:
        words.append(f"input_zero_point={ZERO[a][0]} weight_zero_point={ZERO[b][1]}")
    if is_integer and kind != "i32":
        words.append(f"scale={p.vector('fp32', SCALE)}")
        acc = [fl(fl(x) * SCALE[i % outputs]) for i, x in enumerate(acc)]
    if kind in QUANTISED and addend:
        words.append(f"middle_type=i8 middle={{scale={MIDDLE_SCALE} zero_point={MIDDLE_ZERO}}}")
        middle = [bounded(int(np.rint(x)) + MIDDLE_ZERO, "i8") for x in acc]
        acc = [(m - MIDDLE_ZERO) * MIDDLE_SCALE + x for m, x in zip(middle, added)]
        results = [finished(y, kind) for y in acc]
    elif kind in QUANTISED:
        results = [bounded(int(np.rint(x)) + AFFINE[kind][1], kind) for x in acc]
    elif kind == "i32":
        results = acc
    else:
        results = [to_float(fl(x + y), kind) for x, y in zip(acc, added)]
    if kind in QUANTISED:
        words.append(f"finish={{{finish(kind)}}}")
    return f"epilogue={{{' '.join(words)}}}", results


def operand(kind, count, factor):
    """`count` small values, each different from its neighbours."""
    values = [(i * factor) % 11 - 5 for i in range(count)]
    if kind in FLOATS:
        return [0.5 * x for x in values]
    return [x + 5 for x in values] if kind == "u8" else values


def less_zero(values, kind, which):
    """The values minus their zero point; `which`: 0 for inputs, 1 for weights."""
    return [x - (0 if kind in FLOATS else ZERO[kind][which]) for x in values]


@instruction
def matmul():
    p = Program("`matmul` of 2 x 3 with 2 x 3, for all legal combinations of types; the mappings alternate.", "pod")
    for i, types in enumerate(combinations()):
        a, b = operand(types[0], 6, 3), operand(types[1], 6, 4)
        left, right = less_zero(a, types[0], 0), less_zero(b, types[1], 1)
        sums = [sum(left[3 * m + k] * right[3 * n + k] for k in range(3)) for m in range(2) for n in range(2)]
        epilogue, results = after_accumulators(p, types, sums, [2, 2], 2)
        p.case(types[2], results, f"matmul mapping={['lamm', 'samm1', 'samm2'][i % 3]} "
               f"a={p.place(types[0], a, [2, 3])} b={p.place(types[1], b, [2, 3])} output=OUTPUT {epilogue}", [2, 2])
    p.refuse("matmul a=fp16 ocm[0] <4, 16> b=fp32 ocm[0x100] <4, 16> output=fp32 ocm[0x400] <4, 4>", "matmul: b.type")
    p.refuse("matmul a=i8 ocm[0] <4, 16> b=i8 ocm[0x100] <4, 16> output=i8 ocm[0x400] <4, 4>",
             "matmul: epilogue.scale.present")
    return p


@instruction
def conv():
    p = Program("`conv` of an image of 2 x 2 with 2 channels, padded above, by a kernel of 2 x 1, for all legal\n"
                "combinations of types. Padding contributes zero to the sums, whatever the zero point.", "pod")
    for types in combinations():
        a, w = operand(types[0], 8, 3), operand(types[1], 8, 4)
        image, kernel = less_zero(a, types[0], 0), less_zero(w, types[1], 1)
        sums = [sum(image[4 * (y - 1 + i) + 2 * x + c] * kernel[4 * o + 2 * i + c]
                    for i in range(2) if y - 1 + i >= 0 for c in range(2))
                for y in range(2) for x in range(2) for o in range(2)]
        epilogue, results = after_accumulators(p, types, sums, [2, 2, 2], 2)
        p.case(types[2], results, f"conv window={{pad_top=1}} input={p.place(types[0], a, [2, 2, 2])} "
               f"weights={p.place(types[1], w, [2, 2, 1, 2])} output=OUTPUT {epilogue}", [2, 2, 2])
    p.refuse("conv input=i8 ocm[0] <4, 4, 16> weights=fp16 ocm[0x100] <4, 1, 1, 16> output=i32 ocm[0x400] <4, 4, 4>",
             "conv: weights.type")
    p.refuse("conv input=i8 ocm[0] <4, 4, 16> weights=i8 ocm[0x100] <4, 1, 1, 8> output=i32 ocm[0x400] <4, 4, 4>",
             "conv: input.dims[4].size")
    return p
