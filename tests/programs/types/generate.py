#!/usr/bin/env python3
"""Makes an example program: one instruction with all legal combinations of types, and the expected results.

usage: generate.py NAME FILE        NAME: mnemonic of the instruction, such as binary or select; or "refused" for a
                                    program with an illegal variant of every instruction
                                    FILE: the assembly text to write (.trasm)
"""

import pathlib
import sys

import dma  # noqa: F401: the modules register their instructions
import pe  # noqa: F401
import pod  # noqa: F401
from program_text import MAKERS, refusals_text

TEXTS = {name: lambda maker=maker: maker().text() for name, maker in MAKERS.items()}
TEXTS["refused"] = lambda: refusals_text([maker() for maker in MAKERS.values()])

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in TEXTS:
        sys.exit(__doc__ + "names: " + " ".join(TEXTS))
    pathlib.Path(sys.argv[2]).write_text(TEXTS[sys.argv[1]]())
