"""Benchmark of cycles compared with bounds: programs of whole networks in int8 and fp16, what holds them up, and
which layers lose most.

The emulator counts the cycles, so that they do not depend on the host. bound_cycles: emulator/README.md.
"""

import statistics
import tempfile
from pathlib import Path

from common import head, host, run
from networks import TorchvisionNetworks, rank

MACHINE, TILES, PRECISIONS = "tr64", 64, ("int8", "fp16")
ZOO = ["unet", "r3d_mini", "vit_tiny", "bert_tiny", "translator", "decoder_tiny", "lstm_tagger", "gru_speech", "mobilenet_v1",
       "ssd_resnet50"]
TORCHVISION = ["resnet18", "resnet50", "resnext50_32x4d", "wide_resnet50_2", "densenet121", "googlenet", "inception_v3",
               "squeezenet1_1", "mobilenet_v2", "mobilenet_v3_small", "mobilenet_v3_large", "mnasnet1_0", "shufflenet_v2_x1_0",
               "efficientnet_b0", "efficientnet_v2_s", "regnet_x_400mf", "regnet_y_400mf", "convnext_tiny", "swin_t", "alexnet",
               "lraspp_mobilenet_v3_large", "deeplabv3_mobilenet_v3_large", "r3d_18", "s3d"]
# Goals for cycles / bound.
MEDIAN, WORST = 1.5, 3.0


def shares(parts, whole):
    """The largest three of the named parts, as {name: share of the whole}."""
    largest = sorted(parts.items(), key=lambda it: -it[1])[:3]
    return {name: cycles / whole for name, cycles in largest if cycles}


def measured(networks, name, precision):
    document, why = networks.compile(networks.model(name), precision, TILES, MACHINE, "--report")
    row = {"network": name, "from": networks.source(name), "precision": precision}
    if why:
        return {**row, "refused": why}
    report = document["report"]
    waits = {}
    for layer in report["layers"]:
        for cause, cycles in (layer["critical_cycles_by"] or {}).items():
            waits[cause] = waits.get(cause, 0) + cycles
    losers = sorted(report["layers"], key=lambda it: -(it["lost_cycles"] or 0))[:3]
    return {**row, "cycles": report["cycles"], "bound_cycles": report["bound_cycles"],
            "ratio": report["cycles"] / report["bound_cycles"], "utilisation": report["utilisation"],
            "critical": shares(waits, report["cycles"]),
            "losers": {it["name"]: it["lost_cycles"] / report["cycles"] for it in losers if it["lost_cycles"]}}


def bench(arguments):
    run("scripts/build", "release", "tilerig-compile", "tilerig-zoo", failure="the build failed")
    cases = [case.split(":") for case in arguments.networks] if arguments.networks else \
        [(name, precision) for name in [*ZOO, *TORCHVISION] for precision in PRECISIONS]
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        networks = TorchvisionNetworks(arguments.work or Path(scratch), TORCHVISION, limit_s=1200)
        for name, precision in cases:
            rows.append(measured(networks, name, precision))
            print(rows[-1], flush=True)
    return {"host": host(), "machine": MACHINE, "tiles": TILES, "networks": rows}


def percentages(parts):
    return ", ".join(f"{name} {100 * share:.0f} %" for name, share in parts.items())


def summary(rows):
    if not rows:
        return "none was compiled"
    ratios = [row["ratio"] for row in rows]
    return f"median {statistics.median(ratios):.2f}, 90 % at most {rank(ratios, 0.9):.2f}, worst {max(ratios):.2f}"


def table(report):
    rows = [row for row in report["networks"] if "ratio" in row]
    refused = [row for row in report["networks"] if "refused" in row]
    lines = [
        head("Cycles and bounds", f"Cycles of whole networks, compiled with defaults, compared with their bounds: {len(rows)} programs",
             report), "",
        f"Cycles are those that the emulator counts on {report['tiles']} tiles of {report['machine']}, of `tilerig compile --report`;"
        " they do not depend on the host. Bound: all multiplications at the peak of all tiles, or all bytes of DDR at its full"
        " bandwidth, whichever takes longer. *Critical path*: what it spends most cycles on. *Lost most*: the layers that spend"
        " most cycles on it beyond their own bounds, and these cycles as a part of the program's.", "",
        f"All {len(rows)} programs: {summary(rows)} (goals: median {MEDIAN}, worst {WORST})."]
    for name in ("zoo", "torchvision"):
        own = [row for row in rows if row["from"] == name]
        if own:
            lines.append(f"{len(own)} of {'`tilerig zoo`' if name == 'zoo' else name}: {summary(own)}.")
    lines += ["", "| network | from | precision | cycles | bound | cycles / bound | critical path | lost most |", "|---" * 8 + "|"]
    for row in sorted(rows, key=lambda it: -it["ratio"]):
        lines.append(f"| {row['network']} | {row['from']} | {row['precision']} | {row['cycles']:,} | {row['bound_cycles']:,} |"
                     f" {row['ratio']:.2f} | {percentages(row['critical'])} | {percentages(row['losers'])} |")
    for row in refused:
        lines.append(f"| {row['network']} | {row['from']} | {row['precision']} | {row['refused']} | | | | |")
    return "\n".join(lines) + "\n"
