// The numbers of a dumped tensor, as the model would have them: in float32, in the model's order of axes, without the scale of an 8-bit
// type; and how exactly the system that made the dump computed them.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "verify/Evidence/Product.h"
#include "verify/Inputs/ScalesFile.h"

#include <limits>
#include <optional>
#include <string_view>

namespace tilerig::verify {

enum class DumpPrecision : uint8_t { fp32, fp16, bf16, eightBits };
std::string_view nameOf(DumpPrecision precision);

struct DumpedNumbers {
  Tensor numbers; // float32, of the shape that the model computes
  DumpPrecision precision = DumpPrecision::fp32;
  double step = 0; // quantisation step; 0 unless the precision is eightBits
  // How the numbers were stored, if they were dumped as 8-bit integers.
  std::optional<StoredSteps> stored = {};
  // The ends of the range of integers, where they saturate.
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

// The numbers of a dumped tensor. `expected` is what the model computes in its place, in float32.
//
// Axes may be in the order of a system with channels last, and axes of size 1 may be missing. 8-bit integers get the scale
// and zero point with which they are nearest to what is expected; if nearly all are wrong, the range of `usual` decides,
// the tensor of the reference, in whatever order of axes (it may be null). 16-bit integers likewise, if they are signed;
// unsigned ones are the bits of bfloat16, because numpy has no such type.
//
// The precision is that of the type. Of floats it is `given` or, if that is empty, the lowest one that represents all of
// them; floats count as 8-bit numbers if they lie on a grid of at most 256 steps and the expected numbers do not.
//
// Integers whose scale is known (`scale`) need no fit; of other types it is not used.
//
// Refuses a tensor of another number of elements as invalid, and one of another kind of type as unsupported.
Result<DumpedNumbers> numbersOfDump(const Tensor &dumped, const Tensor &expected, const Tensor *usual,
                                    std::optional<DumpPrecision> given,
                                    const std::optional<TensorScale> &scale = {});

// A shape without its axes of size 1, which systems leave out or add.
Shape withoutOnes(const Shape &shape);

// The largest magnitude of the finite numbers of a float32 tensor.
double largestOf(const Tensor &numbers);

// Which differences from what is expected rounding explains, in the result of one layer. `values` is the number of values between the
// dumped tensors from which the number was computed and the number itself, each of which was rounded, too. Independent
// roundings add up like the root of their number.
class RoundingOfDump {
public:
  RoundingOfDump(const DumpedNumbers &dumped, double largestExpected, size_t values);
  // Whether `times` the usual rounding, or saturation, explains the difference. NaN equals NaN.
  bool explains(double expected, double dumped, double times = 1) const;
  // The largest explained difference of a number that is expected to be zero.
  double atZero() const { return absolute; }

private:
  double relative = 0, absolute = 0, low, high;
};

} // namespace tilerig::verify
