"""Benchmark of delays: cycles, DDR transfers in flight, and peaks of energy. A delay makes a tile begin its
first DDR read of a layer later, so that not all tiles read DDR at once.

The emulator counts the cycles, so that they do not depend on the host.
"""

import json
import tempfile
from pathlib import Path

from common import head, host, run
from networks import Networks, answer, tool

MACHINE, TILES = "tr64", 64
NETWORKS = ["resnet18:int8", "resnet50:int8", "mobilenet_v2:int8", "squeezenet:fp16", "inception_v1:int8", "bert_tiny:fp16"]
STAGGERS = [20, 100, 500]
ROUNDS = 3  # how often a program is run with delays that are set from the statistics of its previous run


class Program:
    """A compiled program and the statistics of its last timed run."""

    def __init__(self, folder):
        self.file, self.stats = folder / "program.trb", folder / "stats.json"

    def figures(self, *options):
        document, why = answer(tool("run"), self.file, "--mode", "timed", "--no-values", "--stats", self.stats, *options)
        if why:
            return {"why": why}
        peaks = document["peaks"]
        return {"cycles": document["cycles"], "ddr_transfers": peaks["ddr_transfers"], "energy_pj": peaks["energy_pj"],
                "energy_rise_pj": peaks["energy_rise_pj"], "delays": len(document.get("delays", []))}

    def measured_again(self):
        """Runs the program again, with each delay set from the statistics of the last run; returns what
        figures() does."""
        last = self.stats.with_name("last.json")
        last.write_text(self.stats.read_text())
        return self.figures("--delays-from", last)


def rows_of(networks, case):
    name, precision = case.split(":")
    model = networks.model(name)
    for turns in (["--ddr-reads", "0"], []):
        for stagger in [None, *STAGGERS, 0]:
            options = [*turns, *([] if stagger is None else ["--stagger", stagger])]
            _, why = networks.compile(model, precision, TILES, MACHINE, *options)
            row = {"network": case, "ddr_reads": "any" if turns else "few", "stagger": stagger, "rounds": 0}
            program = Program(networks.folder)
            yield {**row, **({"why": why} if why else program.figures())}
            if stagger == 0 and not why:
                for rounds in range(1, ROUNDS + 1):
                    yield {**row, "rounds": rounds, **program.measured_again()}


def bench(arguments):
    run("scripts/build", "release", "tilerig-compile", "tilerig-run", "tilerig-zoo", "tilerig-reference",
        failure="the build failed")
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        networks = Networks(arguments.work or Path(scratch))
        for case in arguments.networks or NETWORKS:
            for row in rows_of(networks, case):
                rows.append(row)
                print(json.dumps(row), flush=True)
    return {"host": host(), "machine": MACHINE, "tiles": TILES, "rows": rows}


def title(row):
    if row["stagger"] is None:
        return "none"
    if row["stagger"]:
        return f"`--stagger {row['stagger']}`"
    return f"measured {row['rounds']} ×" if row["rounds"] else None  # delays of 0 cycles change nothing


def change(row, base, key):
    return f"{row[key] / base[key]:.3f}"


def table(report):
    lines = [
        head("The effect of delays", "Cycles, concurrent DDR transfers and peaks of energy, with and without delays", report), "",
        f"Cycles are those that the emulator counts on {report['tiles']} tiles of {report['machine']}; they do not depend on the host.",
        "",
        "`--stagger N` starts each tile's first read of DDR for a layer N cycles after that of the previous tile. *Measured k ×*:"
        " `--stagger 0`, then k runs of `tilerig run --delays-from` with the statistics of the previous run. Column × is the"
        " ratio of the cycles to those without delays. *DDR* is the largest number of transfers that use DDR in one cycle or"
        " wait for it. *Energy* is the largest energy of a window of 1,000 cycles, and *rise* the largest increase from one"
        " window to the next, both relative to the program without delays. In the first table any number of DDR reads may be"
        " in flight, in the second only a few, which semaphores enforce, as the compiler does by default.", ""]
    for reads, heading in (("any", "Any number of reads in flight"), ("few", "Few reads in flight")):
        lines += [f"## {heading}", "", "| network | delays | number | cycles | × | DDR | energy | rise |", "|---" * 8 + "|"]
        for row in report["rows"]:
            if row["ddr_reads"] != reads or title(row) is None:
                continue
            if row["stagger"] is None:
                base = row
            if "why" in row:
                lines.append(f"| {row['network']} | {title(row)} | | {row['why']} | | | | |")
                continue
            lines.append(f"| {row['network']} | {title(row)} | {row['delays']:,} | {row['cycles']:,} | "
                         f"{change(row, base, 'cycles')} | {row['ddr_transfers']} | {change(row, base, 'energy_pj')} | "
                         f"{change(row, base, 'energy_rise_pj')} |")
        lines.append("")
    return "\n".join(lines)
