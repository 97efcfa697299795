// The wrong elements of a tensor, on which hypotheses about the cause are tested.
//
// If the reference states every bit, each element that differs is wrong. Otherwise two systems differ a
// little in every element (noise), and an element counts as wrong if it exceeds the limits of the comparison
// and that noise. If very many elements are wrong, only every n-th is kept.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/TensorStream.h"
#include "verify/Metrics/Comparison.h"

#include <vector>

namespace tilerig::verify {

struct WrongElement {
  size_t index = 0; // index of the element in the tensor
  float reference = 0, target = 0;
  bool failed = false; // whether the element exceeds the limits of the comparison
};

// How well a hypothesis explains a wrong element. It predicts a value for the element. The explanation is
// near if this value differs from the target by less than a quarter of the error, and exact if there is
// hardly any difference. In 8-bit types, rounding errors are tolerated.
enum class Fit : uint8_t { none, near, exact };
// `result` is the predicted value. `scale` is the largest magnitude of the reference, by which rounding
// errors of sums are estimated.
Fit fitOf(DType type, float scale, float reference, float target, float result);

struct WrongElements {
  static constexpr size_t most = size_t{1} << 18;

  DType type = DType::f32; // element type of the target
  Shape shape;
  bool isEightBit = false;
  float scale = 0; // largest magnitude of the reference
  // Number of wrong elements in the whole tensor, and how many of them exceed the limits of the comparison.
  uint64_t count = 0, failed = 0;
  // Number of elements that exceed the limits of the comparison, but do not stand out from the noise.
  uint64_t noise = 0;
  std::vector<WrongElement> elements;   // all wrong elements or, if there are very many, every n-th
  std::vector<float> reference, target; // values of all elements of the tensor, wrong or not

  Fit fitOf(const WrongElement &element, float result) const {
    return verify::fitOf(type, scale, element.reference, element.target, result);
  }
};

// Finds the wrong elements of a pair of tensors that were compared; with `everyDifference` each element that
// differs is wrong.
Result<WrongElements> findWrongElements(const TensorStream &reference, const TensorStream &target,
                                        const Comparison &comparison, bool everyDifference);

} // namespace tilerig::verify
