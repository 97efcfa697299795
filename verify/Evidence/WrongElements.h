// The wrong elements of a tensor, for hypotheses that are tried on each of them.
//
// Where the reference states every bit, each element that differs is wrong. Else two systems differ in every
// element a little, and an element is wrong that failed the limits of the comparison and stands out of that
// noise. Of very many wrong elements every n-th is kept.
#pragma once

#include "isa/Support/Error.h"
#include "isa/Tensor/TensorStream.h"
#include "verify/Metrics/Comparison.h"

#include <vector>

namespace tilerig::verify {

struct WrongElement {
  size_t index = 0; // in the tensor
  float reference = 0, target = 0;
  bool failed = false; // the limits of the comparison
};

// How well a hypothesis that gives `result` for an element explains what came: it leaves less than a quarter
// of the error, or next to nothing. Eight bits are rounded on both sides.
enum class Fit : uint8_t { none, near, exact };
// Sums of numbers as large as `scale` are exact to their rounding only.
Fit fitOf(DType type, float scale, float reference, float target, float result);

struct WrongElements {
  static constexpr size_t most = size_t{1} << 18;

  DType type = DType::f32; // of the target
  Shape shape;
  bool isEightBit = false;
  float scale = 0;                      // the largest reference
  uint64_t count = 0, failed = 0;       // wrong ones of the whole tensor
  uint64_t noise = 0;                   // elements that failed, but do not stand out
  std::vector<WrongElement> elements;   // all of them, or every n-th
  std::vector<float> reference, target; // all elements, wrong or not

  Fit fitOf(const WrongElement &element, float result) const {
    return verify::fitOf(type, scale, element.reference, element.target, result);
  }
};

// Of tensors that were compared; with `everyDifference` each element that differs is wrong.
Result<WrongElements> findWrongElements(const TensorStream &reference, const TensorStream &target,
                                        const Comparison &comparison, bool everyDifference);

} // namespace tilerig::verify
