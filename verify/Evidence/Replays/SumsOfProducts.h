// Computes sums of products of a layer, from the right window of the input or from a changed one.
#pragma once

#include "verify/Evidence/Replays/ElementPositions.h"

namespace tilerig::verify {

// Dot product with eight partial sums, so that the order of additions does not depend on the C++ compiler.
float dot(const float *a, const float *b, size_t count);

// A wrong way of reading the input: the amounts by which strides, addresses and so on differ from the right
// ones.
struct Reading {
  struct Axis {
    int64_t shift = 0, stride = 0, dilation = 0; // changes of the layer's shift, stride and dilation
    int64_t cutFront = 0, cutBehind = 0;         // rows or columns of the image that are taken as padding
  };
  Axis rows, columns;
  int64_t address = 0; // number of elements that is added to every address in the input
  int64_t pitch = 0;   // number of elements that is added to the distance between rows of the input
};

// Computes sums of products of a layer, without bias.
class SumsOfProducts {
public:
  explicit SumsOfProducts(const Product &product);

  const float *weightsOf(size_t output) const { return product.weights.data() + output * product.depth(); }
  // The sum of products of an element; `weights` has one weight for each product.
  float sum(const ElementPosition &position, const Reading &reading, const float *weights) const;
  // Copies the inputs under the element's convolution window, and marks the taps of the kernel that lie
  // inside the image.
  void readWindow(const ElementPosition &position, float *window, uint8_t *isInside) const;

private:
  template <class Visit>
  void forTaps(const ElementPosition &position, const Reading &reading, Visit visit) const;
  int64_t addressOf(const ElementPosition &position, int64_t row, int64_t column) const;
  float sumAt(int64_t address, const float *weights) const;

  const Product &product;
  const size_t perGroup; // number of outputs in a group of a grouped convolution
  const int64_t channels;
};

} // namespace tilerig::verify
