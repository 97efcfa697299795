#include "isa/Order/Barriers.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>

namespace tilerig {

namespace {

// The barriers of one group of tiles: for each member tile, its barriers in program order.
struct Members {
  std::map<unsigned, std::vector<const BarrierStep *>> byTile;

  size_t mostBarriers() const {
    size_t most = 0;
    for (const auto &[tile, barriers] : byTile)
      most = std::max(most, barriers.size());
    return most;
  }
};

void reportMismatch(const Program &program, const StageThreads &stage, const Members &group, Report &report) {
  const size_t most = group.mostBarriers();
  for (const auto &[tile, barriers] : group.byTile) {
    if (barriers.size() == most)
      continue;
    const auto ahead =
        std::ranges::find_if(group.byTile, [&](const auto &entry) { return entry.second.size() == most; });
    const BarrierStep &unmet = *ahead->second[barriers.size()];
    report.add({.kind = ProblemKind::barrierMismatch,
                .places = {placeOf(program, stage.stage, ahead->first, unmet.instruction)},
                .text = fmt::format("tile {} reaches {} barriers of this group, but tile {} reaches {}",
                                    ahead->first, most, tile, barriers.size())});
  }
}

} // namespace

void matchBarriers(const Program &program, StageThreads &stage, Report &report) {
  std::map<uint64_t, Members> groups;
  for (const BarrierStep &barrier : stage.barriers) {
    Members &group = groups[barrier.tiles];
    if (group.byTile.empty()) // create an entry for every member of the group, also for one without a barrier
      for (uint64_t rest = barrier.tiles; rest != 0; rest &= rest - 1)
        group.byTile[static_cast<unsigned>(std::countr_zero(rest))];
    group.byTile[tileOfThread(barrier.arrival.thread)].push_back(&barrier);
  }
  for (const auto &[tiles, group] : groups) {
    reportMismatch(program, stage, group, report);
    const size_t first = stage.meetings.size();
    stage.meetings.resize(first + group.mostBarriers());
    for (const auto &[tile, barriers] : group.byTile) {
      const ThreadId sequencer = threadOf(tile, ThreadKind::sequencer);
      for (size_t n = 0; n < group.mostBarriers(); ++n) {
        const bool comes = n < barriers.size();
        stage.meetings[first + n].arrivals.push_back(comes ? barriers[n]->arrival
                                                           : Event{sequencer, stage.numSteps(sequencer) + 1});
        if (!comes)
          continue;
        Step &leave = stage.step({sequencer, barriers[n]->arrival.ordinal + 1});
        leave.need = Need::meet;
        leave.index = static_cast<uint32_t>(first + n);
      }
    }
  }
}

} // namespace tilerig
