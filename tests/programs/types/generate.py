#!/usr/bin/env python3
"""Makes an example program: one instruction with all legal combinations of types, and the expected results.

usage: generate.py NAME FILE        NAME: mnemonic of the instruction, such as binary or select
                                    FILE: the assembly text to write (.trasm)
"""

import pathlib
import sys

import dma
import pe
import pod

MAKERS = {maker.__name__: maker
          for maker in (dma.load, dma.store, dma.multicast, dma.gather, pod.matmul, pod.conv, pe.binary, pe.select,
                        pe.activate, pe.lookup, pe.pool, pe.reduce, pe.softmax, pe.normalize, pe.copy, pe.flatten,
                        pe.resize, pe.fill)}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in MAKERS:
        sys.exit(__doc__ + "names: " + " ".join(MAKERS))
    pathlib.Path(sys.argv[2]).write_text(MAKERS[sys.argv[1]]().text())
