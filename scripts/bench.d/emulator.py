"""Benchmark of compiled programs: their time on the emulator compared with ONNX Runtime's, and how it grows with the work."""

import statistics
import tempfile
from pathlib import Path

from common import BIN, ROOT, Side, head, host, ratio, run, runtime_folder, take_turns

NETWORKS = {"ResNet-50": "resnet50", "MobileNetV2": "mobilenet_v2", "U-Net": "unet", "ViT (tiny)": "vit_tiny", "BERT (tiny)": "bert_tiny",
            "decoder step": "decoder_tiny"}
PRECISIONS = ["int8", "fp16", "fp32"]
# Numbers of tiles, batch sizes and sizes of the image with which ResNet-50 in int8 is measured, one changed at a time.
TILES, BATCHES, IMAGES = [1, 4, 16, 64], [1, 4, 16, 64], [112, 224, 448]


def compiled(model, folder, name, *options):
    program = folder / f"{name}.trb"
    run(BIN / "tilerig", "compile", model, "-o", program, *options, failure=f"{name} cannot be compiled")
    return program


def emulator(name, program, mode, threads, inputs=None):
    return Side(name, [BIN / "tilerig-emulator-benchmark", program, mode, threads, *([inputs] if inputs else [])])


def measure(title, network, arguments, runtime, folder):
    """One network in all precisions, beside ONNX Runtime in fp32, with one thread and with several."""
    model, inputs = folder / f"{network}.onnx", folder / f"{network}.npz"
    run(BIN / "tilerig", "zoo", network, "-o", model, failure=f"{network} cannot be made")
    run(BIN / "tilerig", "reference", model, "--seed", "1", "--save-inputs", inputs, failure=f"no inputs for {network}")
    worker = ROOT / "tests" / "benchmarks" / "onnxruntime.mjs"
    programs = {p: compiled(model, folder, f"{network}-{p}", "--precision", p) for p in PRECISIONS}
    rows = []
    for threads in sorted({1, arguments.threads}):
        sides = {}
        for precision, program in programs.items():
            for mode in ("fast", "timed"):
                sides[precision, mode] = emulator(f"{precision} {mode}", program, mode, threads, inputs)
        theirs = Side("onnxruntime", ["node", worker, runtime, model, inputs, threads])
        wall, _ = take_turns([*sides.values(), theirs], arguments.repetitions)
        theirs.close()
        for (precision, mode), side in sides.items():
            rows.append({"network": title, "precision": precision, "mode": mode, "threads": threads,
                         "median_ms": statistics.median(wall[side.name]),
                         "onnxruntime_ms": statistics.median(wall["onnxruntime"]),
                         "to_onnxruntime": ratio(wall, side.name, "onnxruntime"),
                         "to_fast": ratio(wall, side.name, f"{precision} fast"), "peak_mib": side.close()})
    for path in [model, *programs.values()]:
        path.unlink()
    return rows


def growth(arguments, folder):
    """ResNet-50 in int8, of other sizes."""
    model = folder / "resnet50.onnx"
    run(BIN / "tilerig", "zoo", "resnet50", "-o", model, failure="ResNet-50 cannot be made")
    rows = []
    for what, values, option in (("tiles", TILES, "--tiles {}"), ("batch", BATCHES, "--batch {}"),
                                 ("image", IMAGES, "--input-shape image=1x3x{}x{}")):
        programs = {value: compiled(model, folder, f"{what}-{value}", "--precision", "int8", *option.format(value, value).split())
                    for value in values}
        sides = {(value, threads): emulator(f"{value} {threads}", programs[value], "fast", threads)
                 for value in values for threads in sorted({1, arguments.threads})}
        wall, _ = take_turns(list(sides.values()), arguments.repetitions)
        for (value, threads), side in sides.items():
            side.close()
            rows.append({"what": what, "value": value, "threads": threads, "median_ms": statistics.median(wall[side.name])})
        for program in programs.values():
            program.unlink()
    return rows


def bench(arguments):
    targets = ["tilerig-emulator-benchmark", "tilerig-reference", "tilerig-zoo", "tilerig-compile", "tilerig"]
    run("scripts/build", "release", *targets, failure="the build failed")
    report = {"host": host(), "threads": arguments.threads, "repetitions": arguments.repetitions, "runs": []}
    runtime = runtime_folder()
    with tempfile.TemporaryDirectory() as scratch:
        for title, network in NETWORKS.items():
            report["runs"] += measure(title, network, arguments, runtime, Path(scratch))
            for row in report["runs"][-len(PRECISIONS) * 2:]:
                print(f"{title}, {row['precision']}, {row['mode']}: {row['median_ms']:.1f} ms, {row['to_onnxruntime']:.2f} of ONNX Runtime",
                      flush=True)
        report["growth"] = growth(arguments, Path(scratch))
    return report


def growth_table(report):
    threads = sorted({row["threads"] for row in report["growth"]})
    titles = {"tiles": "tiles of the program", "batch": "images in a batch", "image": "rows and columns of the image"}
    lines = []
    for what, title in titles.items():
        rows = [row for row in report["growth"] if row["what"] == what]
        lines += ["", f"| {title} | " + " | ".join(f"{n} threads, ms" if n > 1 else "1 thread, ms" for n in threads) + " |",
                  "|---" * (len(threads) + 1) + "|"]
        for value in sorted({row["value"] for row in rows}):
            times = [next(r["median_ms"] for r in rows if (r["value"], r["threads"]) == (value, n)) for n in threads]
            lines.append(f"| {value} | " + " | ".join(f"{time:.1f}" for time in times) + " |")
    return lines


def table(report):
    lines = [
        head("Compiled programs on the emulator",
             "Time of inferences of programs of `tilerig compile` (64 tiles) on the emulator, and of the fp32 models on ONNX Runtime", report),
        "",
        f"{report['host']}, medians of {report['repetitions']} interleaved repetitions, batch 1. `timed`: the clock of a program is"
        " simulated in its first inference, which is not measured.",
        "",
        "| network | precision | threads | fast, ms | ONNX Runtime, ms | fast / ONNX Runtime | timed / fast | peak memory, MiB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    rows = {(row["network"], row["precision"], row["threads"], row["mode"]): row for row in report["runs"]}
    for (network, precision, threads, mode), row in rows.items():
        if mode != "fast":
            continue
        timed = rows[network, precision, threads, "timed"]
        lines.append(f"| {network} | {precision} | {threads} | {row['median_ms']:.1f} | {row['onnxruntime_ms']:.1f} |"
                     f" {row['to_onnxruntime']:.2f} | {timed['to_fast']:.2f} | {row['peak_mib']} |")
    lines += ["", "ResNet-50 in int8, fast mode, as the work grows:", *growth_table(report)]
    return "\n".join(lines) + "\n"
