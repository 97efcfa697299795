"""Benchmarks of verification: comparing tensors (relative to memcpy), and capturing tensors during a run (relative to
a run without captures)."""

import json
import re
import statistics

from common import BIN, head, host, run

CAPTURE = re.compile(r"(\S+) +(\S+) +run +([\d.]+) ms, with capture +([\d.]+) ms: ([\d.]+)")


def pairs(repetitions):
    printed = run(BIN / "tilerig-verify-benchmark", repetitions, failure="tilerig-verify-benchmark failed")
    for line in printed.splitlines():
        row = json.loads(line)
        row["gigabytes_per_second"] = {
            side: row["bytes"] / statistics.median(row[f"{side}_ms"]) * 1e-6 for side in ("compare", "memcpy")
        }
        row["compare_to_memcpy"] = statistics.median(
            copied / compared for compared, copied in zip(row["compare_ms"], row["memcpy_ms"])
        )
        yield row


def captures(threads, repetitions):
    printed = run(BIN / "tilerig-capture-benchmark", threads, repetitions, failure="tilerig-capture-benchmark failed")
    for precision, order, plain, captured, ratio in CAPTURE.findall(printed):
        yield {
            "precision": precision,
            "order": order,
            "run_ms": float(plain),
            "capture_ms": float(captured),
            "ratio": float(ratio),
        }


def table(report):
    lines = [
        head("Speed of comparing and capturing", "Time of comparisons of tensors and of runs that capture tensors", report),
        "",
        f"{report['host']}, medians of {report['repetitions']}"
        " interleaved repetitions.",
        "",
        "Comparison of pairs of fp32 tensors (64 MiB each) with all metrics and the picture, in one thread, by processor time:",
        "",
        "| pair | comparison, GB/s of input | memcpy, GB/s | comparison / memcpy |",
        "|---|---|---|---|",
    ]
    for row in report["pairs"]:
        speed = row["gigabytes_per_second"]
        lines.append(
            f"| {row['pair']} | {speed['compare']:.2f} | {speed['memcpy']:.2f} | {row['compare_to_memcpy']:.2f} |"
        )
    lines += [
        "",
        f"ResNet-50 on 64 tiles, every tensor captured, {report['threads']} threads:",
        "",
        "| precision | order of axes | run, ms | with capture, ms | ratio |",
        "|---|---|---|---|---|",
    ]
    for row in report["captures"]:
        lines.append(
            f"| {row['precision']} | {row['order']} | {row['run_ms']:.1f} | {row['capture_ms']:.1f} | {row['ratio']:.2f} |"
        )
    return "\n".join(lines) + "\n"


def bench(arguments):
    targets = ["tilerig-verify-benchmark", "tilerig-capture-benchmark"]
    run("scripts/build", "release", *targets, failure="the build failed")
    return {
        "host": host(),
        "threads": arguments.threads,
        "repetitions": arguments.repetitions,
        "pairs": list(pairs(arguments.repetitions)),
        "captures": list(captures(arguments.threads, arguments.repetitions)),
    }
