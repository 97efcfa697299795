"""Ablation benchmark of the compiler: cycles of programs with and without each optimisation.

The emulator counts the cycles, so that they do not depend on the host.
"""

import json
import tempfile
from pathlib import Path

from common import head, host, run
from networks import Networks

MACHINE, TILES = "tr64", 64
# For each optimisation, the title in the table and the options of `tilerig compile` that switch it off.
SWITCHES = [
    ("weights loaded ahead (prefetch)", ["--prefetch", "1"]),
    ("instructions sorted by start time", ["--order", "listed"]),
    ("tasks on the critical path first, several limits of DDR reads", ["--order", "interleaved"]),
    ("limited DDR reads in flight", ["--ddr-reads", "0"]),
    ("layers overlap", ["--apart"]),
    ("redundant synchronisation removed", ["--redundant-syncs", "kept"]),
    ("functions and sums fused into layers", ["--without", "fuse-biases,fuse-functions,fuse-addends"]),
    ("all of the above", ["--prefetch", "1", "--order", "listed", "--ddr-reads", "0", "--apart", "--redundant-syncs",
                          "kept", "--without", "fuse-biases,fuse-functions,fuse-addends"]),
]
# Networks, each with a number of tiles, on which fusion blocks are measured. A fusion block is several layers
# that a tile computes together, a few rows at a time, without holding the whole tensors between the layers.
# It helps if tensors do not all fit into the OCMs (on-chip memories), which is the case on few tiles.
FEW_TILES = [("mobilenet_v2:int8", 1), ("mobilenet_v2:fp16", 1), ("resnet50:fp16", 1), ("resnet18:fp32", 4)]
NETWORKS = ["resnet50:int8", "mobilenet_v2:int8", "squeezenet:fp16", "bert_tiny:fp16"]


def cycles(networks, model, precision, options, tiles=TILES):
    """Returns (cycles, counts of synchronisation instructions, ""), or (None, None, reason) if compiling or
    running fails."""
    with tempfile.TemporaryDirectory() as folder:
        found, why = networks.cycles(model, precision, tiles, MACHINE, "--metadata", folder, *options)
        if found is None:
            return None, None, why
        return found, json.loads((Path(folder) / "isa.json").read_text())["synchronisation"], ""


def bench(arguments):
    run("scripts/build", "release", "tilerig-compile", "tilerig-run", "tilerig-zoo", "tilerig-reference",
        failure="the build failed")
    rows, syncs, blocks = [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        networks = Networks(arguments.work or Path(scratch))
        for case in arguments.networks or NETWORKS:
            name, precision = case.split(":")
            model = networks.model(name)
            on, sync, why = cycles(networks, model, precision, [])
            syncs.append({"network": case, "cycles": on, "why": why, **(sync or {})})
            for title, options in SWITCHES:
                off, _, why = cycles(networks, model, precision, options)
                rows.append({"network": case, "optimisation": title, "without": " ".join(options),
                             "cycles_without": off, "cycles_with": on, "why": why})
                print(rows[-1], flush=True)
        for case, tiles in FEW_TILES:
            name, precision = case.split(":")
            on, off = (cycles(networks, networks.model(name), precision, options, tiles)
                       for options in ([], ["--no-fusion-blocks"]))
            blocks.append({"network": case, "tiles": tiles, "cycles_with": on[0], "cycles_without": off[0],
                           "why": on[2] or off[2]})
            print(blocks[-1], flush=True)
    return {"host": host(), "machine": MACHINE, "tiles": TILES, "switches": rows, "synchronisation": syncs,
            "fusion_blocks": blocks}


def cell(row):
    if not row["cycles_without"]:
        return row["why"]
    return f"{row['cycles_without']:,} ({row['cycles_without'] / row['cycles_with']:.3f} ×)"


def table(report):
    cases = [row["network"] for row in report["synchronisation"]]
    lines = [
        head("The benefit of each optimisation", "Cycles of programs with and without each optimisation of the compiler", report), "",
        f"Cycles are those that the emulator counts on {report['tiles']} tiles of {report['machine']}; they do not depend on the host."
        " In parentheses: cycles without the optimisation / cycles"
        " with all optimisations; below 1, the network is faster without it.", "",
        "| without | options | " + " | ".join(cases) + " |", "|---" * (len(cases) + 2) + "|",
        "| – | | " + " | ".join(f"{row['cycles']:,}" for row in report["synchronisation"]) + " |"]
    by = {(row["optimisation"], row["network"]): row for row in report["switches"]}
    for title, options in SWITCHES:
        lines.append(f"| {title} | `{' '.join(options)}` | " + " | ".join(cell(by[title, case]) for case in cases) + " |")
    lines += ["", "Fusion blocks, which are formed if not all tensors fit into the OCMs; `--no-fusion-blocks` disables them:", "",
              "| network | tiles | cycles with | without |", "|---" * 4 + "|"]
    for row in report["fusion_blocks"]:
        with_them = f"{row['cycles_with']:,}" if row["cycles_with"] else row["why"]
        lines.append(f"| {row['network']} | {row['tiles']} | {with_them} | {cell(row)} |")
    lines += [
        "", "Synchronisation of all tiles: dependencies between engines, before and after those that others imply are removed, and"
        " the instructions that enforce the rest.", "",
        "| network | before | after | removed | local syncs | semaphore waits | signals | barriers |", "|---" * 8 + "|"]
    for row in report["synchronisation"]:
        removed = 1 - row["after_removal"] / row["before_removal"]
        lines.append(f"| {row['network']} | {row['before_removal']:,} | {row['after_removal']:,} | {100 * removed:.1f} %"
                     f" | {row['local_syncs']:,} | {row['semaphore_waits']:,} | {row['signals']:,} | {row['barriers']:,} |")
    return "\n".join(lines) + "\n"
