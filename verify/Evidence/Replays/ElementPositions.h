// Finds the position of a tensor's element in the result of its layer, a layer that sums products.
#pragma once

#include "verify/Evidence/Circumstances.h"
#include "verify/Evidence/WrongElements.h"

#include <vector>

namespace tilerig::verify {

// An element of the result of a layer that sums products, with its position.
struct ElementPosition {
  float reference = 0, target = 0;
  size_t output = 0;
  size_t place = 0; // index of the element among all elements of its output channel
  int64_t batch = 0, row = 0, column = 0;
  // position in the image at which the tile's part of the tensor begins
  int64_t firstRow = 0, firstColumn = 0;
};

// Finds the position that an element of the tensor has in the layer's result.
class ElementPositions {
public:
  // The arguments must outlive the object. The circumstances must contain the operands of the layer (a
  // product).
  ElementPositions(const Shape &shape, const Circumstances &known);

  ElementPosition of(const WrongElement &element) const;

private:
  std::vector<int64_t> indicesOf(size_t index) const; // indices of the element along each axis of the tensor
  size_t indexInResult(const std::vector<int64_t> &indices) const;
  ElementPosition positionInResult(size_t index) const;

  const Shape &shape;
  const Circumstances &known;
  std::vector<size_t> strides; // strides of elements in the layer's result, by axis of the tensor
};

} // namespace tilerig::verify
