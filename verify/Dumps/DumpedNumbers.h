// The numbers of a dumped tensor, as the model would have them: in float32, in the model's order of axes, without the scale of an 8-bit
// type; and how exactly the system that made the dump computed them.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "verify/Evidence/Product.h"

#include <limits>
#include <optional>
#include <string_view>

namespace tilerig::verify {

enum class DumpPrecision : uint8_t { fp32, fp16, bf16, eightBits };
std::string_view nameOf(DumpPrecision precision);
std::optional<DumpPrecision> dumpPrecisionNamed(std::string_view name);

struct DumpedNumbers {
  Tensor numbers; // float32, of the shape that the model computes
  DumpPrecision precision = DumpPrecision::fp32;
  double step = 0; // quantisation step; 0 unless the precision is eightBits
  std::optional<StoredSteps> stored =
      {}; // how the numbers were stored, if they were dumped as 8-bit integers
  // The ends of the range of 8-bit numbers, where they saturate.
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

// The numbers of a dumped tensor. 16-bit unsigned integers are the bits of bfloat16. `expected` is what the model computes in its place, in float32. Axes may be in the order of a system
// with channels last, and axes of size 1 may be missing. 8-bit integers get the scale and zero point with which they are nearest to what is
// expected. If nearly all are wrong, the range of `usual` decides, the tensor of the reference, in whatever order of axes; it may be
// null. The precision is that of the type or, of floats, the lowest one that represents all of them; `least` states a lower one.
// Refuses a tensor of another number of elements or another kind of type.
Result<DumpedNumbers> numbersOfDump(const Tensor &dumped, const Tensor &expected, const Tensor *usual,
                                    std::optional<DumpPrecision> least);

// Which differences from what is expected rounding explains, in the result of one layer. `values` is the number of values between the
// dumped tensors from which the number was computed and the number itself, each of which was rounded, too.
class RoundingOfDump {
public:
  RoundingOfDump(const DumpedNumbers &dumped, double largestExpected, size_t values);
  // Whether `times` the usual rounding, or saturation, explains the difference. NaN equals NaN.
  bool explains(double expected, double dumped, double times = 1) const;

private:
  double relative = 0, absolute = 0, low, high;
};

} // namespace tilerig::verify
