#include "verify/Evidence/ErrorMap.h"

#include "verify/Evidence/Place.h"
#include "verify/Metrics/Walk.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

class MapMaker {
public:
  MapMaker(const Place &place, const Comparison &comparison)
      : place(place),
        largest(comparison.largestReference > 0 ? comparison.largestReference : comparison.largestTarget) {
    map.height = place.height(), map.width = place.width(), map.channels = place.channels();
    map.rows = std::min(map.height, mostMapCells), map.columns = std::min(map.width, mostMapCells);
    map.bars = std::min(map.channels, mostBars);
    map.levels.resize(map.rows * map.columns);
    map.barLevels.resize(map.bars);
    map.failed.resize(map.bars);
    map.meanError.resize(map.bars);
    finite.resize(map.bars);
  }

  void add(size_t index, double reference, double target, const Judgement &judged) {
    const Place::Of at = place.of(index);
    const size_t bar = at.channel * map.bars / map.channels;
    map.failed[bar] += judged.subset == Subset::failed;
    const double error = target - reference;
    Level level = nonFiniteAgree(reference, target) ? 0 : notFiniteLevel;
    if (std::isfinite(reference) && std::isfinite(target)) {
      level = levelOf(std::fabs(error), largest);
      map.meanError[bar] += largest > 0 ? error / largest : 0;
      ++finite[bar];
    }
    const size_t cell = at.row * map.rows / map.height * map.columns + at.column * map.columns / map.width;
    map.levels[cell] = std::max(map.levels[cell], level);
    map.barLevels[bar] = std::max(map.barLevels[bar], level);
  }

  ErrorMap finish() {
    for (size_t bar = 0; bar < map.bars; ++bar)
      map.meanError[bar] /= static_cast<double>(std::max<uint64_t>(finite[bar], 1));
    return std::move(map);
  }

private:
  const Place &place;
  double largest;
  ErrorMap map;
  std::vector<uint64_t> finite;
};

} // namespace

Level levelOf(double error, double largestReference) {
  if (error == 0)
    return 0;
  int exponent = 0; // exponent of the least power of two above the quotient of error and largest reference
  std::frexp(error / largestReference, &exponent);
  return static_cast<Level>(std::clamp<int>(levelOfLargest + exponent, 1, highestLevel));
}

Result<ErrorMap> makeErrorMap(const TensorStream &reference, const TensorStream &target,
                              const Comparison &comparison) {
  const Place place(target.shape(), comparison.elements, {});
  MapMaker maker(place, comparison);
  TILERIG_CHECK_OK(walkElements(
      reference, target, comparison,
      [&](size_t index, double r, double t, const Judgement &judged) { maker.add(index, r, t, judged); }));
  return maker.finish();
}

std::string asLetters(const std::vector<Level> &levels) {
  constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string text;
  for (Level level : levels)
    text += letters[level];
  return text;
}

} // namespace tilerig::verify
