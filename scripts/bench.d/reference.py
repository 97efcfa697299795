"""Benchmark of the reference, with fast and with machine arithmetic, compared with ONNX Runtime."""

import statistics
import tempfile
from pathlib import Path

from common import BIN, ROOT, Side, head, host, ratio, run, runtime_folder, take_turns

ZOO = {"ResNet-50": "resnet50", "VGG-16": "vgg16", "MobileNetV2": "mobilenet_v2"}
TORCHVISION = {"ViT-B/16": "vit_b_16"}
SIDES = ["fast", "machine", "onnxruntime"]


def default_models(folder):
    for title, name in ZOO.items():
        file = folder / f"{name}.onnx"
        run(BIN / "tilerig-zoo", name, "-o", file, failure=f"{name} cannot be made")
        yield title, file
    for title, name in TORCHVISION.items():
        file = folder / f"{name}.onnx"
        run("models/export_torchvision.py", name, "-o", file, failure=f"{name} cannot be exported")
        yield title, file


def measure(title, model, inputs, arguments, runtime):
    benchmark = BIN / "tilerig-reference-benchmark"
    sides = [Side(a, [benchmark, model, inputs, arguments.threads, a]) for a in ("fast", "machine")]
    worker = ROOT / "tests" / "benchmarks" / "onnxruntime.mjs"
    sides.append(Side("onnxruntime", ["node", worker, runtime, model, inputs, arguments.threads]))
    wall, processor = take_turns(sides, arguments.repetitions)
    for side in sides:
        side.close()
    return {
        "model": title,
        "wall_ms": wall,
        "processor_ms": processor,
        "median_ms": {name: statistics.median(times) for name, times in wall.items()},
        "fast_to_onnxruntime": ratio(wall, "fast", "onnxruntime"),
        "fast_to_onnxruntime_processor": ratio(processor, "fast", "onnxruntime"),
        "machine_to_fast": ratio(wall, "machine", "fast"),
    }


def table(report):
    host, rows = report["host"], report["models"]
    lines = [
        head("The reference compared with ONNX Runtime", "Time of inferences on the reference and on ONNX Runtime", report),
        "",
        f"{host}, {report['threads']} threads each,"
        f" medians of {report['repetitions']} interleaved repetitions, batch 1, fp32.",
        "",
        "| model | fast, ms | machine, ms | ONNX Runtime, ms | fast / ONNX Runtime | the same in processor time | machine / fast |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        figures = [f"{row['median_ms'][side]:.1f}" for side in SIDES]
        ratios = ["fast_to_onnxruntime", "fast_to_onnxruntime_processor", "machine_to_fast"]
        figures += [f"{row[ratio]:.2f}" for ratio in ratios]
        lines.append(f"| {row['model']} | " + " | ".join(figures) + " |")
    return "\n".join(lines) + "\n"


def bench(arguments):
    run("scripts/build", "release", "tilerig-reference-benchmark", "tilerig-zoo", failure="the build failed")
    runtime = runtime_folder()
    report = {"host": host(), "threads": arguments.threads, "repetitions": arguments.repetitions, "models": []}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        given = [model.split("=", 1) for model in arguments.model]
        for title, model in given or default_models(folder):
            inputs = folder / "inputs.npz"
            run(BIN / "tilerig-reference-benchmark", model, "--write-inputs", inputs, failure=model)
            row = measure(title, model, inputs, arguments, runtime)
            report["models"].append(row)
            print(
                f"{title}: fast / ONNX Runtime {row['fast_to_onnxruntime']:.2f}, machine / fast {row['machine_to_fast']:.2f}",
                flush=True,
            )
    return report
