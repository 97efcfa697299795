"""Networks of the zoo compiled with --report: what each layer takes, and was expected to take."""

import json
import subprocess

from common import BIN, stop


LIMIT_S = 300


def answer(*words, limit_s=LIMIT_S):
    """The JSON document of a command; None and its reason where the input is not supported, or it takes too long."""
    try:
        done = subprocess.run([str(w) for w in (*words, "--json")], capture_output=True, text=True, timeout=limit_s)
    except subprocess.TimeoutExpired:
        return None, f"not within {limit_s} s"
    if done.returncode not in (0, 3):
        stop(1, f"{' '.join(map(str, words))}: {done.stdout or done.stderr}")
    document = json.loads(done.stdout)
    return (None, document["error"]["what"]) if "error" in document else (document, "")


def tool(name):
    return BIN / f"tilerig-{name}"


class Networks:
    """Models and their calibration tables in a folder; made where they are not there."""

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
        """The options that ask for it; 8 bits are calibrated once."""
        if "int8" not in precision:
            return ["--precision", precision]
        table = model.with_suffix(".json")
        if not table.exists():
            answer(tool("compile"), model, "--precision", precision, "--calibration-table", table)
        return ["--precision", precision, "--calibration", table]

    def compile(self, model, precision, tiles, machine, *options):
        """The document of `tilerig compile`, with the program in program.trb; and why there is none."""
        # A table is of the layers that there usually are: other layers are calibrated anew.
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
        """Rows of the report of NETWORK:PRECISION:TILES@MACHINE, those that run; and the whole report."""
        network, precision, where = case.split(":")
        tiles, machine = where.split("@")
        document, why = self.compile(self.model(network), precision, tiles, machine, "--report")
        if why:
            stop(1, f"{case}: {why}")
        report = document["report"]
        return [row for row in report["layers"] if row["alone_cycles"]], report


def rank(errors, share):
    """The smallest error that so many do not exceed."""
    errors = sorted(map(abs, errors))
    return errors[max(1, -int(-share * len(errors) // 1)) - 1]
