#include "verify/Evidence/WrongElements.h"

#include "verify/Metrics/Element.h"
#include "verify/Metrics/Walk.h"

#include <algorithm>
#include <cmath>

namespace tilerig::verify {

Fit fitOf(DType type, float scale, float reference, float target, float result) {
  const float error = std::fabs(target - reference);
  // An error of 3 % is rounded by up to a sixteenth of itself in 16 bits.
  float near = error / 4, exact = error / (type == DType::bf16 ? 16 : 64);
  if (type == DType::f32)
    exact = std::min(exact, scale * 0x1p-17F);
  if (type == DType::i8 || type == DType::u8) {
    result = type == DType::i8 ? std::clamp(result, -128.0F, 127.0F) : std::clamp(result, 0.0F, 255.0F);
    near = std::min(error / 2, std::max(near, 0.75F));
    exact = error > 2 ? 0.75F : 0;
  }
  const float left = std::fabs(result - target);
  return left <= exact ? Fit::exact : left <= near ? Fit::near : Fit::none;
}

Result<WrongElements> findWrongElements(const TensorStream &reference, const TensorStream &target,
                                        const Comparison &comparison, bool everyDifference) {
  WrongElements wrong;
  wrong.type = target.dtype();
  wrong.shape = target.shape();
  wrong.scale = static_cast<float>(comparison.largestReference);
  wrong.isEightBit =
      comparison.limits.eightBit != EightBit::none || wrong.type == DType::i8 || wrong.type == DType::u8;
  wrong.reference.reserve(comparison.elements);
  wrong.target.reserve(comparison.elements);
  const uint64_t expected = everyDifference ? comparison.different : comparison.subsets.failed;
  const uint64_t each = std::max<uint64_t>((expected + WrongElements::most - 1) / WrongElements::most, 1);
  CHECK_OK(walkElements(
      reference, target, comparison, [&](size_t index, double r, double t, const Judgement &judged) {
        wrong.reference.push_back(static_cast<float>(r));
        wrong.target.push_back(static_cast<float>(t));
        const bool failed = judged.subset == Subset::failed;
        if (everyDifference ? nonFiniteAgree(r, t) : !failed)
          return;
        if (wrong.count++ % each == 0)
          wrong.elements.push_back({index, static_cast<float>(r), static_cast<float>(t), failed});
        wrong.failed += failed;
      }));
  return wrong;
}

} // namespace tilerig::verify
