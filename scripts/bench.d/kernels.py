"""Benchmark of the emulator's kernels, on programs that are split over tiles by hand: their time compared with ONNX Runtime's, and how
it scales with threads and tiles."""

import statistics
import tempfile
from pathlib import Path

from common import BIN, ROOT, Side, head, host, ratio, run, runtime_folder, take_turns

RUNS = [(kind, mode) for kind in ("i8", "fp16") for mode in ("fast", "timed")]
TILES = [1, 4, 16, 64]


def emulator(program, mode, threads):
    return Side(f"{program} {mode} {threads}", [BIN / "tilerig-emulator-benchmark", program, mode, threads])


def beside_onnxruntime(arguments, runtime, folder):
    model, inputs = folder / "resnet50.onnx", folder / "inputs.npz"
    run(BIN / "tilerig-zoo", "resnet50", "-o", model, failure="ResNet-50 cannot be made")
    run(BIN / "tilerig-reference-benchmark", model, "--write-inputs", inputs, failure="the inputs of ResNet-50 cannot be made")
    worker = ROOT / "tests" / "benchmarks" / "onnxruntime.mjs"
    runtime_side = Side("onnxruntime", ["node", worker, runtime, model, inputs, arguments.threads])
    ours = {(kind, mode): emulator(f"resnet50-{kind}", mode, arguments.threads) for kind, mode in RUNS}
    wall, _ = take_turns([*ours.values(), runtime_side], arguments.repetitions)
    runtime_side.close()
    rows = []
    for (kind, mode), side in ours.items():
        rows.append(
            {
                "type": kind,
                "mode": mode,
                "median_ms": statistics.median(wall[side.name]),
                "to_onnxruntime": ratio(wall, side.name, "onnxruntime"),
                "to_fast": ratio(wall, side.name, ours[kind, "fast"].name),
                "peak_mib": side.close(),
            }
        )
    return rows, statistics.median(wall["onnxruntime"])


def scaling(arguments):
    sides = {(tiles, threads): emulator(f"resnet50-i8-{tiles}", "fast", threads) for tiles in TILES for threads in (1, 2)}
    wall, _ = take_turns(sides.values(), arguments.repetitions)
    for side in sides.values():
        side.close()
    return [
        {"tiles": tiles, "threads": threads, "median_ms": statistics.median(wall[side.name])}
        for (tiles, threads), side in sides.items()
    ]


def bench(arguments):
    targets = ["tilerig-emulator-benchmark", "tilerig-reference-benchmark", "tilerig-zoo"]
    run("scripts/build", "release", *targets, failure="the build failed")
    report = {"host": host(), "threads": arguments.threads, "repetitions": arguments.repetitions}
    with tempfile.TemporaryDirectory() as scratch:
        report["runs"], report["onnxruntime_ms"] = beside_onnxruntime(arguments, runtime_folder(), Path(scratch))
    report["scaling"] = scaling(arguments)
    for row in report["runs"]:
        print(f"{row['type']} {row['mode']}: time / ONNX Runtime {row['to_onnxruntime']:.2f}, peak memory {row['peak_mib']} MiB")
    return report


def table(report):
    lines = [
        head("Kernels of the emulator", "Time and memory of ResNet-50, split over tiles by hand, on the emulator, and on ONNX Runtime", report),
        "",
        f"{report['host']}, {report['threads']} threads each,"
        f" medians of {report['repetitions']} interleaved repetitions, batch 1. The programs are made by"
        " SplitNetwork.h: every layer of ResNet-50 on 64 tiles. ONNX Runtime runs the fp32 model in"
        f" {report['onnxruntime_ms']:.1f} ms.",
        "",
        "| type | mode | ms | ms / ONNX Runtime | ms / fast mode | peak memory, MiB |",
        "|---|---|---|---|---|---|",
    ]
    for row in report["runs"]:
        lines.append(
            f"| {row['type']} | {row['mode']} | {row['median_ms']:.1f} | {row['to_onnxruntime']:.2f}"
            f" | {row['to_fast']:.2f} | {row['peak_mib']} |"
        )
    threads = sorted({row["threads"] for row in report["scaling"]})
    lines += [
        "",
        "int8, fast mode, milliseconds by number of tiles of the program and number of threads of the host:",
        "",
        "| tiles | " + " | ".join(f"{n} threads" if n > 1 else "1 thread" for n in threads) + " |",
        "|---" * (len(threads) + 1) + "|",
    ]
    for tiles in sorted({row["tiles"] for row in report["scaling"]}):
        times = [
            next(r["median_ms"] for r in report["scaling"] if (r["tiles"], r["threads"]) == (tiles, n)) for n in threads
        ]
        lines.append(f"| {tiles} | " + " | ".join(f"{time:.1f}" for time in times) + " |")
    return "\n".join(lines) + "\n"
