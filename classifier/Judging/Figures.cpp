#include "classifier/Judging/Figures.h"

#include <algorithm>
#include <cmath>

namespace tilerig::classifier {

namespace {

constexpr size_t numBins = 15;
constexpr double passingShare = 0.95;

double calibrationErrorOf(const std::vector<Judged> &rows) {
  struct Bin {
    double said = 0, right = 0;
  };
  std::array<Bin, numBins> bins{};
  for (const Judged &row : rows) {
    const auto bin = std::min(static_cast<size_t>(row.probability * numBins), numBins - 1);
    bins[bin].said += row.probability;
    bins[bin].right += row.truth == row.said;
  }
  double sum = 0;
  for (const Bin &bin : bins)
    sum += std::fabs(bin.said - bin.right);
  return rows.empty() ? 0 : sum / static_cast<double>(rows.size());
}

} // namespace

Figures figuresOf(const std::vector<Judged> &rows) {
  Figures figures;
  figures.rows = rows.size();
  size_t right = 0;
  for (const Judged &row : rows) {
    const auto truth = static_cast<size_t>(row.truth), said = static_cast<size_t>(row.said);
    ++figures.confusion[truth][said];
    ++figures.classes[truth].rows;
    ++figures.classes[said].said;
    figures.classes[truth].right += truth == said;
    right += truth == said;
  }
  size_t present = 0;
  double worst = 2;
  for (size_t i = 0; i < numBugClasses; ++i) {
    const ClassFigures &of = figures.classes[i];
    if (!of.rows)
      continue;
    ++present;
    figures.macroF1 += of.f1();
    if (of.recall() < worst) {
      worst = of.recall();
      figures.worstClass = static_cast<BugClass>(i);
    }
  }
  if (present) {
    figures.macroF1 /= static_cast<double>(present);
    figures.worstRecall = worst;
    figures.accuracy = static_cast<double>(right) / static_cast<double>(rows.size());
  }
  figures.calibrationError = calibrationErrorOf(rows);
  return figures;
}

Separation separationOf(std::vector<float> known, std::vector<float> unknown) {
  Separation separation{known.size(), unknown.size(), 0, 0};
  if (known.empty() || unknown.empty())
    return separation;
  std::ranges::sort(known);
  double pairs = 0;
  for (float score : unknown) {
    const auto [below, upTo] = std::ranges::equal_range(known, score);
    pairs += static_cast<double>(below - known.begin()) + 0.5 * static_cast<double>(upTo - below);
  }
  separation.area = pairs / static_cast<double>(known.size()) / static_cast<double>(unknown.size());
  // Rows whose unknown score is at most `limit` count as rows with a known bug. The limit is chosen so that
  // 95 % of the rows with known bugs count as such.
  const auto needed = static_cast<size_t>(std::ceil(passingShare * static_cast<double>(known.size())));
  const float limit = known[needed - 1];
  separation.passing =
      static_cast<double>(std::ranges::count_if(unknown, [&](float score) { return score <= limit; })) /
      static_cast<double>(unknown.size());
  return separation;
}

} // namespace tilerig::classifier
