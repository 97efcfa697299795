#include "tests/unit/Classifier/ToyRows.h"

#include "classifier/Training/Chance.h"

#include <numeric>

namespace tilerig::test {

using namespace classifier;
using verify::Feature;

namespace {

constexpr BugClass classes[] = {BugClass::padding, BugClass::scaling, BugClass::noError};
constexpr const char *bugs[] = {"pad-amount", "scale-power", "none"};
constexpr const char *families[] = {"toy", "other", "third"};

// Fills the cells with noise and paints a bright square of 16 by 16 cells whose position depends on `place`.
void paint(std::span<uint8_t> cells, size_t place, Chance &chance) {
  for (size_t i = 0; i < cells.size(); ++i)
    cells[i] = static_cast<uint8_t>(chance.bits() % 40);
  for (size_t row = 0; row < 16; ++row)
    for (size_t column = 0; column < 16; ++column)
      cells[(row + 8) * verify::evidenceSide + column + 16 * place] = 220;
}

} // namespace

std::vector<verify::Sample> toySamples(size_t count, uint64_t seed) {
  constexpr auto side = static_cast<int64_t>(verify::evidenceSide);
  std::vector<verify::Sample> samples;
  for (size_t i = 0; i < count; ++i) {
    Chance chance = Chance(seed).of(i);
    verify::Sample &sample = samples.emplace_back();
    sample.evidence.channels = Tensor(DType::u8, {static_cast<int64_t>(verify::numChannels), side, side});
    sample.evidence.picture = Tensor(DType::u8, {static_cast<int64_t>(verify::picturePlanes), side, side});
    paint(sample.evidence.channels.mutableAs<uint8_t>(), i % 3, chance);
    paint(sample.evidence.picture.mutableAs<uint8_t>(), i % 3, chance);
    sample.evidence.features[static_cast<size_t>(Feature::different)] =
        0.5f + 0.1f * static_cast<float>(i % 3);
    sample.evidence.features[static_cast<size_t>(Feature::byGain)] = static_cast<float>(i % 3 == 1);
    // rows with a bug were compared with an oracle (a reference that is exact in every bit), rows without an
    // error were not
    sample.evidence.features[static_cast<size_t>(Feature::oracleKnown)] = static_cast<float>(i % 3 != 2);
    sample.origin.bugClass = classes[i % 3];
    sample.origin.bug = bugs[i % 3];
    sample.origin.family = families[i / 10 % 3];
    sample.origin.precision = "fp32";
    sample.origin.machine = "tr64";
    sample.origin.against = "truth";
    sample.origin.tiles = 4;
    sample.origin.unit = i / 10;
  }
  return samples;
}

Rows toyRows(size_t count, uint64_t seed) {
  Rows rows;
  for (verify::Sample &sample : toySamples(count, seed))
    rows.add(sample.evidence, sample.origin);
  return rows;
}

Indices allOf(const Rows &rows) {
  Indices all(rows.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

} // namespace tilerig::test
