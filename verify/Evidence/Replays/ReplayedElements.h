// Elements of a layer that sums products, recomputed from copies of their operands.
#pragma once

#include "verify/Evidence/Replays/SumsOfProducts.h"

#include <span>

namespace tilerig::verify {

class ReplayedElements {
public:
  // The arguments must outlive the object. The circumstances must contain the operands of the layer (a
  // product).
  ReplayedElements(const Shape &shape, const Circumstances &known);

  const Product &product;

  // Takes the elements of a list that are finite in reference and target, in place of earlier ones, and
  // computes their right sums.
  void take(std::span<const WrongElement> list);
  // Copies the inputs under the convolution windows of all elements. Must be called after take() and before
  // the functions that use windows.
  void readWindows();

  size_t size() const { return elements.size(); }
  const ElementPosition &operator[](size_t i) const { return elements[i]; }
  ElementPosition positionOf(const WrongElement &element) const { return positions.of(element); }
  size_t outputOf(size_t i) const { return elements[i].output; }
  // Index of an element in the list that was passed to take().
  size_t indexInList(size_t i) const { return indices[i]; }

  // The right sum of products of an element, including its bias.
  float sumOf(size_t i) const { return rightSums[i]; }
  float sumOf(const ElementPosition &position) const {
    return sums.sum(position, {}, weightsOf(position.output)) + biasOf(position.output);
  }
  // The sum of products of an element, including its bias, with other weights (one for each product), or with
  // the input read in another way.
  float sumWith(size_t i, const float *weights) const {
    return dot(window(i), weights, product.depth()) + biasOf(outputOf(i));
  }
  float sumWith(size_t i, const Reading &reading) const {
    return sums.sum(elements[i], reading, weightsOf(outputOf(i))) + biasOf(outputOf(i));
  }

  const float *weightsOf(size_t output) const { return sums.weightsOf(output); }
  float biasOf(size_t output) const { return product.bias.empty() ? 0 : product.bias[output]; }
  float addendOf(const ElementPosition &position) const {
    return product.addend.empty() ? 0 : product.addend[position.place * product.outputs() + position.output];
  }
  // The inputs under the convolution window of an element, one for each product; zeros outside the image.
  const float *window(size_t i) const { return windows.data() + i * product.depth(); }
  // Whether product `at` of an element has an input inside the image.
  bool isInside(size_t i, size_t at) const { return inside[i * taps() + at / product.weightSizes[3]] != 0; }

  // The quantisation step of the weights of an output; 1 if weights are not quantised.
  float stepOf(size_t output) const { return product.weightSteps ? product.weightSteps->of(output) : 1; }
  // Factor by which the weights of one output are scaled if they are used for another output: a quantised
  // weight keeps its stored integer, but gets the step of the other output. 1 if weights are not quantised.
  float stepRatio(size_t output, size_t other) const {
    return product.weightSteps ? product.weightSteps->of(output) / product.weightSteps->of(other) : 1;
  }

private:
  size_t taps() const { return product.weightSizes[1] * product.weightSizes[2]; }

  const ElementPositions positions;
  const SumsOfProducts sums;
  std::vector<ElementPosition> elements;
  std::vector<size_t> indices; // index that each element has in the list passed to take()
  std::vector<float> rightSums;
  std::vector<float> windows;
  // Whether the input under a tap of the kernel lies inside the image, by element and tap.
  std::vector<uint8_t> inside;
};

} // namespace tilerig::verify
