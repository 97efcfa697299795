"""Makes, compiles and runs networks of the zoo for benchmarks; returns cycles and reports of layers."""

import json
import subprocess

from common import BIN, run, stop


LIMIT_S = 300


def answer(*words, limit_s=LIMIT_S):
    """Runs a command: (JSON document, ""), or (None, reason) if it refuses the input or takes too long."""
    try:
        done = subprocess.run([str(w) for w in (*words, "--json")], capture_output=True, text=True, timeout=limit_s)
    except subprocess.TimeoutExpired:
        return None, f"took longer than {limit_s} s"
    if done.returncode not in (0, 3):
        stop(1, f"{' '.join(map(str, words))}: {done.stdout or done.stderr}")
    document = json.loads(done.stdout)
    return (None, document["error"]["what"]) if "error" in document else (document, "")


def tool(name):
    return BIN / f"tilerig-{name}"


class Networks:
    """A folder of models and their calibration tables, which are made on first use."""

    def __init__(self, folder, limit_s=LIMIT_S):
        self.folder, self.limit_s = folder, limit_s
        folder.mkdir(parents=True, exist_ok=True)

    def model(self, name, batch=1, image=0):
        file = self.folder / f"{name}-{batch}-{image}.onnx"
        if not file.exists():
            size = ["--image-size", image] if image else []
            answer(tool("zoo"), name, "-o", file, "--fold-batch-norm", "--batch", batch, *size)
        return file

    def precision(self, model, precision):
        """The options of `tilerig compile` for a precision; 8-bit calibration runs once and is kept."""
        if "int8" not in precision:
            return ["--precision", precision]
        table = model.with_suffix(".json")
        if not table.exists():
            _, why = answer(tool("compile"), model, "--precision", precision, "--calibration-table", table, limit_s=self.limit_s)
            if why:
                stop(1, f"{model}: calibration: {why}")
        return ["--precision", precision, "--calibration", table]

    def compile(self, model, precision, tiles, machine, *options):
        """Compiles to program.trb and returns (document of `tilerig compile`, "") or (None, reason)."""
        # The calibration table has a value range for each tensor that exists after the default compiler
        # passes. If --without switches passes off, other tensors exist, so calibration is repeated.
        how = ["--precision", precision] if "--without" in options else self.precision(model, precision)
        return answer(tool("compile"), model, *how, "--tiles", tiles, "--machine", machine,
                      "-o", self.folder / "program.trb", *options, limit_s=self.limit_s)

    def cycles(self, model, precision, tiles, machine, *options):
        _, why = self.compile(model, precision, tiles, machine, *options)
        if why:
            return None, why
        document, why = answer(tool("run"), self.folder / "program.trb", "--mode", "timed", "--no-values")
        return (document["cycles"] if document else None), why

    def layers(self, case):
        """Compiles NETWORK:PRECISION:TILES@MACHINE with --report; returns the rows of layers that take cycles
        when they run alone, and the whole report."""
        network, precision, where = case.split(":")
        tiles, machine = where.split("@")
        document, why = self.compile(self.model(network), precision, tiles, machine, "--report")
        if why:
            stop(1, f"{case}: {why}")
        report = document["report"]
        return [row for row in report["layers"] if row["alone_cycles"]], report


class TorchvisionNetworks(Networks):
    """Networks of the zoo and the named ones of torchvision; the latter are exported on first use."""

    def __init__(self, folder, torchvision, limit_s=LIMIT_S):
        super().__init__(folder, limit_s)
        self.torchvision = torchvision

    def source(self, name):
        return "torchvision" if name in self.torchvision else "zoo"

    def model(self, name, batch=1, image=0):
        if name not in self.torchvision:
            return super().model(name, batch, image)
        file = self.folder / f"{name}-torchvision.onnx"
        if not file.exists():
            run("models/export_torchvision.py", name, "-o", file, failure=f"{name} cannot be exported")
        return file


def rank(errors, share):
    """Quantile: the smallest absolute error that the fraction `share` of the errors does not exceed."""
    errors = sorted(map(abs, errors))
    return errors[max(1, -int(-share * len(errors) // 1)) - 1]
