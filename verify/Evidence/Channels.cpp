#include "verify/Evidence/Channels.h"

#include "verify/Evidence/Densities.h"
#include "verify/Evidence/Lags.h"
#include "verify/Evidence/Maps.h"
#include "verify/Evidence/MeasureFeatures.h"
#include "verify/Evidence/Numbers.h"
#include "verify/Metrics/Walk.h"

namespace tilerig::verify {

namespace {

constexpr size_t side = evidenceSide;
// Rows of a histogram in which equal elements, and elements with an undefined relative error, are counted.
constexpr size_t equalLine = 31, undefinedLine = 63;
constexpr size_t linesPerSign = 31;
constexpr size_t nonFiniteColumn = 63;

size_t signedLine(size_t magnitude, bool negative) {
  return negative ? equalLine - 1 - magnitude : equalLine + 1 + magnitude;
}

// The column, of the 64 columns of an evidence channel, in which a number from -1 to 1 is counted.
size_t spread(double share) {
  const double cell = (share + 1) / 2 * side;
  return cell < side ? static_cast<size_t>(std::max(cell, 0.0)) : side - 1;
}
size_t spread(size_t index, size_t count) { return index * side / count; }

// Histogram of numbers from -1 to 1, with bins so narrow that it serves to sort them.
class Values {
public:
  void add(double share) {
    const double bin = (share + 1) / 2 * bins;
    ++counts[bin < bins ? static_cast<size_t>(std::max(bin, 0.0)) : bins - 1];
  }
  // Counts pairs of a reference and a target in a histogram. Both lists are sorted, so the smallest reference
  // is paired with the smallest target, and so on.
  static void pair(Values reference, Values target, Sheet &sheet) {
    size_t r = 0, t = 0;
    while (r < bins && t < bins) {
      const uint64_t both = std::min(reference.counts[r], target.counts[t]);
      if (both)
        sheet.add(t * side / bins, r * side / bins, both);
      reference.counts[r] -= both, target.counts[t] -= both;
      r += reference.counts[r] == 0;
      t += r < bins && target.counts[t] == 0;
    }
  }

private:
  static constexpr size_t bins = 64 * side;
  std::vector<uint64_t> counts = std::vector<uint64_t>(bins);
};

// The tensor's values in other runs: in the isolated run, in which the layer has right inputs, and in runs
// with other latencies.
struct Others {
  std::vector<double> isolated;
  std::vector<std::vector<double>> runs;

  explicit Others(const Circumstances &circumstances) {
    if (circumstances.isolated)
      isolated = numbersOf(*circumstances.isolated);
    if (circumstances.otherRuns)
      for (const Tensor &run : *circumstances.otherRuns)
        runs.push_back(numbersOf(run));
  }
  bool vary(size_t index, double target) const {
    return std::ranges::any_of(
        runs, [&](const std::vector<double> &run) { return !nonFiniteAgree(run[index], target); });
  }
};

class Maker {
public:
  Maker(const TensorStream &target, const Comparison &comparison, const Circumstances &circumstances)
      : comparison(comparison), rule(ruleOf(comparison)),
        place(target.shape(), comparison.elements, circumstances.seams.value_or(Seams())), walk(place),
        others(circumstances), largest(std::max(comparison.largestReference, comparison.largestTarget)),
        sheets(static_cast<size_t>(Channel::sortedBySorted) + 1),
        fractionBits(fractionBitsOf(target.dtype())), maps(place, comparison), stretch(comparison) {}

  void add(size_t index, double r, double t, const Judgement &judged) {
    const Place::Of at = walk.next();
    const size_t row = evidenceRow(judged.relative);
    addPlaces(at, index, row);
    addOthers(index, r, t, row, at);
    stretch.add(index, r, t);
    if (!std::isfinite(r) || !std::isfinite(t)) {
      sheet(Channel::relativeByOom).add(row, nonFiniteColumn);
      sheet(Channel::gainByOom).add(row, nonFiniteColumn);
      return;
    }
    const auto column = static_cast<size_t>(columnOf(judged.oom, r == 0 && t == 0));
    sheet(Channel::relativeByOom).add(row, column);
    sheet(Channel::gainByOom).add(evidenceRow(r < 0 ? -judged.relative : judged.relative), column);
    addValues(index, r, t);
  }

  FloatEvidence finished(DType type, const Shape &shape, const Circumstances &circumstances) {
    Values::pair(references, targets, sheet(Channel::sortedBySorted));
    Tensor channels(DType::f32, {numChannels, side, side});
    const std::span<float> all = channels.mutableAs<float>();
    auto of = [&](Channel channel) {
      return all.subspan(static_cast<size_t>(channel) * evidenceCells, evidenceCells);
    };
    for (size_t channel = 0; channel < sheets.size(); ++channel)
      sheets[channel].write(comparison.elements, of(static_cast<Channel>(channel)));
    maps.writeDifferingByImage(of(Channel::differingByImage));
    maps.writeErrorByImage(of(Channel::errorByImage));
    maps.writeDifferingByChannel(of(Channel::differingByChannel));
    maps.writeErrorByChannel(of(Channel::errorByChannel));
    maps.writeDifferingByLanes(of(Channel::differingByLanes));
    maps.writeVaryingByImage(of(Channel::varyingByImage));
    isolatedSheet.write(comparison.elements, of(Channel::isolatedByAccumulated));
    const Lags lags = findLags(stretch, place);
    drawLags(lags, of(Channel::lags));
    return {std::move(channels),
            measureFeatures({comparison, rule, type, shape, place, stretch, lags, isolatedDifferent, varying},
                            circumstances)};
  }

private:
  Sheet &sheet(Channel channel) { return sheets[static_cast<size_t>(channel)]; }

  void addPlaces(const Place::Of &at, size_t index, size_t row) {
    sheet(Channel::relativeByBorder).add(row, std::min(at.border, side - 1));
    if (at.seam)
      sheet(Channel::relativeBySeam).add(row, std::min(*at.seam, side - 1));
    sheet(Channel::relativeByChannel).add(row, spread(at.channel, place.channels()));
    sheet(Channel::relativeByLane).add(row, at.channel % side);
    sheet(Channel::relativeByPosition).add(row, spread(index, comparison.elements));
  }

  void addOthers(size_t index, double r, double t, size_t row, const Place::Of &at) {
    if (!others.isolated.empty()) {
      const double alone = others.isolated[index];
      isolatedSheet.add(evidenceRow(judge(r, alone, alone - r, rule).relative), row);
      isolatedDifferent += !nonFiniteAgree(r, alone);
    }
    const bool varies = !others.runs.empty() && others.vary(index, t);
    varying += varies;
    maps.add(at, r, t, varies);
  }

  void addValues(size_t index, double r, double t) {
    const double share = largest > 0 ? r / largest : 0, came = largest > 0 ? t / largest : 0;
    references.add(share);
    targets.add(came);
    sheet(Channel::stepsByValue).add(stepsLine(r, t), spread(share));
    sheet(Channel::targetByReference).add(spread(came), spread(share));
    if (r == 0)
      sheet(Channel::zeroReference).add(spread(came), spread(index, comparison.elements));
  }

  // Row of the evidence channel `stepsByValue` in which an error is counted. In 8-bit types, the row is given
  // by the number of steps. In other types, the error is divided by a unit in the last place of the
  // reference, and the row is given by the bit width of the quotient.
  size_t stepsLine(double r, double t) const {
    const double difference = t - r;
    if (difference == 0)
      return equalLine;
    double steps = bitOff(difference, rule);
    if (!rule.eightBit) {
      int exponent = 0;
      std::frexp(std::max(std::fabs(r), std::fabs(t)), &exponent);
      const double units = std::ldexp(std::fabs(difference), fractionBits + 1 - exponent);
      std::frexp(units, &exponent);
      steps = std::max(exponent, 0);
    }
    return signedLine(std::min(steps < linesPerSign ? static_cast<size_t>(steps) : side, linesPerSign - 1),
                      difference < 0);
  }

  // Number of fraction bits of a float type; 0 for integers, whose unit in the last place is 1.
  static int fractionBitsOf(DType type) {
    switch (partType(type)) {
    case DType::f16:
      return 10;
    case DType::bf16:
      return 7;
    case DType::f32:
      return 23;
    default:
      return 52;
    }
  }

  const Comparison &comparison;
  const Rule rule;
  const Place place;
  PlaceWalk walk;
  const Others others;
  const double largest;
  // For each channel that is a 2-D histogram of the tensor's elements: the counts in its bins.
  std::vector<Sheet> sheets;
  Sheet isolatedSheet;
  Values references, targets;
  const int fractionBits;
  Maps maps;
  Stretch stretch;
  uint64_t isolatedDifferent = 0, varying = 0;
};

Status checkParts(const Shape &shape, const Circumstances &circumstances) {
  for (const TilePart &part : circumstances.parts.value_or(std::vector<TilePart>())) {
    bool fits = part.begin.size() == shape.size() && part.extent.size() == shape.size();
    for (size_t axis = 0; fits && axis < shape.size(); ++axis)
      fits = part.begin[axis] >= 0 && part.extent[axis] >= 0 && part.extent[axis] <= shape[axis] &&
             part.begin[axis] <= shape[axis] - part.extent[axis];
    if (!fits)
      return internalError("evidence", "the part that a tile holds does not lie within the tensor");
  }
  return success();
}

Status checkOthers(const TensorStream &target, const Circumstances &circumstances) {
  auto check = [&](const Tensor &other) {
    return other.shape() == target.shape()
               ? success()
               : Status(internalError("evidence", "the tensor of another run has a different shape: " +
                                                      showShape(other.shape())));
  };
  TILERIG_CHECK_OK(checkParts(target.shape(), circumstances));
  if (circumstances.isolated)
    TILERIG_CHECK_OK(check(*circumstances.isolated));
  if (circumstances.otherRuns)
    for (const Tensor &run : *circumstances.otherRuns)
      TILERIG_CHECK_OK(check(run));
  return success();
}

constexpr EvidenceRow channelRows[] = {
#define CHANNEL(name, file, need, words) {file, FeatureNeed::need, words},
#include "verify/Evidence/Channels.def"
};

const EvidenceRow &rowOf(Channel channel) { return channelRows[static_cast<size_t>(channel)]; }

} // namespace

std::string_view nameOf(Channel channel) { return rowOf(channel).name; }
FeatureNeed needOf(Channel channel) { return rowOf(channel).need; }
std::string_view wordsOf(Channel channel) { return rowOf(channel).words; }

size_t evidenceRow(double relative) {
  const int32_t row = rowOf(relative);
  if (row == equalRow || row == undefinedRow)
    return row == equalRow ? equalLine : undefinedLine;
  return signedLine(static_cast<size_t>(binOfRow(row)) * linesPerSign / relativeBins, relative < 0);
}

Result<FloatEvidence> makeEvidence(const TensorStream &reference, const TensorStream &target,
                                   const Comparison &comparison, const Circumstances &circumstances) {
  TILERIG_CHECK_OK(checkOthers(target, circumstances));
  Maker maker(target, comparison, circumstances);
  TILERIG_CHECK_OK(walkElements(
      reference, target, comparison,
      [&](size_t index, double r, double t, const Judgement &judged) { maker.add(index, r, t, judged); }));
  return maker.finished(target.dtype(), target.shape(), circumstances);
}

TensorMap evidenceFile(FloatEvidence evidence, const Comparison &comparison) {
  TensorMap file;
  const Limits &limits = comparison.limits;
  auto add = [&](const char *name, Tensor tensor) { (void)file.add(name, std::move(tensor)); };
  add("channels", std::move(evidence.channels));
  Tensor features(DType::f32, {numFeatures});
  std::ranges::copy(evidence.features, features.mutableAs<float>().begin());
  add("features", std::move(features));
  add("version", Tensor::scalar<int64_t>(evidenceVersion));
  add("limits", Tensor::of<double>({3}, {limits.oom, limits.relativePercent, limits.bitOff}));
  add("elements", Tensor::scalar<uint64_t>(comparison.elements));
  return file;
}

} // namespace tilerig::verify
