#include "compiler/Tile/Plan/AlikeSplits.h"

#include "compiler/Tile/Plan/RepeatedSteps.h"

#include <bit>

namespace tilerig::compiler {

namespace {

// Of the candidates that divide only the first axis, and the last axis with more than one index into `parts` parts,
// those with most parts along the first axis.
AlikeSplits withParts(const SplitCandidates &candidates, std::span<const int64_t> shape, int64_t parts) {
  size_t last = shape.size() - 1;
  while (last > 0 && shape[last] == 1)
    --last;
  AlikeSplits best;
  int64_t most = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Split &split = candidates[i].choice.split;
    const int64_t ofFirst = last == 0 ? 1 : split.parts[0];
    if (split.chain > 1 || split.parts[last] != parts || split.tiles() != parts * ofFirst)
      continue;
    if (ofFirst > most)
      best.clear();
    most = std::max(most, ofFirst);
    if (ofFirst == most)
      best.push_back(static_cast<std::ptrdiff_t>(i));
  }
  return best;
}

} // namespace

std::vector<std::vector<AlikeSplits>> alikeSplits(const SplitProblem &problem,
                                                  std::span<const SplitCandidates> candidates) {
  const std::vector<bool> repeated = stepsIn(rangesOfWholeSteps(problem.network), problem.network);
  std::vector<std::vector<AlikeSplits>> all;
  // Fewer parts than a sixteenth of the tiles were not the fastest for any layer that was measured.
  const auto least = std::max<int64_t>(2, std::bit_floor(problem.tiles / 16));
  for (int64_t parts = least; std::ranges::count(repeated, true) > 0 && parts <= problem.tiles; parts *= 2) {
    std::vector<AlikeSplits> splits(candidates.size());
    bool areAny = false;
    for (size_t step = 0; step < candidates.size(); ++step)
      if (repeated[step] && problem.opAt(step)) {
        splits[step] = withParts(candidates[step], problem.resultShape(*problem.opAt(step)), parts);
        areAny |= !splits[step].empty();
      }
    if (areAny)
      all.push_back(std::move(splits));
  }
  return all;
}

} // namespace tilerig::compiler
