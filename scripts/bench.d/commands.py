"""Benchmark of whole commands, from start to end: their time and peak memory, and when the first inference begins."""

import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from common import BIN, PAUSE_S, head, host, run, stop


def once(words):
    """Seconds, peak memory in MB and the standard output of one run of a command."""
    time.sleep(PAUSE_S)
    with tempfile.TemporaryFile("w+") as output:
        begin = time.monotonic()
        process = subprocess.Popen([str(word) for word in words], stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begin
        output.seek(0)
        text = output.read()
    if os.waitstatus_to_exitcode(status) != 0:
        stop(1, f"{' '.join(map(str, words))}: {text.strip()[-300:]}")
    return seconds, usage.ru_maxrss * 1024 / 1e6, text


def measure(title, words, repetitions):
    runs = [once(words) for _ in range(repetitions)]
    row = {"what": title, "seconds": statistics.median(run[0] for run in runs), "megabytes": statistics.median(run[1] for run in runs)}
    if "--json" in words and "run" in words:
        row["start_seconds"] = statistics.median(json.loads(run[2])["start_ms"] for run in runs) / 1e3
    print(f"{title}: {row['seconds']:.2f} s, {row['megabytes']:.0f} MB", flush=True)
    return row


def bench(arguments):
    run("scripts/build", "release", "tilerig", "tilerig-compile", "tilerig-run", "tilerig-check", "tilerig-reference", "tilerig-zoo",
        failure="the build failed")
    report = {"host": host(), "repetitions": arguments.repetitions, "rows": []}

    def add(title, *words):
        report["rows"].append(measure(title, [BIN / "tilerig", *words], arguments.repetitions))

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        os.chdir(folder)
        for network in ("resnet50", "vgg16"):
            run(BIN / "tilerig", "zoo", network, "-o", folder / f"{network}.onnx", failure=f"{network} cannot be made")
        resnet, table_file = "resnet50.onnx", "table.json"
        add("compile ResNet-50 in int8, with calibration", "compile", resnet, "--precision", "int8", "-o", "int8.trb",
            "--calibration-table", table_file)
        add("compile ResNet-50 in int8, calibration given", "compile", resnet, "--precision", "int8", "-o", "int8.trb", "--calibration",
            table_file)
        add("compile ResNet-50 in fp16", "compile", resnet, "--precision", "fp16", "-o", "fp16.trb")
        run(BIN / "tilerig", "compile", folder / "vgg16.onnx", "--precision", "fp32", "-o", folder / "vgg.trb",
            failure="VGG-16 cannot be compiled")
        for title, file in (("ResNet-50 in int8", "int8.trb"), ("ResNet-50 in fp16", "fp16.trb"), ("VGG-16 in fp32", "vgg.trb")):
            add(f"run {title}, a program of {Path(file).stat().st_size / 1e6:.0f} MB", "run", file, "--json")
        add("run --mode timed --no-values, ResNet-50 in int8", "run", "int8.trb", "--mode", "timed", "--no-values")
        add("check ResNet-50 in int8", "check", resnet, "--precision", "int8")
        add("check ResNet-50 in fp16", "check", resnet, "--precision", "fp16")
    return report


def table(report):
    lines = [
        head("Whole commands", "Time from start to end and peak memory of commands of tilerig", report),
        "",
        f"{report['host']}, medians of {report['repetitions']} runs of each command, with its defaults.",
        "",
        "| command | seconds | seconds until its first inference begins | peak memory, MB |",
        "|---|---|---|---|",
    ]
    for row in report["rows"]:
        start = f"{row['start_seconds']:.2f}" if "start_seconds" in row else ""
        lines.append(f"| {row['what']} | {row['seconds']:.2f} | {start} | {row['megabytes']:.0f} |")
    return "\n".join(lines) + "\n"
