"""Test cases of the DMA instructions."""

from numbers_of_machine import ALL, SIZE, bounded, fl, low_bits, to_float
from pe import SAME
from program_text import Program, instruction

CONVERSIONS = [("i8", "i8"), ("i8", "i9"), ("u8", "u8"), ("u8", "i9"), ("i9", "i9"), ("i9", "i8"), ("i9", "u8"),
               ("i32", "i32"), ("fp16", "fp16"), ("fp16", "fp32"), ("bf16", "bf16"), ("bf16", "fp32"),
               ("fp32", "fp32"), ("fp32", "fp16"), ("fp32", "bf16")]
VALUES = dict(SAME, i9=[-256, -129, 128, 255], fp32=[2049.0, 65520.0, fl(0.1), -1.00390625])


def converted(values, source, kind, clip):
    """The values as the DMA converts them from type `source` to `kind`; clip: limits i9 to the range of `kind`."""
    if kind in ("fp16", "bf16"):
        return [to_float(x, kind) for x in values]
    if source == "i9" and kind != "i9":
        return [bounded(x, kind) if clip else low_bits(x, kind) for x in values]
    return [float(x) if kind == "fp32" else x for x in values]


def cases():
    """Yields (source type, destination type, operand `clip`, expected result) for every conversion."""
    for source, kind in CONVERSIONS:
        for clip in ([0, 1] if source == "i9" and kind != "i9" else [0]):
            yield source, kind, f"clip={clip}" if clip else "", converted(VALUES[source], source, kind, clip)


class FromDdr(Program):
    """A program whose sources are read directly from the constants in DDR."""

    def place(self, kind, values, rows=None):
        return f"{kind} ddr[{self.constant(kind, values):#x}] <{len(values)}>"


@instruction
def load():
    p = FromDdr("`load` with every conversion between types; from i9 with and without clipping.", "dma_in")
    for source, kind, clip, result in cases():
        p.case(kind, result, f"load {clip} source={p.place(source, VALUES[source])} destination=OUTPUT")
    p.refuse("load source=i8 ddr[0] <4> destination=u8 ocm[0] <4>", "load: destination.type")
    p.refuse("load clip=1 source=i8 ddr[0] <4> destination=i8 ocm[0] <4>", "load: clip")
    return p


@instruction
def store():
    p = Program("`store` within the tile, with every conversion between types; from i9 also with clipping.", "dma_out")
    for source, kind, clip, result in cases():
        p.case(kind, result, f"store {clip} source={p.place(source, VALUES[source])} destination=OUTPUT")
    p.cases.append("    sync on=dma_out")
    p.refuse("store source=i32 ocm[0] <4> destination=fp32 ddr[0] <4>", "store: destination.type")
    return p


@instruction
def multicast():
    p = FromDdr("`multicast` from DDR to the own tile, with every conversion; from i9 with and without clipping.",
                "dma_in")
    for source, kind, clip, result in cases():
        p.case(kind, result, f"multicast tiles={{0}} {clip} source={p.place(source, VALUES[source])} "
               "destination=OUTPUT")
    p.refuse("multicast tiles={0-1} source=fp16 ddr[0] <4> destination=bf16 ocm[0] <4>", "multicast: destination.type")
    return p


@instruction
def gather():
    p = Program("`gather` of rows 1, 0 and the last but one of four, for all types.", "dma_in")
    for kind in ALL:
        v = SAME[kind]
        p.case(kind, [v[1], v[0], v[2]], f"gather indices={p.place('i32', [1, 0, -2])} "
               f"source={p.place(kind, v, [4, 1, 1])} destination=OUTPUT", [3, 1, 1])
    p.refuse("gather indices=i8 ocm[0] <4> source=i8 ddr[0] <8, 1, 4> destination=i8 ocm[0x100] <4, 1, 4>",
             "gather: indices.type")
    return p
