"""Helpers of the benchmarks: runs programs alternately, measures their times, and describes the host."""

import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BIN = ROOT / "build" / "bin"
# Pause between two programs: idle worker threads spin for a while before they sleep and would slow the next
# program.
PAUSE_S = 0.2


def stop(code, message):
    print(f"scripts/bench: {message}", file=sys.stderr)
    sys.exit(code)


def run(*words, failure):
    """Runs a command and returns its standard output; if it fails, prints `failure` and exits."""
    try:
        done = subprocess.run([str(w) for w in words], cwd=ROOT, capture_output=True, text=True)
    except OSError as error:
        stop(3, f"{failure}: {error}")
    if done.returncode:
        stop(3, f"{failure}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def runtime_folder():
    """The folder where scripts/oracle keeps ONNX Runtime; installs it if it is missing."""
    return run("scripts/oracle", "--prepare", failure="ONNX Runtime is not available").strip()


class Side:
    """A program under comparison: runs the model once per line on its standard input and prints the times."""

    def __init__(self, name, command):
        self.name = name
        self.process = subprocess.Popen(
            [str(w) for w in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        if self.process.stdout.readline().strip() != "ready":
            stop(1, f"{name} did not start: {' '.join(map(str, command))}")

    def measure(self):
        self.process.stdin.write("run\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            stop(1, f"{self.name} ended during the measurement")
        return [float(word) for word in line.split()]

    def close(self):
        """Ends the program and returns the number that it prints last (its peak memory), or None."""
        self.process.stdin.close()
        last = self.process.stdout.read().strip()
        self.process.wait()
        return int(last) if last else None


def take_turns(sides, repetitions):
    """Wall and processor times of every program, by name; in each repetition every program runs once."""
    wall, processor_time = ({side.name: [] for side in sides} for _ in range(2))
    for _ in range(repetitions):
        for side in sides:
            time.sleep(PAUSE_S)
            taken = side.measure()
            wall[side.name].append(taken[0])
            processor_time[side.name].append(taken[1])
    return wall, processor_time


def head(title, subject, report):
    """The title of a page and its first line: what was measured, by which command, and when. scripts/check-results requires it."""
    return f"# {title}\n\n> {subject}, measured by `{report['command']}` on {report['date']}."


def ratio(times, a, b):
    """The median over repetitions of the time of `a` divided by that of `b`."""
    return statistics.median(x / y for x, y in zip(times[a], times[b]))


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor()


def host():
    return f"{processor()}, {os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f} at the beginning"
