#!/usr/bin/python3
"""Trains a small convolutional network on the handwritten digits of scikit-learn, and writes digits.onnx and test.npz
beside this script.

usage: models/digits/train.py

1297 of the 1797 images of 8 × 8 pixels are the training set, augmented by shifts of one pixel; the other 500
are the test set. Training takes about a minute on one processor, and the same machine writes the same files
again.

Needs: apt-get install python3-torch python3-onnx python3-sklearn
exit code: 0 written, 1 the accuracy on the test images is below 97 %
"""

import sys
from pathlib import Path

try:
    import numpy
    import torch
    from sklearn.datasets import load_digits
except ImportError as missing:
    sys.exit(f"{missing}: apt-get install python3-torch python3-onnx python3-sklearn, and use /usr/bin/python3")

FOLDER = Path(__file__).parent
SEED, TESTED, EPOCHS, BATCH = 1, 500, 40, 64


def load():
    """The training set and the test set, each as (images, labels); pixels are between 0 and 1."""
    digits = load_digits()
    images = torch.tensor(digits.images[:, None] / 16, dtype=torch.float32)
    labels = torch.tensor(digits.target, dtype=torch.int64)
    order = torch.tensor(numpy.random.RandomState(SEED).permutation(len(labels)))
    train, test = order[TESTED:], order[:TESTED]
    return (images[train], labels[train]), (images[test], labels[test])


def block(inputs, outputs):
    convolution = torch.nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
    return [convolution, torch.nn.BatchNorm2d(outputs), torch.nn.ReLU()]


def make_network():
    pool = torch.nn.MaxPool2d(2)
    return torch.nn.Sequential(
        *block(1, 16), *block(16, 32), pool, *block(32, 64), pool, torch.nn.Flatten(), torch.nn.Linear(256, 10)
    )


def shifted(images):
    """Augmentation: each image shifted by at most one pixel in each direction, filled with background."""
    padded = torch.nn.functional.pad(images, (1, 1, 1, 1))
    moves = torch.randint(0, 3, (len(images), 2)).tolist()
    return torch.stack([image[:, y : y + 8, x : x + 8] for image, (y, x) in zip(padded, moves)])


def train(network, images, labels):
    optimiser = torch.optim.Adam(network.parameters(), lr=3e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, EPOCHS)
    network.train()
    for _ in range(EPOCHS):
        for some in torch.randperm(len(labels)).split(BATCH):
            optimiser.zero_grad()
            loss = torch.nn.functional.cross_entropy(network(shifted(images[some])), labels[some])
            loss.backward()
            optimiser.step()
        schedule.step()
    network.eval()


def main():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    training, (images, labels) = load()
    network = make_network()
    train(network, *training)
    with torch.no_grad():
        logits = network(images)
    accuracy = (logits.argmax(1) == labels).float().mean().item()
    print(f"accuracy on {len(labels)} test images: {accuracy:.2%}")
    if accuracy < 0.97:
        return 1
    # Exports the network with its batch normalisations as separate nodes, instead of folding them.
    torch.onnx.export(
        network, images, str(FOLDER / "digits.onnx"), opset_version=17, input_names=["image"], output_names=["logits"],
        training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False, dynamic_axes={"image": {0: "batch"}, "logits": {0: "batch"}},
    )  # fmt: skip
    numpy.savez_compressed(FOLDER / "test.npz", images=images.numpy(), labels=labels.numpy())
    return 0


if __name__ == "__main__":
    sys.exit(main())
