// Naive convolution of 4 channels to 20, each part of which a test may replace by a wrong one.
#pragma once

#include "verify/Evidence/Product.h"

#include "isa/Base/Tensor/Tensor.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

namespace tilerig::verify::test::convolved {

inline constexpr int height = 8, width = 8, channels = 4, outputs = 20, taps = 3,
                     depth = taps * taps * channels;

// Pseudo-random numbers from -1 to 1.
inline float mixed(size_t index) {
  auto word = static_cast<uint32_t>(index + 1) * 0x9E3779B1U;
  word = (word ^ word >> 15) * 0x85EBCA77U;
  return static_cast<float>((word ^ word >> 13) % 2003) / 1001 - 1;
}

// A convolution whose parts are functions. A test may replace each of them, to compute what a bug in this
// part would give.
struct Convolution {
  std::vector<float> inputs, kernels, biases;
  std::function<float(int place)> input = [this](int place) {
    return place >= 0 && place < height * width * channels ? inputs[static_cast<size_t>(place)] : 0;
  };
  std::function<float(int output, int y, int x, int channel)> weight = [this](int output, int y, int x,
                                                                              int channel) {
    return stored(((output * taps + y) * taps + x) * channels + channel);
  };
  std::function<float(int output)> bias = [this](int output) { return biases[static_cast<size_t>(output)]; };
  std::function<bool(int y, int x, int channel)> counts = [](int, int, int) { return true; };
  std::function<int(int row, int column)> addressBy = [](int, int) { return 0; };
  std::function<float(float sum, int output)> finish = [](float sum, int) { return std::max(sum, 0.0F); };
  int stride = 1, dilation = 1, firstRow = 0;
  float padding = 0;

  Convolution() {
    for (size_t i = 0; i < height * width * channels; ++i)
      inputs.push_back(mixed(i));
    for (size_t i = 0; i < outputs * depth; ++i)
      kernels.push_back(mixed(1000 + i));
    for (size_t i = 0; i < outputs; ++i)
      biases.push_back(2 * mixed(5000 + i));
  }
  // Copying is deleted, since the default parts of the loop capture `this`.
  Convolution(const Convolution &) = delete;

  float stored(int place) const {
    return place >= 0 && place < outputs * depth ? kernels[static_cast<size_t>(place)] : 0;
  }
  float sum(int output, int row, int column) const {
    float total = bias(output);
    for (int y = 0; y < taps; ++y)
      for (int x = 0; x < taps; ++x) {
        const int fromRow = row * stride - 1 + y, fromColumn = column - 1 + x * dilation;
        const bool isInside =
            fromRow >= firstRow && fromRow < height && fromColumn >= 0 && fromColumn < width;
        for (int channel = 0; channel < channels; ++channel)
          if (counts(y, x, channel))
            total +=
                weight(output, y, x, channel) * (isInside ? input((fromRow * width + fromColumn) * channels +
                                                                  channel + addressBy(fromRow, fromColumn))
                                                          : padding);
      }
    return total;
  }
  // The result with shape [1, outputs, rows, columns], as in ONNX models.
  Tensor result() const {
    Tensor tensor(DType::f32, {1, outputs, height, width});
    for (int output = 0; output < outputs; ++output)
      for (int row = 0; row < height; ++row)
        for (int column = 0; column < width; ++column)
          tensor.mutableAs<float>()[static_cast<size_t>((output * height + row) * width + column)] =
              finish(sum(output, row, column), output);
    return tensor;
  }
};

// The operands of the correct convolution.
inline std::shared_ptr<Product> productOfConvolution() {
  const Convolution right;
  auto product = std::make_shared<Product>();
  product->inputSizes = {1, height, width, channels};
  product->input = right.inputs;
  product->weightSizes = {outputs, taps, taps, channels};
  product->weights = right.kernels;
  product->bias = right.biases;
  product->resultSizes = {1, height, width, outputs};
  product->rows.padding = product->columns.padding = 1;
  product->order = {0, 3, 1, 2};
  return product;
}

} // namespace tilerig::verify::test::convolved
