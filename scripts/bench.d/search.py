"""Benchmark of `tilerig compile --search`: emulated cycles before and after the search."""

import tempfile
import time
from pathlib import Path

from common import head, host, run
from networks import Networks

MACHINE, TILES, SEED = "tr64", 64, 1
NETWORKS = ["bert_tiny:fp16", "squeezenet:fp16", "mobilenet_v2:fp16"]


def bench(arguments):
    run("scripts/build", "release", "tilerig-compile", "tilerig-run", "tilerig-zoo", "tilerig-reference",
        failure="the build failed")
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        networks = Networks(arguments.work or Path(scratch), limit_s=3600)
        for case in arguments.networks or NETWORKS:
            name, precision = case.split(":")
            begin = time.monotonic()
            document, why = networks.compile(networks.model(name), precision, TILES, MACHINE, "--search",
                                             arguments.budget, "--search-seed", SEED)
            if why:
                raise SystemExit(f"scripts/bench: {case}: {why}")
            rows.append({"network": case, **document["search"], "seconds": time.monotonic() - begin})
            print(rows[-1], flush=True)
    return {"host": host(), "machine": MACHINE, "tiles": TILES, "budget": arguments.budget, "seed": SEED, "rows": rows}


def table(report):
    lines = [
        head("Results of searches", "Cycles of programs before and after a search", report), "",
        f"`tilerig compile --search {report['budget']} --search-seed {report['seed']}` on {report['tiles']} tiles of {report['machine']}: cycles"
        " that the emulator counts, which do not depend on the host; the seconds do. Of the choices that were tried, some were"
        " refused by the compiler, some were skipped because they were expected to be slower, and the others were run.", "",
        "| network | cycles before | cycles after | reduction | refused | skipped | run | seconds |", "|---" * 8 + "|"]
    for row in report["rows"]:
        gain = 1 - row["cycles"] / row["cycles_before"]
        lines.append(f"| {row['network']} | {row['cycles_before']:,} | {row['cycles']:,} | {100 * gain:.1f} %"
                     f" | {row['refused']} | {row['dropped']} | {row['measured']} | {row['seconds']:.0f} |")
    return "\n".join(lines) + "\n"
