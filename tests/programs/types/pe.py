"""Test cases of the PE instructions."""

import math
from itertools import product

import numpy as np
from numbers_of_machine import (ALL, FLOATS, QUANTISED, REAL, bounded, element_of_bits, finished, fl, real, stored,
                                sum_of_integers, to_float, wrapped, SIZE)
from program_text import Program, affine, finish_operand, instruction

A = [-1.5, 0.0, 2.0, 4.5]  # A_I32 is used for i32, which cannot represent halves
A_I32 = [-3, 0, 2, 7]
B = [0.0, 1.0, 2.0, 3.0]


def operand(kind, values, whole):
    return [stored(x, kind) for x in (whole if kind == "i32" else values)]


@instruction
def binary():
    p = Program("`binary` with the functions add and pow, for all legal combinations of types.", "pe")
    for function, compute in (("add", lambda a, b: fl(a + b)), ("pow", lambda a, b: fl(a**b))):
        for ka, kb, kind in product(ALL, ALL, REAL):
            a, b = operand(ka, A, A_I32), operand(kb, B, B)
            result = [finished(compute(real(x, ka), real(y, kb)), kind) for x, y in zip(a, b)]
            p.case(kind, result, f"binary function={function} a={p.place(ka, a)} b={p.place(kb, b)} output=OUTPUT "
                   f"{affine('a_affine', ka)} {affine('b_affine', kb)} {finish_operand(kind)}")
    a, b = [2**31 - 1, -5, 7, 0], [1, -6, 8, 0]
    p.case("i32", [wrapped(x + y) for x, y in zip(a, b)],
           f"binary a={p.place('i32', a)} b={p.place('i32', b)} output=OUTPUT")
    p.refuse("binary a=i32 ocm[0] <4> b=fp32 ocm[0x40] <4> output=i32 ocm[0x80] <4>", "binary: output.type")
    return p


@instruction
def select():
    p = Program("`select` from two operands, for all legal combinations of types.", "pe")
    condition = [1, 0, 255, 0]
    for ka, kb, kind in product(ALL, ALL, REAL):
        a, b = operand(ka, A, A_I32), operand(kb, B, B)
        result = [finished(real(x, ka) if c else real(y, kb), kind) for c, x, y in zip(condition, a, b)]
        p.case(kind, result, f"select condition={p.place('u8', condition)} a={p.place(ka, a)} b={p.place(kb, b)} "
               f"output=OUTPUT {affine('a_affine', ka)} {affine('b_affine', kb)} {finish_operand(kind)}")
    a, b = [2**24 + 1, 5, -7, 0], [1, -(2**24) - 1, 8, 9]
    p.case("i32", [x if c else y for c, x, y in zip(condition, a, b)],
           f"select condition={p.place('u8', condition)} a={p.place('i32', a)} b={p.place('i32', b)} output=OUTPUT")
    p.refuse("select condition=i8 ocm[0] <4> a=fp32 ocm[0x40] <4> b=fp32 ocm[0x80] <4> output=fp32 ocm[0xc0] <4>",
             "select: condition.type")
    return p


@instruction
def activate():
    p = Program("`activate` with the function neg, for all legal combinations of types.", "pe")
    for source, kind in product(ALL, REAL + ["i32"]):
        values = operand(source, [-2.5, 0.5, 1.5, 3.0], A_I32)
        if source == kind == "i32":
            values = [-(2**31), 2**24 + 1, 0, 5]
            result = [wrapped(-x) for x in values]
        else:
            result = [finished(-real(x, source), kind) for x in values]
        p.case(kind, result, f"activate input={p.place(source, values)} output=OUTPUT "
               f"{affine('input_affine', source)} {finish_operand(kind, 'function=neg')}")
    p.refuse("activate input=fp32 ocm[0] <4> output=i8 ocm[0x40] <4>", "activate: finish.output.scale")
    p.refuse("activate finish={function=exp} input=i32 ocm[0] <4> output=i32 ocm[0x40] <4>",
             "activate: finish.function")
    return p


@instruction
def lookup():
    p = Program("`lookup` for all types of indices and of table entries.", "pe")
    inputs = {"i8": (-128, [-128, -1, 0, 127]), "u8": (0, [0, 1, 128, 255]), "i9": (-256, [-256, -1, 0, 255])}
    for source, kind in product(QUANTISED, ALL):
        first, values = inputs[source]
        entries = 512 if source == "i9" else 256
        if kind in FLOATS:
            table = [to_float(i * 0.5 - 60, kind) for i in range(entries)]
        else:
            table = [bounded((i * 7 + 3) % 250 - (0 if kind == "u8" else 120), kind) for i in range(entries)]
        p.case(kind, [table[q - first] for q in values],
               f"lookup table={p.vector(kind, table)} input={p.place(source, values)} output=OUTPUT")
    p.refuse("lookup table=[0x100] input=i32 ocm[0] <4> output=i8 ocm[0x40] <4>", "lookup: input.type")
    return p


SAME = {
    "i8": [-128, -1, 5, 127], "u8": [0, 1, 128, 255], "i9": [-256, -1, 0, 255],
    "i32": [-(2**31), -1, 2**24 + 1, 2**31 - 1], "fp16": [-1.5, 65504.0, 2.0**-24, -0.0],
    "bf16": [-1.5, 2.0**127, 2.0**-133, -0.0], "fp32": [0.1, -3.4028234663852886e38, 2.0**-149, -0.0],
}
SAME["fp32"][0] = fl(0.1)


@instruction
def copy():
    p = Program("`copy` turns two rows of two into two columns, for all types.", "pe")
    for kind in ALL:
        v = SAME[kind]
        at = p.place(kind, v, ["2*%d" % SIZE[kind], "2*%d" % (2 * SIZE[kind])])
        p.case(kind, [v[0], v[2], v[1], v[3]], f"copy input={at} output=OUTPUT", [2, 2])
    p.refuse("copy input=fp16 ocm[0] <4> output=bf16 ocm[0x40] <4>", "copy: output.type")
    return p


BITS = {"i8": 0x85, "u8": 0x85, "i9": 0xFF00, "i32": 0x80000001, "fp16": 0xC001, "bf16": 0x3F81, "fp32": 0x40490FDB}


@instruction
def fill():
    p = Program("`fill` for all types.", "pe")
    for kind in ALL:
        p.case(kind, [element_of_bits(BITS[kind], kind)] * 3, f"fill value={BITS[kind]:#x} output=OUTPUT")
    p.refuse("fill value=256 output=i8 ocm[0] <4>", "fill: value")
    return p


@instruction
def flatten():
    p = Program("`flatten` of an image of 2 x 2 by windows of 2 x 2, padded above and on the left, for all types.",
                "pe")
    for kind in ALL:
        v, pad = SAME[kind], element_of_bits(BITS[kind], kind)
        image = lambda y, x: v[2 * y + x] if y >= 0 and x >= 0 else pad
        rows = [image(y - 1 + i, x - 1 + j) for y in range(2) for x in range(2) for i in range(2) for j in range(2)]
        p.case(kind, rows, f"flatten pad_value={BITS[kind]:#x} window={{pad_top=1 pad_left=1}} "
               f"input={p.place(kind, v, [2, 2, 1])} output=OUTPUT", [2, 2, 2, 2, 1])
    p.refuse("flatten input=i8 ocm[0] <4, 4, 4> output=u8 ocm[0x400] <4, 4, 1, 1, 4>", "flatten: output.type")
    return p


IMAGE = [-1.0, 0.5, 2.0, 3.0, -4.0, 5.5, 6.0, 1.0, 0.0]


def windows(values):
    return [[values[3 * (y + i) + x + j] for i in range(2) for j in range(2)] for y in range(2) for x in range(2)]


@instruction
def pool():
    p = Program("`pool` of an image of 3 x 3 by windows of 2 x 2: maximum and average, for all types.", "pe")
    for source, kind in product(REAL, REAL):
        values = [stored(x, source) for x in IMAGE]
        head = "kernel_h=2 kernel_w=2"
        rest = f"input={p.place(source, values, [3, 3, 1])} output=OUTPUT {affine('input_affine', source)}"
        if source in FLOATS or source == kind:
            best = [max(w) for w in windows(values)]
            result = best if source == kind else [finished(real(x, source), kind) for x in best]
            p.case(kind, result, f"pool function=max {head} {rest} {finish_operand(kind)}", [2, 2, 1])
        if (source in QUANTISED) != (kind in QUANTISED) and source in QUANTISED:
            continue
        if source in QUANTISED:
            result = [sum_of_integers(w, source, kind, 4) for w in windows(values)]
        else:
            result = []
            for w in windows(values):
                total = w[0]
                for x in w[1:]:
                    total = fl(total + x)
                result.append(finished(fl(total / 4), kind))
        p.case(kind, result, f"pool function=average {head} {rest} {finish_operand(kind)}", [2, 2, 1])
    p.refuse("pool kernel_h=2 kernel_w=2 input=i32 ocm[0] <4, 4, 4> output=fp32 ocm[0x400] <3, 3, 4>",
             "pool: input.type")
    return p


ROWS = [[-1.0, 0.5, 2.0, 3.0], [4.0, -0.5, -2.0, 4.0]]
ROWS_I32 = [[-1, 5, 2, 3], [4, -6, 2**24 + 1, 4]]


def reduced(function, row):
    """A reduction in fp32, in order, starting from the first element."""
    acc = row[0]
    for x in row[1:]:
        acc = max(acc, x) if function == "max" else fl(acc * x) if function == "product" else fl(acc + x)
    return fl(acc / len(row)) if function == "mean" else acc


@instruction
def reduce():
    p = Program("`reduce` of two rows of four: one function of each kind, for all legal combinations of types.", "pe")
    for function, source, kind in product(["sum", "mean", "max", "arg_max", "product"], ALL, ALL):
        rows = [operand(source, r, w) for r, w in zip(ROWS, ROWS_I32)]
        tail = finish_operand(kind)
        if function == "arg_max":
            if kind != "i32":
                continue
            result, tail = [row.index(max(row)) for row in rows], ""
        elif source in QUANTISED and function in ("sum", "mean"):
            if kind not in QUANTISED:
                continue
            result = [sum_of_integers(row, source, kind, 4 if function == "mean" else 1) for row in rows]
        elif source in QUANTISED and function == "max":
            if kind != source:
                continue
            result = [max(row) for row in rows]
        elif kind == "i32":
            if source != "i32" or function == "mean":
                continue
            exact = {"sum": sum, "max": max, "product": math.prod}[function]
            result, tail = [wrapped(exact(row)) for row in rows], ""
        else:
            result = [finished(reduced(function, [real(x, source) for x in row]), kind) for row in rows]
        flat = [x for row in rows for x in row]
        p.case(kind, result, f"reduce function={function} axes={{4}} input={p.place(source, flat, [2, 4])} "
               f"output=OUTPUT {affine('input_affine', source)} {tail}", [2, 1])
    p.refuse("reduce function=mean axes={4} input=i32 ocm[0] <4> output=i32 ocm[0x40] <1>", "reduce: output.type")
    return p


@instruction
def softmax():
    p = Program("`softmax` of two rows, for all types.", "pe")
    for source, kind in product(REAL, REAL):
        rows = [[stored(x, source) for x in row] for row in ([1.0, 1.0, -2.0, 0.5], [3.0, 3.0, 3.0, 3.0])]
        result = []
        for row in rows:
            values = [real(x, source) for x in row]
            powers = [fl(math.exp(x - max(values))) for x in values]
            total = 0.0
            for x in powers:
                total += x
            result += [finished(fl(x / fl(total)), kind) for x in powers]
        flat = [x for row in rows for x in row]
        p.case(kind, result, f"softmax input={p.place(source, flat, [2, 4])} output=OUTPUT "
               f"{affine('input_affine', source)} {finish_operand(kind)}", [2, 4])
    p.refuse("softmax input=i32 ocm[0] <4> output=fp32 ocm[0x40] <4>", "softmax: input.type")
    return p


@instruction
def normalize():
    p = Program("`normalize` of a row with mean 2 and variance 1, with and without gain and shift, for all types.\n"
                "For such a row, every formula for mean and variance gives the exact result.", "pe")
    row, gain, shift = [1.0, 3.0, 1.0, 3.0], [1.0, 2.0, 0.5, 4.0], [0.0, 1.0, -1.0, 0.5]
    for source, kg, ks, kind in product(REAL, [None] + FLOATS, [None] + FLOATS, REAL):
        values = [stored(x, source) for x in row]
        result = [finished((x - 2) * (g if kg else 1) + (s if ks else 0), kind) for x, g, s in zip(row, gain, shift)]
        operands = (f"gain={p.place(kg, gain)} " if kg else "") + (f"shift={p.place(ks, shift)}" if ks else "")
        p.case(kind, result, f"normalize mode=mean_variance epsilon=0 input={p.place(source, values)} {operands} "
               f"output=OUTPUT {affine('input_affine', source)} {finish_operand(kind)}")
    p.refuse("normalize mode=rms input=fp32 ocm[0] <4> gain=i32 ocm[0x40] <4> output=fp32 ocm[0x80] <4>",
             "normalize: gain.type")
    return p


@instruction
def resize():
    p = Program("`resize` of 2 x 2: a row and a column are inserted, which repeat the first (nearest) or are the average\n"
                "(linear), for all legal combinations of types.", "pe")
    image = [-1.0, 3.0, 2.0, 5.0]
    for source, kind in product(REAL, REAL):
        values = [stored(x, source) for x in image]
        exact = [real(x, source) for x in values]
        rest = (f"rows={{numerator=1 denominator=2}} columns={{numerator=1 denominator=2}} "
                f"input={p.place(source, values, [2, 2, 1])} output=OUTPUT {affine('input_affine', source)}")
        near = [2 * (y // 2) + x // 2 for y in range(3) for x in range(3)]
        p.case(kind, [values[i] if source == kind else finished(exact[i], kind) for i in near],
               f"resize mode=nearest {rest} {finish_operand(kind)}", [3, 3, 1])
        between = [(exact[0] * (2 - y) * (2 - x) + exact[1] * (2 - y) * x + exact[2] * y * (2 - x) + exact[3] * y * x)
                   / 4 for y in range(3) for x in range(3)]
        p.case(kind, [finished(x, kind) for x in between], f"resize mode=linear {rest} {finish_operand(kind)}",
               [3, 3, 1])
    p.refuse("resize mode=nearest rows={numerator=1 denominator=1} columns={numerator=1 denominator=1} "
             "input=i32 ocm[0] <4, 4, 4> output=i32 ocm[0x400] <4, 4, 4>", "resize: input.type")
    return p
