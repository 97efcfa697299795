// Least-squares calibration: searches for the range whose quantisation has the least squared error. Each end
// of the range has 128 candidates, which are geometrically denser towards zero, and all pairs of a low and a
// high end are tried. The error of a pair is computed for the 256 levels of the quantised type, with the
// rounded zero point. Each value counts as the middle of its histogram bin, and exact zeros have no error.
//
// For a bin with count c and middle x, prefix sums of c, c x and c x^2 over the bins are kept. With these the
// error of one level takes a few operations, however many bins it covers, so a pair takes 256 steps.
#include "compiler/Planning/Quantisation/ActivationParameters.h"
#include "compiler/Planning/Quantisation/RangeSearch.h"

#include <cmath>
#include <limits>
#include <vector>

namespace tilerig::compiler {

static constexpr int placesPerOctave = 16, octaves = 8, highestLevel = 255;

namespace {

// Prefix sums of the moments of the histogram (c, c x and c x^2 for count c and middle x of a bin). Bins are
// numbered from the low end. The unit of x and of all positions is the width of a bin.
class Moments {
public:
  explicit Moments(const TensorStatistics &statistics) {
    for (int bin = -Histogram::binsPerSide; bin < Histogram::binsPerSide; ++bin) {
      const uint64_t count = statistics.histogram().count(bin) - (bin == 0 ? statistics.zeros() : 0);
      const double c = static_cast<double>(count), x = bin + 0.5;
      sums.push_back({sums.back().count + c, sums.back().first + c * x, sums.back().second + c * x * x});
    }
  }

  // How many histogram bins have a middle below `position`.
  static size_t binsBelow(double position) {
    constexpr double side = Histogram::binsPerSide;
    return static_cast<size_t>(std::clamp(std::ceil(position - 0.5) + side, 0.0, 2 * side));
  }
  // Squared error of representing the values in the histogram bins [begin, end) by the number `level`.
  double error(size_t begin, size_t end, double level) const {
    const Sum &from = sums[begin], &to = sums[end];
    return (to.second - from.second) - 2 * level * (to.first - from.first) +
           level * level * (to.count - from.count);
  }

private:
  struct Sum {
    double count = 0, first = 0, second = 0;
  };
  std::vector<Sum> sums = {{}};
};

} // namespace

static double squaredError(const Moments &moments, double width, ValueRange range) {
  const QuantisationParameters parameters = asymmetricParameters(range, QuantisedType::uint8);
  const double step = parameters.scale / width;
  double error = 0;
  size_t begin = 0;
  for (int q = 0; q <= highestLevel; ++q) {
    const double level = (q - parameters.zeroPoint) * step;
    const size_t end =
        q == highestLevel ? 2 * size_t{Histogram::binsPerSide} : Moments::binsBelow(level + step / 2);
    error += moments.error(begin, end, level);
    begin = end;
  }
  return error;
}

// Candidates for one end of the range. `whole` is that end if nothing is clipped. The candidates are `whole`
// times 32/32, 31/32, ... 17/32, then the same for half of `whole`, and so on. All are exact floats.
static std::vector<float> placesOf(float whole) {
  if (whole == 0)
    return {0};
  std::vector<float> places;
  for (int octave = 0; octave < octaves; ++octave)
    for (int place = 0; place < placesPerOctave; ++place)
      places.push_back(
          static_cast<float>(std::ldexp(whole * (1 - place / (2.0 * placesPerOctave)), -octave)));
  return places;
}

ValueRange leastSquaresRange(const TensorStatistics &statistics) {
  const ValueRange all = minMaxRange(statistics);
  const Moments moments(statistics);
  const std::vector<float> highs = placesOf(all.high);
  ValueRange best = all;
  double least = std::numeric_limits<double>::infinity();
  for (const float low : placesOf(all.low))
    for (const float high : highs)
      if (const double error = squaredError(moments, statistics.histogram().width(), {low, high});
          error < least) {
        least = error;
        best = {low, high};
      }
  return best;
}

} // namespace tilerig::compiler
