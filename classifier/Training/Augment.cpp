#include "classifier/Training/Augment.h"

namespace tilerig::classifier {

using verify::Feature;

namespace {

// Probabilities of the changes that augmentation makes, chosen once and not tuned on the evaluation rows.
constexpr double lacksProgram = 0.12, lacksRun = 0.08, lacksChannel = 0.04, lacksSizes = 0.15,
                 lacksLayer = 0.1;
constexpr double blurOfSizes = 0.02;

float &at(verify::Features &features, Feature feature) { return features[static_cast<size_t>(feature)]; }

void forget(verify::Features &features, Feature first, Feature last) {
  for (auto i = static_cast<size_t>(first); i <= static_cast<size_t>(last); ++i)
    features[i] = 0;
}

void blur(verify::Features &features, Chance &chance) {
  for (auto i = static_cast<size_t>(Feature::sizeElements); i <= static_cast<size_t>(Feature::sizeWidth); ++i)
    features[i] += static_cast<float>(blurOfSizes * chance.bell());
}

verify::FeatureNeed drawNeed(Chance &chance) {
  const double share = chance.share();
  if (share < lacksProgram)
    return verify::FeatureNeed::tensors;
  return share < lacksProgram + lacksRun ? verify::FeatureNeed::program : verify::FeatureNeed::run;
}

} // namespace

Changes withoutMoreThan(verify::FeatureNeed has, const verify::Features &features) {
  Changes changes{{}, features};
  for (size_t i = 0; i < verify::numFeatures; ++i)
    if (needOf(static_cast<Feature>(i)) > has)
      changes.features[i] = 0;
  for (size_t i = 0; i < verify::numChannels; ++i)
    changes.missingChannels[i] = needOf(static_cast<verify::Channel>(i)) > has;
  return changes;
}

Changes augment(const verify::Features &features, Chance chance) {
  Changes changes = withoutMoreThan(drawNeed(chance), features);
  for (size_t i = 0; i < verify::numChannels; ++i)
    if (chance.happens(lacksChannel))
      changes.missingChannels.set(i);
  blur(changes.features, chance);
  if (chance.happens(lacksSizes))
    forget(changes.features, Feature::sizeElements, Feature::sizeWidth);
  if (chance.happens(lacksLayer)) {
    forget(changes.features, Feature::isConv, Feature::isOtherLayer);
    at(changes.features, Feature::layerKnown) = 0;
  }
  return changes;
}

} // namespace tilerig::classifier
