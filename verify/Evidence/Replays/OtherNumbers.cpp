#include "verify/Evidence/Replays/Families.h"

#include <cmath>

namespace tilerig::verify {

namespace {

// Number of powers of two that are tried as factors: exponents from -6 to 6 without 0.
constexpr size_t powers = 12;
float powerOf(size_t member) {
  const int exponent = static_cast<int>(member / 2) + 1;
  return std::ldexp(1.0F, member % 2 ? exponent : -exponent);
}

// An 8-bit number as it would be if it were read as signed instead of unsigned, or vice versa. Its zero point
// may be misread in the same way (`misreadsZero`).
float misread(float number, const StoredSteps &steps, size_t output, bool misreadsZero) {
  const auto other = [&](float stored) {
    return steps.isSigned ? (stored < 0 ? stored + 256 : stored) : stored >= 128 ? stored - 256 : stored;
  };
  const float step = steps.of(output), stored = std::round(number / step + steps.zero);
  return step * (other(stored) - (misreadsZero ? other(steps.zero) : steps.zero));
}

// For each wrong element, the sum of all its weights, and the sum of those weights whose inputs lie inside
// the image.
std::pair<std::vector<float>, std::vector<float>> weightSums(const ReplayedElements &wrong) {
  std::vector<float> all(wrong.size()), ofInside(wrong.size());
  for (size_t i = 0; i < wrong.size(); ++i)
    for (size_t at = 0; at < wrong.product.depth(); ++at) {
      const float weight = wrong.weightsOf(wrong.outputOf(i))[at];
      all[i] += weight;
      ofInside[i] += wrong.isInside(i, at) ? weight : 0;
    }
  return {std::move(all), std::move(ofInside)};
}

} // namespace

void changeBias(Replayer &replayer) {
  const ReplayedElements &wrong = replayer.wrong();
  if (wrong.product.bias.empty())
    return;
  const auto with = [&](size_t i, float bias) {
    return wrong.sumOf(i) - wrong.biasOf(wrong.outputOf(i)) + bias;
  };
  replayer.tryAll(Feature::replayNoBias, 1, [&](size_t i, size_t) { return with(i, 0); });
  replayer.tryAll(Feature::replayScaledBias, powers, [&](size_t i, size_t member) {
    return with(i, wrong.biasOf(wrong.outputOf(i)) * powerOf(member));
  });
  const size_t outputs = wrong.product.outputs();
  replayer.tryAll(Feature::replayOtherBias, outputs, [&](size_t i, size_t member) {
    return with(i, wrong.biasOf(member == 0 ? 0 : (wrong.outputOf(i) + member) % outputs));
  });
}

void changeScale(Replayer &replayer) {
  const ReplayedElements &wrong = replayer.wrong();
  const Product &product = wrong.product;
  replayer.tryAll(Feature::replayPowerOfScale, powers,
                  [&](size_t i, size_t member) { return wrong.sumOf(i) * powerOf(member); });
  if (!product.weightSteps || product.weightSteps->steps.size() < 2)
    return;
  const size_t outputs = product.outputs();
  replayer.tryAll(Feature::replayOtherScale, outputs, [&](size_t i, size_t member) {
    const size_t output = wrong.outputOf(i);
    return wrong.sumOf(i) * wrong.stepRatio(member == 0 ? 0 : (output + member) % outputs, output);
  });
}

void changeTypes(Replayer &replayer) {
  const ReplayedElements &wrong = replayer.wrong();
  const Product &product = wrong.product;
  std::vector<float> row(product.depth());
  if (product.inputSteps)
    replayer.tryAll(Feature::replayInputType, 4, [&](size_t i, size_t member) {
      const bool misreadsZero = member % 2 == 0, misreadsPadding = member >= 2;
      for (size_t at = 0; at < row.size(); ++at)
        row[at] = misreadsPadding || wrong.isInside(i, at)
                      ? misread(wrong.window(i)[at], *product.inputSteps, 0, misreadsZero)
                      : 0;
      return dot(row.data(), wrong.weightsOf(wrong.outputOf(i)), row.size()) +
             wrong.biasOf(wrong.outputOf(i));
    });
  if (product.weightSteps)
    replayer.tryAll(Feature::replayWeightType, 1, [&](size_t i, size_t) {
      const size_t output = wrong.outputOf(i);
      for (size_t at = 0; at < row.size(); ++at)
        row[at] = misread(wrong.weightsOf(output)[at], *product.weightSteps, output, true);
      return wrong.sumWith(i, row.data());
    });
}

void changeZeros(Replayer &replayer) {
  constexpr size_t mostPadding = 100;
  const ReplayedElements &wrong = replayer.wrong();
  const Product &product = wrong.product;
  const auto [all, ofInside] = weightSums(wrong);
  const float step = product.inputSteps ? product.inputSteps->of(0) : 1;
  if (product.inputSteps) {
    replayer.tryAll(Feature::replayInputZero, 2 * farthest, [&](size_t i, size_t member) {
      return wrong.sumOf(i) - static_cast<float>(moveOf(member)) * step * all[i];
    });
    replayer.tryAll(Feature::replayInputZero, 2 * farthest, [&](size_t i, size_t member) {
      return wrong.sumOf(i) - static_cast<float>(moveOf(member)) * step * ofInside[i];
    });
  }
  replayer.tryAll(Feature::replayPaddingValue, 2 * mostPadding, [&](size_t i, size_t member) {
    return wrong.sumOf(i) + static_cast<float>(moveOf(member)) * step * (all[i] - ofInside[i]);
  });
}

} // namespace tilerig::verify
