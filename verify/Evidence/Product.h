// A layer that sums products, and what it was given: for whoever computes some of its elements again.
//
// Everything lies as the machine has it, channels last. A product of matrices is a convolution of one column
// with one tap. Numbers are what stored ones stand for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilerig::verify {

// How 8 bits stand for numbers: step * (stored - zero).
struct StoredSteps {
  std::vector<float> steps; // one, or one for each output
  float zero = 0;
  bool isSigned = true;

  float of(size_t output) const { return steps[steps.size() == 1 ? 0 : output]; }
};

struct Product {
  using Sizes = std::array<size_t, 4>;
  struct Axis {
    int64_t stride = 1, padding = 0, dilation = 1; // padding in front
  };

  Sizes inputSizes{}; // batch, rows, columns, channels
  std::vector<float> input;
  Sizes weightSizes{}; // outputs, rows, columns, channels of a group
  std::vector<float> weights;
  std::vector<float> bias;   // of each output; empty where there is none
  Sizes resultSizes{};       // batch, rows, columns, outputs
  std::vector<float> addend; // like the result; empty where nothing is added
  Axis rows, columns;
  size_t groups = 1;
  std::optional<StoredSteps> inputSteps, weightSteps; // where these are 8 bits
  // What lies around the weights among the program's constants, as weights: all outputs' worth in front of
  // them, they themselves, and as much behind. In steps where weights are 8 bits. Empty where it is not
  // known.
  std::vector<float> around;
  // What the layer before that sums products has, likewise: its weights, and its bias.
  std::vector<float> weightsBefore, biasBefore;
  std::vector<size_t> order; // axis i of the tensor is axis order[i] of the layer's result

  size_t outputs() const { return weightSizes[0]; }
  size_t depth() const { return weightSizes[1] * weightSizes[2] * weightSizes[3]; }
};

} // namespace tilerig::verify
