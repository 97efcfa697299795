// A small quantised or float network of device operations (`DeviceOp`), built by hand, into which bugs are injected.
#pragma once

#include "compiler/Tile/Ops/DeviceNetwork.h"
#include "tests/support/Random.h"

#include <cstring>

namespace tilerig {
using namespace compiler;

// A convolution of the input x, a second convolution that adds the first one's result, and a pool.
class Images {
public:
  explicit Images(bool eightBits) : eightBits(eightBits), random(eightBits) {
    network.name = "images";
    const TensorIndex x = image("x", 0);
    network.inputs = {x};
    const TensorIndex first = conv("first", x, {}), second = conv("second", first, first);
    network.outputs = {pool("pool", second)};
  }

  DeviceNetwork network;

private:
  static constexpr int64_t channels = 32, size = 12;
  static constexpr Affine affine = {0.05F, 3};

  TensorIndex add(const std::string &name, std::vector<int64_t> shape, uint32_t layer) {
    DeviceTensor tensor;
    tensor.name = name;
    tensor.type = eightBits ? ElementType::i8 : ElementType::fp32;
    tensor.affine = eightBits ? affine : Affine{};
    tensor.modelType = "float32";
    for (size_t axis = 0; axis < shape.size(); ++axis)
      tensor.modelAxes.push_back(static_cast<int64_t>(axis));
    tensor.modelRank = static_cast<int64_t>(shape.size());
    tensor.shape = std::move(shape);
    tensor.layer = layer;
    network.tensors.push_back(std::move(tensor));
    return static_cast<TensorIndex>(network.tensors.size() - 1);
  }
  TensorIndex image(const std::string &name, uint32_t layer) {
    return add(name, {1, size, size, channels}, layer);
  }

  std::vector<std::byte> bytes(size_t count) {
    std::vector<std::byte> result(count);
    for (std::byte &byte : result) // random bytes, below 63 in a float network: such floats are small
      byte = static_cast<std::byte>(random.below(eightBits ? 256 : 63));
    return result;
  }
  TensorIndex weights() {
    const TensorIndex tensor = add("", {channels, 3, 3, channels}, 0);
    network.tensors[tensor].bytes = constantBytes(bytes(network.tensors[tensor].sizeInBytes()));
    return tensor;
  }

  uint32_t layer(const std::string &name, const char *kind) {
    NetworkLayer networkLayer;
    networkLayer.name = name;
    networkLayer.kind = kind;
    network.layers.push_back(std::move(networkLayer));
    return static_cast<uint32_t>(network.layers.size() - 1);
  }
  Finish finish() const {
    Finish result;
    if (eightBits)
      result = {.clampLow = 3, .clampHigh = 127, .output = affine};
    else
      result.function = UnaryFunction::relu;
    return result;
  }
  static AxisMap window(int axis, int64_t stride) {
    return {.from = axis, .numerator = stride, .offset = -1, .high = 2};
  }
  DeviceOp deviceOp(DeviceOpKind kind, Instruction action, TensorIndex result, uint32_t number) const {
    DeviceOp operation;
    operation.kind = kind;
    operation.action = std::move(action);
    operation.result = result;
    operation.divisible.assign(4, true);
    operation.groupSize.assign(4, 1);
    operation.pads = {1, 1, 1, 1};
    operation.layer = number;
    return operation;
  }

  TensorIndex conv(const std::string &name, TensorIndex from, std::optional<TensorIndex> addend) {
    const uint32_t number = layer(name, "Conv");
    const TensorIndex kernel = weights(), result = image(name, number);
    Conv action;
    action.epilogue.finish = finish();
    if (eightBits)
      action.epilogue.inputZeroPoint = affine.zeroPoint;
    if (eightBits && addend) {
      action.epilogue.middleType = ElementType::i8;
      action.epilogue.middle = action.epilogue.addendAffine = affine;
    }
    DeviceOp operation = deviceOp(DeviceOpKind::conv, action, result, number);
    operation.bias = {.elementBytes = 4, .perOutput = true, .bytes = bytes(channels * 4)};
    if (eightBits)
      operation.scale = {.elementBytes = 4, .perOutput = true, .bytes = scales()};
    operation.operands = {{from, {AxisMap::along(0), window(1, 1), window(2, 1), {}}},
                          {kernel, {AxisMap::along(3), {}, {}, {}}}};
    if (addend) {
      operation.addend = operation.operands.size();
      operation.operands.push_back(
          {*addend, {AxisMap::along(0), AxisMap::along(1), AxisMap::along(2), AxisMap::along(3)}});
    }
    operation.outputAxis = 3;
    network.steps.emplace_back(std::move(operation));
    return result;
  }
  std::vector<std::byte> scales() const {
    std::vector<std::byte> result(channels * sizeof(float));
    for (int64_t i = 0; i < channels; ++i) {
      const float scale = 1e-4F * static_cast<float>(i + 1);
      std::memcpy(result.data() + static_cast<size_t>(i) * sizeof scale, &scale, sizeof scale);
    }
    return result;
  }

  TensorIndex pool(const std::string &name, TensorIndex from) {
    const uint32_t number = layer(name, "MaxPool");
    const TensorIndex result = add(name, {1, size / 2, size / 2, channels}, number);
    Pool action{.kernelH = 3, .kernelW = 3, .window = {2, 2, 1, 1, 0, 0}};
    if (eightBits) {
      action.inputAffine = affine;
      action.finish = {.clampLow = -128, .clampHigh = 127, .output = affine};
    }
    DeviceOp operation = deviceOp(DeviceOpKind::pool, action, result, number);
    operation.operands = {{from, {AxisMap::along(0), window(1, 2), window(2, 2), AxisMap::along(3)}}};
    network.steps.emplace_back(std::move(operation));
    return result;
  }

  bool eightBits;
  test::Random random;
};

} // namespace tilerig
