#include "emulator/Beats/SightTimes.h"

namespace tilerig::emulator {

std::vector<TimedSight> timeSights(const std::vector<Sight> &sights, const std::vector<Job> &jobs,
                                   const JobOrder &order, uint64_t begin, Memories &memories) {
  std::vector<Watched> pieces;
  for (const Sight &sight : sights)
    pieces.push_back(sight.piece);
  const std::vector<Moment> moments = order.momentsOf(pieces);
  std::vector<TimedSight> timed;
  std::vector<Sight> parts;
  for (size_t i = 0; i < sights.size(); ++i)
    if (std::vector<Sight> halves; moments[i].isTorn && !(halves = sights[i].halves(memories)).empty())
      parts.insert(parts.end(), halves.begin(), halves.end());
    else
      timed.push_back({sights[i], moments[i].after ? jobs[*moments[i].after].end : begin});
  if (!parts.empty())
    std::ranges::copy(timeSights(parts, jobs, order, begin, memories), std::back_inserter(timed));
  return timed;
}

} // namespace tilerig::emulator
