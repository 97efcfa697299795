#!/usr/bin/python3
"""Exports a network of torchvision as ONNX, with random weights that behave like trained ones.

usage: models/export_torchvision.py NAME -o FILE.onnx [--seed N] [--opset N] [--batch N] [--image-size N]
                                    [--keep-batch-norm]
       models/export_torchvision.py --list

Weights start from torchvision's random initialisation. Crops of two photographs and a picture of noise then
run through the network once. In this run every convolution and dense layer is scaled so that its outputs have
standard deviation 1, and every batch normalisation takes the mean and variance of its input. Networks for videos get
clips of crops, those for optical flow pairs of crops. Networks named quantized_… are quantised by PyTorch, from the same
run. The same machine writes the same bytes again. Another machine may differ in the last bits, because it may sum in another order
(the networks of `tilerig zoo` are the same everywhere).

Needs: apt-get install python3-torchvision python3-onnx python3-sklearn
exit code: 0 written or listed, 2 wrong usage
"""

import argparse
import difflib
import sys

try:
    import numpy
    import torch
    import torchvision
    from sklearn.datasets import load_sample_images
except ImportError as missing:
    sys.exit(f"{missing}: apt-get install python3-torchvision python3-onnx python3-sklearn, and use /usr/bin/python3")

# Height and width of the images, for networks that do not take the usual 224.
IMAGE_SIZES = {"inception_v3": 299, "quantized_inception_v3": 299, "ssd300_vgg16": 300, "mc3_18": 112, "r3d_18": 112,
               "r2plus1d_18": 112}
DETECTOR_SIZE, SEGMENTATION_SIZE, FLOW_SIZE = 320, 520, 128
FRAMES = 16  # of a clip
MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def names():
    return torchvision.models.list_models()


def family(name):
    """The module of torchvision that has the network: models, detection, segmentation, video, …"""
    modules = ["detection", "segmentation", "video", "optical_flow", "quantization"]
    found = [m for m in modules if name in torchvision.models.list_models(module=getattr(torchvision.models, m))]
    return found[0] if found else "models"


def usual_size(name):
    sizes = {"detection": DETECTOR_SIZE, "segmentation": SEGMENTATION_SIZE, "optical_flow": FLOW_SIZE}
    return IMAGE_SIZES.get(name) or sizes.get(family(name), 224)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\nusage")[0])
    parser.add_argument("name", nargs="?", help="name of the network; --list shows all")
    parser.add_argument("-o", "--output", help="model to write (.onnx)")
    parser.add_argument("--list", action="store_true", help="list the networks")
    parser.add_argument("--seed", type=int, default=1, help="seed of the weights and image crops (default 1)")
    parser.add_argument("--opset", type=int, default=17, help="version of ONNX's operators (default 17)")
    parser.add_argument("--batch", type=int, default=1, help="batch size (default 1)")
    parser.add_argument("--image-size", type=int, help="height and width of images (default: usual size of the network)")
    parser.add_argument(
        "--keep-batch-norm", action="store_true", help="keep batch normalisations as nodes; default: fold them"
    )
    arguments = parser.parse_args()
    if arguments.list:
        return arguments
    if not arguments.name or not arguments.output:
        parser.error("name a network and, with -o, a file to write; --list shows the networks")
    if arguments.name not in names():
        near = difflib.get_close_matches(arguments.name, names(), 1)
        hint = f"did you mean '{near[0]}'?" if near else "--list shows all networks"
        parser.error(f"there is no network '{arguments.name}'; {hint}")
    if arguments.batch < 1 or (arguments.image_size is not None and arguments.image_size < 32):
        parser.error("--batch must be at least 1 and --image-size at least 32")
    return arguments


def make_network(name):
    options = {}
    if "googlenet" in name or "inception" in name:
        options = {"aux_logits": False, "init_weights": False}  # their own initialisation takes minutes
    if family(name) in ("detection", "segmentation"):
        options = {"weights_backbone": None}
    if family(name) == "quantization":
        options["quantize"] = False  # quantise() does it after calibration
    network = torchvision.models.get_model(name, weights=None, **options).eval()
    for path, parameter in network.named_parameters():
        # torchvision initialises layer scales with tiny values, and some weights with zeros. Without
        # training, the tiny scales would suppress a whole branch, and the zeros would remove the differences
        # between all classes.
        if path.endswith("layer_scale"):
            torch.nn.init.uniform_(parameter, 0.1, 0.5)
        elif parameter.dim() > 1 and not parameter.any():
            torch.nn.init.normal_(parameter, std=parameter.shape[-1] ** -0.5)
    return network


def crops(count, size, seed):
    """Random crops of china.jpg and flower.jpg, in turn, normalised as torchvision's networks expect it."""
    random = numpy.random.RandomState(seed)
    pictures = []
    for i in range(count):
        photograph = load_sample_images().images[i % 2]
        side = random.randint(200, min(photograph.shape[:2]) + 1)
        top, left = (random.randint(0, length - side + 1) for length in photograph.shape[:2])
        crop = torch.tensor(photograph[top : top + side, left : left + side] / 255.0, dtype=torch.float32)
        crop = torch.nn.functional.interpolate(crop.permute(2, 0, 1)[None], size=(size, size), mode="bilinear")
        pictures.append(torchvision.transforms.functional.normalize(crop, MEAN, DEVIATION))
    return torch.cat(pictures)


def noise(size, seed):
    """A picture of uniform noise, like the default inputs of `tilerig reference`. In a network that was not
    calibrated with noise, activations and rounding errors would grow from layer to layer on such inputs."""
    return 2 * torch.rand(1, 3, size, size, generator=torch.Generator().manual_seed(seed)) - 1


def settle(module, _, output):
    """Forward hook: scales the layer's parameters, and the output just computed, to standard deviation 1."""
    deviation = output.std()
    module.weight.data /= deviation
    if module.bias is not None:
        module.bias.data /= deviation
    return output / deviation


def samples(name, size, seed):
    """Arguments of the network's function, for calibration; those of one inference."""
    pictures = torch.cat([crops(4, size, seed), noise(size, seed)])
    if family(name) == "detection":
        return (list((pictures - pictures.min()) / (pictures.max() - pictures.min())),)
    if family(name) == "video":
        clip = torch.cat([crops(FRAMES - 1, size, seed), noise(size, seed)])
        return (clip.permute(1, 0, 2, 3)[None],)
    if family(name) == "optical_flow":
        return pictures[:2].clamp(-1, 1), pictures[2:4].clamp(-1, 1)
    return (pictures,)


def example(name, size, batch):
    """Arguments of the network's function, as it is exported."""
    image = torch.zeros(batch, 3, size, size)
    if family(name) == "detection":
        return (list(image),)
    if family(name) == "video":
        return (torch.zeros(batch, 3, FRAMES, size, size),)
    return (image, image) if family(name) == "optical_flow" else (image,)


def calibrate(network, arguments):
    kinds = (torch.nn.Conv2d, torch.nn.Conv3d, torch.nn.Linear)
    layers = [m for m in network.modules() if isinstance(m, kinds)]
    # The output projections of attention layers are left out: attention uses their weights directly, without
    # calling these modules, so a hook on them would never run.
    layers = [m for m in layers if not isinstance(m, torch.nn.modules.linear.NonDynamicallyQuantizableLinear)]
    hooks = [layer.register_forward_hook(settle) for layer in layers]
    norms = [m for m in network.modules() if isinstance(m, torch.nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.momentum = None  # cumulative average over all batches
        norm.train()
    with torch.no_grad():
        network(*arguments)
    for hook in hooks:
        hook.remove()
    network.eval()


def quantise(network, arguments):
    """Converts the network to 8 bits, with the ranges of one run."""
    torch.backends.quantized.engine = "qnnpack"
    network.fuse_model(is_qat=False)
    network.qconfig = torch.ao.quantization.get_default_qconfig("qnnpack")
    torch.ao.quantization.prepare(network, inplace=True)
    with torch.no_grad():
        network(*arguments)
    torch.ao.quantization.convert(network, inplace=True)


def export(network, arguments, size):
    keep = arguments.keep_batch_norm
    is_classifier = family(arguments.name) == "models"
    names = {"input_names": ["image"], "output_names": ["logits"]} if is_classifier else {}
    torch.onnx.export(
        network,
        example(arguments.name, size, arguments.batch),
        arguments.output,
        opset_version=arguments.opset,
        **names,
        training=torch.onnx.TrainingMode.PRESERVE if keep else torch.onnx.TrainingMode.EVAL,
        do_constant_folding=not keep,
    )


def main():
    arguments = parse_arguments()
    if arguments.list:
        print("\n".join(names()))
        return
    torch.manual_seed(arguments.seed)
    torch.use_deterministic_algorithms(True)
    size = arguments.image_size or usual_size(arguments.name)
    network = make_network(arguments.name)
    inputs = samples(arguments.name, size, arguments.seed)
    calibrate(network, inputs)
    if family(arguments.name) == "quantization":
        quantise(network, inputs)
    export(network, arguments, size)
    parameters = sum(p.numel() for p in network.parameters())
    print(f"{arguments.output}: {arguments.name}, {parameters / 1e6:.2f} M parameters")


if __name__ == "__main__":
    main()
