#include "classifier/Training/Mixtures.h"

namespace tilerig::classifier {

Mixture drawMixture(const Rows &rows, std::span<const size_t> training, Chance chance) {
  constexpr size_t tries = 16; // maximum number of attempts to find two rows of different classes
  auto drawRow = [&] { return training[chance.bits() % training.size()]; };
  Mixture mixture{drawRow(), drawRow(), {}};
  for (size_t i = 0; i < tries && rows.bugClass(mixture.first) == rows.bugClass(mixture.second); ++i)
    mixture.second = drawRow();
  const Chance lack = chance.of(0);
  mixture.changes = augment(rows.features(mixture.first), lack);
  const verify::Features others = augment(rows.features(mixture.second), lack).features;
  const double share = chance.share();
  for (size_t i = 0; i < verify::numFeatures; ++i)
    if (chance.happens(share))
      mixture.changes.features[i] = others[i];
  for (size_t i = 0; i < verify::numChannels; ++i)
    mixture.ofSecond[i] = chance.happens(share);
  return mixture;
}

} // namespace tilerig::classifier
