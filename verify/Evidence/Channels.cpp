#include "verify/Evidence/Channels.h"

#include "verify/Evidence/Place.h"
#include "verify/Metrics/Walk.h"

#include <bit>

namespace tilerig::verify {

namespace {

constexpr size_t side = evidenceSide;
constexpr size_t equalLine = 31, undefinedLine = 63; // rows of a channel; 31 of them on either side of equal
constexpr size_t linesPerSign = 31;
constexpr size_t nonFiniteColumn = 63;

size_t signedLine(size_t magnitude, bool negative) {
  return negative ? equalLine - 1 - magnitude : equalLine + 1 + magnitude;
}

// From -1 to 1 over the width.
size_t spread(double share) {
  const double cell = (share + 1) / 2 * side;
  return cell < side ? static_cast<size_t>(std::max(cell, 0.0)) : side - 1;
}
size_t spread(size_t index, size_t count) { return index * side / count; }

// log2 of a whole number above 0 by a series, whose bits do not depend on a library.
double log2Of(uint64_t number) {
  const int exponent = std::bit_width(number) - 1;
  const double fraction = std::ldexp(static_cast<double>(number), -exponent); // from 1 to 2
  const double s = (fraction - 1) / (fraction + 1), squared = s * s;
  double sum = 0;
  for (int k = 41; k > 0; k -= 2)
    sum = sum * squared + 1.0 / k;
  constexpr double inverseOfHalfLn2 = 2.8853900817779268; // 2 / ln 2
  return exponent + inverseOfHalfLn2 * s * sum;
}

// Counts of one channel.
struct Sheet {
  std::vector<uint64_t> cells = std::vector<uint64_t>(side * side);
  void add(size_t row, size_t column, uint64_t count = 1) { cells[row * side + column] += count; }
};

// How often a value comes, finely enough to sort by.
class Values {
public:
  void add(double share) {
    const double bin = (share + 1) / 2 * bins;
    ++counts[bin < bins ? static_cast<size_t>(std::max(bin, 0.0)) : bins - 1];
  }
  // Pairs the smallest of one with the smallest of the other, and so on.
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

class Maker {
public:
  Maker(const TensorStream &target, const Comparison &comparison, const Seams &seams)
      : comparison(comparison), rule(ruleOf(comparison)), place(target.shape(), comparison.elements, seams),
        largest(std::max(comparison.largestReference, comparison.largestTarget)), sheets(numChannels),
        fractionBits(fractionBitsOf(target.dtype())) {}

  void add(size_t index, double r, double t, const Judgement &judged) {
    const bool finite = std::isfinite(r) && std::isfinite(t);
    const size_t row = evidenceRow(judged.relative);
    addPlaces(index, row);
    if (!finite) {
      sheet(Channel::relativeByOom).add(row, nonFiniteColumn);
      sheet(Channel::gainByOom).add(row, nonFiniteColumn);
      return;
    }
    const auto column = static_cast<size_t>(columnOf(judged.oom, r == 0 && t == 0));
    sheet(Channel::relativeByOom).add(row, column);
    sheet(Channel::gainByOom).add(evidenceRow(r < 0 ? -judged.relative : judged.relative), column);
    addValues(index, r, t);
  }

  Tensor finished() {
    Values::pair(references, targets, sheet(Channel::sortedBySorted));
    Tensor channels(DType::f32, {numChannels, side, side});
    float *out = channels.mutableAs<float>().data();
    const double scale = log2Of(comparison.elements + 1);
    for (const Sheet &counts : sheets)
      for (uint64_t count : counts.cells)
        *out++ = static_cast<float>(log2Of(count + 1) / scale);
    return channels;
  }

private:
  Sheet &sheet(Channel channel) { return sheets[static_cast<size_t>(channel)]; }

  void addPlaces(size_t index, size_t row) {
    const Place::Of at = place.of(index);
    sheet(Channel::relativeByBorder).add(row, std::min(at.border, side - 1));
    if (at.seam)
      sheet(Channel::relativeBySeam).add(row, std::min(*at.seam, side - 1));
    sheet(Channel::relativeByChannel).add(row, spread(at.channel, place.channels()));
    sheet(Channel::relativeByLane).add(row, at.channel % side);
    sheet(Channel::relativeByPosition).add(row, spread(index, comparison.elements));
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

  // Rows by the number of 8-bit steps, or by the bits of the number of units of the last place of the
  // reference.
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

  // Whole numbers have none, and their last place is 1.
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
  const double largest;
  std::vector<Sheet> sheets;
  Values references, targets;
  const int fractionBits;
};

} // namespace

std::string_view nameOf(Channel channel) {
  constexpr std::string_view names[numChannels] = {
      "relative_by_oom",  "gain_by_oom",          "steps_by_value",   "target_by_reference",
      "zero_reference",   "relative_by_border",   "relative_by_seam", "relative_by_channel",
      "relative_by_lane", "relative_by_position", "sorted_by_sorted"};
  return names[static_cast<size_t>(channel)];
}

size_t evidenceRow(double relative) {
  const int32_t row = rowOf(relative);
  if (row == equalRow || row == undefinedRow)
    return row == equalRow ? equalLine : undefinedLine;
  return signedLine(static_cast<size_t>(binOfRow(row)) * linesPerSign / relativeBins, relative < 0);
}

Result<Tensor> makeChannels(const TensorStream &reference, const TensorStream &target,
                            const Comparison &comparison, const Seams &seams) {
  Maker maker(target, comparison, seams);
  CHECK_OK(walkElements(
      reference, target, comparison,
      [&](size_t index, double r, double t, const Judgement &judged) { maker.add(index, r, t, judged); }));
  return maker.finished();
}

TensorMap evidenceFile(Tensor channels, const Comparison &comparison) {
  TensorMap file;
  const Limits &limits = comparison.limits;
  auto add = [&](const char *name, Tensor tensor) { (void)file.add(name, std::move(tensor)); };
  add("channels", std::move(channels));
  add("version", Tensor::scalar<int64_t>(evidenceVersion));
  add("limits", Tensor::of<double>({3}, {limits.oom, limits.relativePercent, limits.bitOff}));
  add("elements", Tensor::scalar<uint64_t>(comparison.elements));
  return file;
}

} // namespace tilerig::verify
