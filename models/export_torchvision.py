#!/usr/bin/python3
"""Exports a classification network of torchvision as ONNX, with random weights that behave like trained ones.

usage: models/export_torchvision.py NAME -o FILE.onnx [--seed N] [--opset N] [--batch N] [--image-size N]
                                    [--keep-batch-norm]
       models/export_torchvision.py --list

Weights start from torchvision's random initialisation. Crops of two photographs and a picture of noise then
run through the network once. In this run every convolution and dense layer is scaled so that its outputs have
standard deviation 1, and every batch normalisation takes the mean and variance of its input. The same machine
writes the same bytes again. Another machine may differ in the last bits, because it may sum in another order
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
IMAGE_SIZES = {"inception_v3": 299}
MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def names():
    return [n for n in torchvision.models.list_models(module=torchvision.models) if not n.startswith("quantized")]


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
    options = {"aux_logits": False} if name in ("googlenet", "inception_v3") else {}
    if options:
        options["init_weights"] = False  # these networks' own initialisation takes minutes
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


def calibrate(network, pictures):
    layers = [m for m in network.modules() if isinstance(m, (torch.nn.Conv2d, torch.nn.Linear))]
    # The output projections of attention layers are left out: attention uses their weights directly, without
    # calling these modules, so a hook on them would never run.
    layers = [m for m in layers if not isinstance(m, torch.nn.modules.linear.NonDynamicallyQuantizableLinear)]
    hooks = [layer.register_forward_hook(settle) for layer in layers]
    norms = [m for m in network.modules() if isinstance(m, torch.nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.momentum = None  # cumulative average over all batches
        norm.train()
    with torch.no_grad():
        network(pictures)
    for hook in hooks:
        hook.remove()
    network.eval()


def export(network, arguments, size):
    keep = arguments.keep_batch_norm
    torch.onnx.export(
        network,
        torch.zeros(arguments.batch, 3, size, size),
        arguments.output,
        opset_version=arguments.opset,
        input_names=["image"],
        output_names=["logits"],
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
    size = arguments.image_size or IMAGE_SIZES.get(arguments.name, 224)
    network = make_network(arguments.name)
    calibrate(network, torch.cat([crops(4, size, arguments.seed), noise(size, arguments.seed)]))
    export(network, arguments, size)
    parameters = sum(p.numel() for p in network.parameters())
    print(f"{arguments.output}: {arguments.name}, {parameters / 1e6:.2f} M parameters")


if __name__ == "__main__":
    main()
