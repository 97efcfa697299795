// Small networks with known weights. Every bug of the catalogue can be injected into a layer of one of them.
#pragma once

#include "tests/support/OnnxModel.h"
#include "tests/support/Random.h"

#include <cmath>
#include <map>
#include <memory>

namespace tilerig::verify::test {

struct SmallNetwork {
  tilerig::test::OnnxModel model;
  std::map<std::string, Tensor> constants;

  explicit SmallNetwork(uint64_t seed) : random(seed) {}

  Tensor noise(const Shape &shape, double spread) {
    Tensor tensor(DType::f32, shape);
    for (float &element : tensor.mutableAs<float>())
      element = static_cast<float>(spread * (static_cast<double>(random.below(2001)) / 1000 - 1));
    return tensor;
  }
  void constant(const std::string &name, const Shape &shape, double spread) {
    constants[name] = noise(shape, spread);
    model.initialiser(name, constants[name]);
  }
  struct ConvForm {
    int64_t kernel = 3, pad = 1, stride = 1, dilation = 1;
  };
  // Adds a convolution with weights NAME.w and biases NAME.b.
  void conv(const std::string &name, const std::string &input, int64_t outputs, int64_t channels,
            ConvForm form) {
    constant(name + ".w", {outputs, channels, form.kernel, form.kernel},
             2 / std::sqrt(static_cast<double>(channels * form.kernel * form.kernel)));
    constant(name + ".b", {outputs}, 0.5);
    onnx::NodeProto &node = model.node("Conv", {input, name + ".w", name + ".b"}, {name});
    tilerig::test::setInts(node, "pads", std::vector<int64_t>(4, form.pad));
    tilerig::test::setInts(node, "strides", {form.stride, form.stride});
    tilerig::test::setInts(node, "dilations", {form.dilation, form.dilation});
  }

  // Names each node after its first output.
  void nameNodes() {
    for (onnx::NodeProto &node : *model.proto().mutable_graph()->mutable_node())
      node.set_name(node.output(0));
  }

private:
  tilerig::test::Random random;
};

// A network of images. Its layers, each named after its last node: relu1 (3x3), relu2 (3x3, adds relu1),
// pool, plain (3x3 without a function), wide (5x5), soft (1x1 with a sigmoid), fc.
inline std::unique_ptr<SmallNetwork> imageNetwork() {
  auto network = std::make_unique<SmallNetwork>(11);
  SmallNetwork &net = *network;
  net.model.input("x", DType::f32, {1, 8, 16, 16});
  net.conv("conv1", "x", 32, 8, {});
  net.model.node("Relu", {"conv1"}, {"relu1"});
  net.conv("conv2", "relu1", 32, 32, {});
  net.model.node("Add", {"conv2", "relu1"}, {"add2"});
  net.model.node("Relu", {"add2"}, {"relu2"});
  onnx::NodeProto &pool = net.model.node("MaxPool", {"relu2"}, {"pool"});
  tilerig::test::setInts(pool, "kernel_shape", {3, 3});
  tilerig::test::setInts(pool, "strides", {2, 2});
  tilerig::test::setInts(pool, "pads", {1, 1, 1, 1});
  net.conv("plain", "pool", 48, 32, {});
  net.conv("wide", "plain", 32, 48, {.kernel = 5, .pad = 2});
  net.conv("soft1", "wide", 32, 32, {.kernel = 1, .pad = 0});
  net.model.node("Sigmoid", {"soft1"}, {"soft"});
  net.model.node("Flatten", {"soft"}, {"flat"});
  net.constant("fc.w", {2048, 40}, 0.05);
  net.constant("fc.b", {40}, 0.5);
  net.model.node("Gemm", {"flat", "fc.w", "fc.b"}, {"fc"});
  net.model.output("fc");
  net.nameNodes();
  return network;
}

// A matrix product that has to be computed in steps on machines with little memory.
inline std::unique_ptr<SmallNetwork> productNetwork() {
  auto network = std::make_unique<SmallNetwork>(12);
  SmallNetwork &net = *network;
  net.model.input("a", DType::f32, {128, 512});
  net.model.input("b", DType::f32, {512, 128});
  net.model.node("MatMul", {"a", "b"}, {"product"});
  net.model.output("product");
  net.nameNodes();
  return network;
}

// A network with an 8-bit output, whose values exceed the range of 8 bits.
inline std::unique_ptr<SmallNetwork> byteNetwork() {
  auto network = std::make_unique<SmallNetwork>(13);
  SmallNetwork &net = *network;
  net.model.input("x", DType::f32, {16, 64});
  net.constant("w", {64, 32}, 0.3);
  net.model.node("MatMul", {"x", "w"}, {"sums"});
  net.model.initialiser("step", Tensor::scalar(0.01F));
  net.model.initialiser("zero", Tensor::scalar(int8_t{0}));
  net.model.node("QuantizeLinear", {"sums", "step", "zero"}, {"bytes"});
  net.model.output("bytes");
  net.nameNodes();
  return network;
}

} // namespace tilerig::verify::test
