// A layer that sums products (convolution or matrix product) and its operands, so that some of its elements
// can be recomputed.
//
// Tensors have the machine's order of axes, channels last. A matrix product is described as a convolution
// with a 1 × 1 kernel over an image of one column. Quantised tensors are dequantised.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilerig::verify {

// Quantisation parameters: a stored integer represents the number step * (stored integer - zero).
struct StoredSteps {
  std::vector<float> steps; // a single quantisation step, or the quantisation step of each output
  float zero = 0;
  bool isSigned = true;

  float of(size_t output) const { return steps[steps.size() == 1 ? 0 : output]; }
};

struct Product {
  using Sizes = std::array<size_t, 4>;
  struct Axis {
    // Padding of the input: number of rows or columns before the first element.
    int64_t stride = 1, padding = 0, dilation = 1;
  };

  Sizes inputSizes{}; // sizes of the input: batch, rows, columns, channels
  std::vector<float> input;
  Sizes weightSizes{}; // sizes of the weights: outputs, rows, columns, channels of a group
  std::vector<float> weights;
  std::vector<float> bias;   // bias of each output; empty if there is no bias
  Sizes resultSizes{};       // sizes of the result: batch, rows, columns, outputs
  std::vector<float> addend; // tensor added to the result, of the same sizes; empty if nothing is added
  Axis rows, columns;
  size_t groups = 1;
  // How inputs and weights of the layer are quantised; empty for those that are not stored in 8 bits.
  std::optional<StoredSteps> inputSteps, weightSteps;
  // Constants of the program, read as if they were weights: the weights themselves, as many numbers stored
  // before them, and as many stored after them. If the weights are stored in 8 bits, the numbers are
  // multiples of the quantisation step. Empty if unknown.
  std::vector<float> around;
  // Weights and bias of the previous layer that sums products. Weights that are stored in 8 bits are given in
  // quantisation steps.
  std::vector<float> weightsBefore, biasBefore;
  std::vector<size_t> order; // order of axes: axis i of the tensor is axis order[i] of the layer's result

  size_t outputs() const { return weightSizes[0]; }
  size_t depth() const { return weightSizes[1] * weightSizes[2] * weightSizes[3]; }
};

} // namespace tilerig::verify
