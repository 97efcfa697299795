#!/usr/bin/env python3
"""Prints a program of this folder: one instruction with all legal combinations of types, and the expected results.

usage: generate.py NAME        NAME: name of a .trasm file without its ending, such as binary or select
"""

import sys

import dma
import pe
import pod

MAKERS = {maker.__name__: maker
          for maker in (dma.load, dma.store, dma.multicast, dma.gather, pod.matmul, pod.conv, pe.binary, pe.select,
                        pe.activate, pe.lookup, pe.pool, pe.reduce, pe.softmax, pe.normalize, pe.copy, pe.flatten,
                        pe.resize, pe.fill)}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in MAKERS:
        sys.exit(__doc__ + "names: " + " ".join(MAKERS))
    sys.stdout.write(MAKERS[sys.argv[1]]().text())
