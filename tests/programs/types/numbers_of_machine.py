"""The machine's element types and their rounding rules, in numpy. Written from isa/ISA.md as an independent
implementation: it shares no code with isa/Numerics or the emulator."""

import numpy as np

INTEGERS = {"i8": (-128, 127), "u8": (0, 255), "i9": (-256, 255), "i32": (-(2**31), 2**31 - 1)}
QUANTISED = ["i8", "u8", "i9"]
FLOATS = ["fp16", "bf16", "fp32"]
REAL = QUANTISED + FLOATS
ALL = ["i8", "u8", "i9", "i32", "fp16", "bf16", "fp32"]
SIZE = {"i8": 1, "u8": 1, "i9": 2, "i32": 4, "fp16": 2, "bf16": 2, "fp32": 4}
DTYPE = {
    "i8": "int8", "u8": "uint8", "i9": "int16", "i32": "int32",
    "fp16": "float16", "bf16": "bfloat16", "fp32": "float32",
}

# Scale and zero point of quantised operands and results: powers of two, so that real values are exact.
AFFINE = {"i8": (0.5, 3), "u8": (0.25, 100), "i9": (0.5, -20)}


def fl(x):
    """x, rounded to fp32."""
    with np.errstate(over="ignore"):
        return float(np.float32(x))


def to_float(x, kind):
    """The fp32 value x, rounded to the float type `kind`."""
    if kind == "fp16":
        with np.errstate(over="ignore"):
            return float(np.float16(np.float32(x)))
    if kind == "bf16":
        bits = int(np.float32(x).view(np.uint32))
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        return float(np.uint32(bits).view(np.float32))
    return fl(x)


def bounded(q, kind):
    """The integer q, limited to the range of type `kind`."""
    low, high = INTEGERS[kind]
    return max(low, min(high, q))


def low_bits(q, kind):
    """The low eight bits of q, read as the type `kind`."""
    q &= 255
    return q - 256 if kind == "i8" and q > 127 else q


def real(q, kind):
    """The real number that the element q of type `kind` represents."""
    if kind in QUANTISED:
        scale, zero = AFFINE[kind]
        return (q - zero) * scale
    return fl(q)


def stored(x, kind):
    """The element of type `kind` that represents x exactly."""
    if kind in QUANTISED:
        scale, zero = AFFINE[kind]
        q = x / scale + zero
        assert q == int(q) and q == bounded(int(q), kind), (x, kind)
        return int(q)
    if kind == "i32":
        assert x == int(x)
        return int(x)
    assert to_float(x, kind) == x, (x, kind)
    return x


def finished(y, kind):
    """The fp32 result y of an instruction, converted to an element of the output type `kind`."""
    if kind in QUANTISED:
        scale, zero = AFFINE[kind]
        return bounded(int(np.rint(fl(y / scale))) + zero, kind)
    if kind == "i32":
        return bounded(int(np.rint(y)), kind)
    return to_float(y, kind)


def wrapped(x):
    """x modulo 2^32, as an int32."""
    return (x + 2**31) % 2**32 - 2**31


def sum_of_integers(elements, source, kind, count):
    """The sum (count 1) or mean of quantised elements: the exact integer sum, multiplied by one factor."""
    total = sum(q - AFFINE[source][1] for q in elements)
    factor = fl(AFFINE[source][0] / fl(AFFINE[kind][0] * fl(count)))
    return bounded(int(np.rint(fl(fl(total) * factor))) + AFFINE[kind][1], kind)


def element_of_bits(bits, kind):
    """The element of type `kind` with these bits."""
    if kind == "fp16":
        return float(np.uint16(bits).view(np.float16))
    if kind == "bf16":
        return float(np.uint32(bits << 16).view(np.float32))
    if kind == "fp32":
        return float(np.uint32(bits).view(np.float32))
    width = 8 * SIZE[kind]
    return bits - 2**width if kind != "u8" and bits >> (width - 1) else bits
