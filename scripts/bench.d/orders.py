"""Benchmark of orders of instructions: cycles of programs for each value of --order, and the cycles that the compiler
expects compared with those that the emulator counts.

The emulator counts the cycles, so that they do not depend on the host.
"""

import tempfile
from pathlib import Path

from common import head, host, run
from networks import TorchvisionNetworks, rank

MACHINE, TILES = "tr64", 64
ORDERS = ["fastest", "listed", "interleaved", "reordered"]
NETWORKS = ["squeezenet:int8", "squeezenet:fp16", "mobilenet_v2:int8", "mobilenet_v2:fp16", "resnet18:fp16",
            "resnet50:int8", "inception_v1:int8", "vit_tiny:int8", "bert_tiny:fp16", "lstm_tagger:fp16"]
# Networks of the zoo, and of torchvision, on which the compiler's expected cycles are compared with emulated
# ones.
EXPECTED = ["alexnet:int8", "squeezenet:int8", "inception_v1:fp16", "resnet18:int8", "resnet50:int8", "mobilenet_v1:fp16",
            "mobilenet_v2:int8", "vit_tiny:fp16", "bert_tiny:int8", "lstm_tagger:fp16"]
EXPECTED_TORCHVISION = ["efficientnet_b0:int8", "efficientnet_b0:fp16", "shufflenet_v2_x1_0:int8",
                        "shufflenet_v2_x1_0:fp16", "mobilenet_v3_small:fp16", "mobilenet_v3_large:int8", "mnasnet1_0:fp16",
                        "regnet_y_400mf:int8", "squeezenet1_0:int8", "densenet121:fp16", "inception_v3:int8",
                        "resnext50_32x4d:int8"]


def ordered(networks, case):
    name, precision = case.split(":")
    row = {"network": case, "cycles": {}, "why": {}}
    for order in ORDERS:
        # Only --order varies; all other options of `tilerig compile` keep their defaults. Without --ddr-reads, the
        # limits of DDR reads depend on the order (compiler/Tile/Emit/PlayPlan.cpp).
        cycles, why = networks.cycles(networks.model(name), precision, TILES, MACHINE, "--order", order)
        row["cycles"][order], row["why"][order] = cycles, why
    print(row, flush=True)
    return row


def expected(networks, case):
    layers, report = networks.layers(f"{case}:{TILES}@{MACHINE}")
    alone = [it["predicted_cycles"] / it["alone_cycles"] - 1 for it in layers]
    row = {"network": case, "expected_cycles": report["expected_cycles"], "cycles": report["cycles"],
           "error": report["expected_cycles"] / report["cycles"] - 1, "layers": len(layers),
           "layer_error": {"median": rank(alone, 0.5), "worst": rank(alone, 1)}}
    print(row, flush=True)
    return row


def bench(arguments):
    run("scripts/build", "release", "tilerig-compile", "tilerig-run", "tilerig-zoo", "tilerig-reference",
        failure="the build failed")
    torchvision = {it.split(":")[0] for it in EXPECTED_TORCHVISION}
    with tempfile.TemporaryDirectory() as scratch:
        networks = TorchvisionNetworks(arguments.work or Path(scratch), torchvision)
        orders = [ordered(networks, case) for case in arguments.networks or NETWORKS]
        cases = arguments.networks or [*EXPECTED, *EXPECTED_TORCHVISION]
        return {"host": host(), "machine": MACHINE, "tiles": TILES, "orders": orders,
                "expected": [expected(networks, case) for case in cases]}


def cell(row, order):
    cycles, fastest = row["cycles"][order], row["cycles"]["fastest"]
    if cycles is None or fastest is None:
        return row["why"][order]
    return f"{cycles:,}" if order == "fastest" else f"{cycles:,} ({cycles / fastest:.3f} ×)"


def percent(error):
    return f"{100 * error:.2f} %"


def table(report):
    errors = [row["error"] for row in report["expected"]]
    lines = [
        head("Orders of instructions",
             f"Cycles by `--order` on {len(report['orders'])} networks, and expected against emulated cycles on"
             f" {len(report['expected'])}", report), "",
        f"Cycles are those that the emulator counts on {report['tiles']} tiles of {report['machine']}; they do not depend on the host."
        " In parentheses: cycles / cycles of the default order (`fastest`).", "",
        "| network | " + " | ".join(ORDERS) + " |", "|---" * (len(ORDERS) + 1) + "|",
        *(f"| {row['network']} | " + " | ".join(cell(row, order) for order in ORDERS) + " |" for row in report["orders"]),
        "", "Cycles that the compiler expects of whole programs, and of their layers alone (`tilerig compile --report`). Compiler"
        " and emulator share one clock. Errors are absolute.", "",
        "| network | expected cycles | emulated | error | layers | error of layers alone, median | worst |",
        "|---" * 7 + "|"]
    for row in report["expected"]:
        lines.append(f"| {row['network']} | {row['expected_cycles']:,} | {row['cycles']:,} | {percent(abs(row['error']))}"
                     f" | {row['layers']} | {percent(row['layer_error']['median'])} | {percent(row['layer_error']['worst'])} |")
    lines.append(f"| all: median, worst | | | {percent(rank(errors, 0.5))}, {percent(rank(errors, 1))} | | | |")
    return "\n".join(lines) + "\n"
