#include "verify/Evidence/WrongElements.h"

#include "verify/Metrics/Element.h"
#include "verify/Metrics/Walk.h"

#include <algorithm>
#include <cmath>

namespace tilerig::verify {

Fit fitOf(DType type, float scale, float reference, float target, float result) {
  const float error = std::fabs(target - reference);
  // An explanation is exact if the error that it leaves may be due to rounding. Because bfloat16 has few
  // bits, a sixteenth of the error may be left in this type.
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

namespace {

// Size of errors that different rounding in two systems may cause: a multiple of the median error, but at
// most half an 8-bit step of the largest number. For integers it is one step.
float noiseOf(const WrongElements &wrong) {
  constexpr float timesTypical = 64, stepsOfLargest = 254;
  if (wrong.type == DType::i8 || wrong.type == DType::u8)
    return 1;
  std::vector<float> errors;
  for (size_t i = 0; i < wrong.reference.size(); ++i)
    if (const float error = std::fabs(wrong.target[i] - wrong.reference[i]);
        error > 0 && std::isfinite(error))
      errors.push_back(error);
  if (errors.empty())
    return 0;
  const auto middle = errors.begin() + static_cast<ptrdiff_t>(errors.size() / 2);
  std::ranges::nth_element(errors, middle);
  return std::min(timesTypical * *middle, wrong.scale / stepsOfLargest);
}

// For each element of the tensor: whether it may be wrong, and whether it exceeds the limits of the
// comparison.
struct Marks {
  std::vector<bool> candidate, failed;
};

Status readSides(const TensorStream &reference, const TensorStream &target, const Comparison &comparison,
                 bool everyDifference, WrongElements &wrong, Marks &marks) {
  wrong.reference.reserve(comparison.elements);
  wrong.target.reserve(comparison.elements);
  return walkElements(
      reference, target, comparison, [&](size_t, double r, double t, const Judgement &judged) {
        wrong.reference.push_back(static_cast<float>(r));
        wrong.target.push_back(static_cast<float>(t));
        marks.failed.push_back(judged.subset == Subset::failed);
        marks.candidate.push_back(everyDifference ? !nonFiniteAgree(r, t) : marks.failed.back());
      });
}

void dropNoise(WrongElements &wrong, Marks &marks) {
  const float noise = noiseOf(wrong);
  for (size_t i = 0; i < marks.failed.size(); ++i)
    if (marks.failed[i] && std::fabs(wrong.target[i] - wrong.reference[i]) <= noise) {
      marks.candidate[i] = marks.failed[i] = false;
      ++wrong.noise;
    }
}

void keepElements(const Marks &marks, WrongElements &wrong) {
  wrong.count = static_cast<uint64_t>(std::ranges::count(marks.candidate, true));
  wrong.failed = static_cast<uint64_t>(std::ranges::count(marks.failed, true));
  const uint64_t each = std::max<uint64_t>((wrong.count + WrongElements::most - 1) / WrongElements::most, 1);
  uint64_t passed = 0;
  for (size_t i = 0; i < marks.candidate.size(); ++i)
    if (marks.candidate[i] && passed++ % each == 0)
      wrong.elements.push_back({i, wrong.reference[i], wrong.target[i], marks.failed[i]});
}

} // namespace

Result<WrongElements> findWrongElements(const TensorStream &reference, const TensorStream &target,
                                        const Comparison &comparison, bool everyDifference) {
  WrongElements wrong;
  wrong.type = target.dtype();
  wrong.shape = target.shape();
  wrong.scale = static_cast<float>(comparison.largestReference);
  wrong.isEightBit =
      comparison.limits.eightBit != EightBit::none || wrong.type == DType::i8 || wrong.type == DType::u8;
  Marks marks;
  TILERIG_CHECK_OK(readSides(reference, target, comparison, everyDifference, wrong, marks));
  if (!everyDifference)
    dropNoise(wrong, marks);
  keepElements(marks, wrong);
  return wrong;
}

} // namespace tilerig::verify
