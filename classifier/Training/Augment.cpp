#include "classifier/Training/Augment.h"

namespace tilerig::classifier {

using verify::Fact;

namespace {

// Probabilities of each change, chosen once and not tuned on the evaluation rows.
constexpr double lacksProgram = 0.12, lacksRun = 0.08, lacksChannel = 0.04, lacksSizes = 0.15,
                 lacksLayer = 0.1;
constexpr double blurOfSizes = 0.02;

float &at(verify::Facts &facts, Fact fact) { return facts[static_cast<size_t>(fact)]; }

void forget(verify::Facts &facts, Fact first, Fact last) {
  for (auto i = static_cast<size_t>(first); i <= static_cast<size_t>(last); ++i)
    facts[i] = 0;
}

void blur(verify::Facts &facts, Chance &chance) {
  for (auto i = static_cast<size_t>(Fact::sizeElements); i <= static_cast<size_t>(Fact::sizeWidth); ++i)
    facts[i] += static_cast<float>(blurOfSizes * chance.bell());
}

verify::FactNeed drawNeed(Chance &chance) {
  const double share = chance.share();
  if (share < lacksProgram)
    return verify::FactNeed::tensors;
  return share < lacksProgram + lacksRun ? verify::FactNeed::program : verify::FactNeed::run;
}

} // namespace

Changes withoutMoreThan(verify::FactNeed has, const verify::Facts &facts) {
  Changes changes{{}, facts};
  for (size_t i = 0; i < verify::numFacts; ++i)
    if (needOf(static_cast<Fact>(i)) > has)
      changes.facts[i] = 0;
  for (size_t i = 0; i < verify::numChannels; ++i)
    changes.missingChannels[i] = needOf(static_cast<verify::Channel>(i)) > has;
  return changes;
}

Changes augment(const verify::Facts &facts, Chance chance) {
  Changes changes = withoutMoreThan(drawNeed(chance), facts);
  for (size_t i = 0; i < verify::numChannels; ++i)
    if (chance.happens(lacksChannel))
      changes.missingChannels.set(i);
  blur(changes.facts, chance);
  if (chance.happens(lacksSizes))
    forget(changes.facts, Fact::sizeElements, Fact::sizeWidth);
  if (chance.happens(lacksLayer)) {
    forget(changes.facts, Fact::isConv, Fact::isOtherLayer);
    at(changes.facts, Fact::layerKnown) = 0;
  }
  return changes;
}

} // namespace tilerig::classifier
