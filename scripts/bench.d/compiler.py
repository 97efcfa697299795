"""Benchmark of the compiler: its time and memory, and cycles of its programs on the emulator.

Cycles do not depend on the host and are counted once. Times of the host are medians of interleaved
repetitions.
"""

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy
import onnx.helper
import onnx.numpy_helper
from common import BIN, ROOT, head, host, run
from networks import Networks, answer, rank, tool

MACHINE = "tr64"
# Option that pins weights in the OCMs (on-chip memories) where they fit; without the option they are loaded
# from DDR in each inference.
PINNED = ["--wb-pin-ocm"]
SCALING = [(1, []), (4, []), (16, []), (64, []), (64, PINNED)]
# Cases (network:precision:tiles@machine) on which the error of predicted cycles is measured; the cost model
# was fitted to other networks (scripts/calibrate-cost).
JUDGED = ["resnet50:int8:64@tr64", "mobilenet_v2:int8:64@tr64", "mobilenet_v2:fp16:26@tr64", "inception_v1:int8:64@tr64",
          "bert_tiny:fp16:64@tr64", "lstm_tagger:fp16:64@tr64", "alexnet:int8:64@tr64"]
GEMM = 2048


def measured(words):
    """Wall time and processor time in seconds, and peak memory in bytes, of a command."""
    begin = time.monotonic()
    process = subprocess.Popen([str(w) for w in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"scripts/bench: {words[0]}: {said.decode()}")
    return time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def compile_times(networks, repetitions):
    model = networks.model("resnet50")
    sides = {
        precision: [tool("compile"), model, *networks.precision(model, precision), "--tiles", 64, "--machine", MACHINE,
                    "-o", networks.folder / "timed.trb"]
        for precision in ("int8", "fp32")
    }
    taken = {precision: [] for precision in sides}
    for _ in range(repetitions):
        for precision, words in sides.items():
            taken[precision].append(measured(words))
    weights = sum(numpy.prod(it.dims) * 4 for it in onnx.load(model).graph.initializer)
    return [
        {
            "precision": precision,
            "seconds": statistics.median(it[0] for it in times),
            "processor_seconds": statistics.median(it[1] for it in times),
            "peak_bytes": statistics.median(it[2] for it in times),
            "weights_bytes": int(weights),
        }
        for precision, times in taken.items()
    ]


def bound_of(metadata, bytes_each):
    """Two lower bounds in cycles: multiplications at the peak rate of 64 tiles; loading all weights once."""
    weights = sum(
        int(numpy.prod(it["shape"])) * bytes_each
        for layer in metadata["layers"]
        for it in layer["inputs"]
        if it["role"] == "Weight"
    )
    return metadata["macs"] / (64 * 1024), weights / 102.4


def inference(networks, options):
    """Cycles of ResNet-50 and a lower bound, which ignores the loading of weights if they are pinned."""
    document, _ = networks.compile(networks.model("resnet50"), "int8", 64, MACHINE, *options)
    cycles, why = networks.cycles(networks.model("resnet50"), "int8", 64, MACHINE, *options)
    multiplications, weights = bound_of(document, 1)
    bound = multiplications if options else max(multiplications, weights)
    return {"cycles": cycles, "bound": bound, "of_bound": cycles / bound if cycles else None, "why": why}


def gemm(networks):
    """Cycles of a matrix product with int8 input and output, so that the host converts nothing."""
    file = networks.folder / "gemm.onnx"
    values = numpy.random.default_rng(1).normal(0, 0.02, (GEMM, GEMM)).astype(numpy.float32)
    side = lambda name: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [GEMM, GEMM])  # noqa: E731
    graph = onnx.helper.make_graph([onnx.helper.make_node("MatMul", ["a", "b"], ["c"], "gemm")], "gemm", [side("a")],
                                   [side("c")], [onnx.numpy_helper.from_array(values, "b")])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(file))
    edges = ["--quantised-inputs", "int8", "--quantised-outputs", "int8"]
    cycles, why = networks.cycles(file, "int8", 64, MACHINE, *edges)
    peak = GEMM**3 / (64 * 1024)
    return {"size": GEMM, "cycles": cycles, "peak_cycles": peak, "of_peak": peak / cycles if cycles else None, "why": why}


def scaling(networks, batches):
    rows = []
    for batch in batches:
        model = networks.model("resnet50", batch)
        for tiles, options in SCALING:
            cycles, why = networks.cycles(model, "int8", tiles, MACHINE, *options)
            rows.append({"batch": batch, "tiles": tiles, "pinned": bool(options), "cycles": cycles, "why": why})
            print(rows[-1], flush=True)
    return rows


def predictions(networks):
    rows, errors = [], {"error": [], "estimate": []}
    for case in JUDGED:
        layers, report = networks.layers(case)
        rows.append({"case": case, "layers": len(layers), "predicted": report["prediction_error"],
                     "estimate": report["estimate_error"], "cycles": report["cycles"],
                     "alone_cycles": report["alone_cycles"], "predicted_cycles": report["predicted_cycles"],
                     "bound_cycles": report["bound_cycles"]})
        errors["error"] += [it["error"] for it in layers]
        errors["estimate"] += [it["estimate_cycles"] / it["alone_cycles"] - 1 for it in layers if it["where"] == "accelerator"]
        print(f"{case}: predicted {100 * report['prediction_error']['median']:.1f} % median", flush=True)
    together = {name: {"median": rank(all_of, 0.5), "p95": rank(all_of, 0.95), "layers": len(all_of)}
                for name, all_of in errors.items()}
    return {"networks": rows, "together": together}


def bench(arguments):
    run("scripts/build", "release", "tilerig-compile", "tilerig-run", "tilerig-zoo", "tilerig-reference",
        failure="the build failed")
    report = {"host": host(), "repetitions": arguments.repetitions, "machine": MACHINE}
    with tempfile.TemporaryDirectory() as scratch:
        networks = Networks(arguments.work or Path(scratch))
        report["compile"] = compile_times(networks, arguments.repetitions)
        report["streamed"], report["pinned"] = inference(networks, []), inference(networks, PINNED)
        report["gemm"] = gemm(networks)
        report["scaling"] = scaling(networks, arguments.batches)
        report["predictions"] = predictions(networks)
    return report


def figure(value, form="{:,}", why=""):
    return form.format(value) if value is not None else why or "–"


def scaling_table(rows):
    batches = sorted({row["batch"] for row in rows})
    lines = ["| tiles | " + " | ".join(f"batch {n} | speed-up over 1 tile" for n in batches) + " |",
             "|---" * (1 + 2 * len(batches)) + "|"]
    cycles = {(row["batch"], row["tiles"], row["pinned"]): row for row in rows}
    for tiles, options in SCALING:
        cells = []
        for batch in batches:
            one, these = cycles[batch, 1, False]["cycles"], cycles[batch, tiles, bool(options)]
            cells += [figure(these["cycles"], why=these["why"]),
                      figure(one / these["cycles"] if one and these["cycles"] else None, "{:.1f} ×")]
        lines.append(f"| {tiles}{', weights pinned' if options else ''} | " + " | ".join(cells) + " |")
    return lines


def table(report):
    gemm = report["gemm"]
    percent = lambda share: f"{100 * share:.1f} %"  # noqa: E731
    lines = [
        head("The compiler", "Time and memory of compiling, and cycles of the programs", report), "",
        f"Host: {report['host']}. Times are medians of"
        f" {report['repetitions']} interleaved repetitions. Cycles are those that the emulator counts on {MACHINE}; they"
        " do not depend on the host.", "",
        "## Time and memory of compiling", "",
        "ResNet-50 for 64 tiles, with a given calibration table. Weights are those of the fp32 model; the ratio is peak memory /"
        " weights.", "",
        "| precision | seconds | processor seconds | peak memory, MB | weights, MB | ratio |", "|---|---|---|---|---|---|"]
    for row in report["compile"]:
        lines.append(f"| {row['precision']} | {row['seconds']:.2f} | {row['processor_seconds']:.2f}"
                     f" | {row['peak_bytes'] / 1e6:.0f} | {row['weights_bytes'] / 1e6:.0f}"
                     f" | {row['peak_bytes'] / row['weights_bytes']:.2f} |")
    lines += [
        "", "## Cycles of programs", "",
        "| program | cycles | lower bound | ratio |", "|---|---|---|---|",
        *(f"| ResNet-50, int8, batch 1, 64 tiles, weights {how}; bound by {whose}"
          f" | {figure(report[how]['cycles'], why=report[how]['why'])} | {report[how]['bound']:,.0f}"
          f" | {figure(report[how]['of_bound'], '{:.2f} ×')} |"
          for how, whose in (("streamed", "loading the weights"), ("pinned", "the multipliers"))),
        f"| GEMM {gemm['size']}³, int8, 64 tiles; bound by the multipliers, ratio as a share of their peak | {figure(gemm['cycles'], why=gemm['why'])}"
        f" | {gemm['peak_cycles']:,.0f} | {figure(gemm['of_peak'] and 100 * gemm['of_peak'], '{:.1f} %')} |",
        "", "ResNet-50, int8, cycles by number of tiles:", "", *scaling_table(report["scaling"]),
        "", "## Expected cycles", "",
        "Absolute error of the expected cycles of layers that run alone. *Predicted* uses the clock that compiler and emulator"
        " share; *estimate* uses the layer's primitives and their factors ([how](../../compiler/Planning/Cost/README.md)), which were"
        " fitted to other networks.", "",
        "| network:precision:tiles | layers | predicted, median | p95 | estimate, median | p95 | cycles | layers alone,"
        " sum | lower bound |", "|---" * 9 + "|"]
    for row in report["predictions"]["networks"]:
        lines.append(f"| {row['case']} | {row['layers']} | {percent(row['predicted']['median'])}"
                     f" | {percent(row['predicted']['p95'])} | {percent(row['estimate']['median'])}"
                     f" | {percent(row['estimate']['p95'])} | {row['cycles']:,} | {row['alone_cycles']:,}"
                     f" | {row['bound_cycles']:,} |")
    predicted, estimate = (report["predictions"]["together"][name] for name in ("error", "estimate"))
    lines += [
        f"| all layers | {predicted['layers']} | {percent(predicted['median'])} | {percent(predicted['p95'])}"
        f" | {percent(estimate['median'])} | {percent(estimate['p95'])} | | | |"]
    return "\n".join(lines) + "\n"
