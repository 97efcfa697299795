// When there is something to be seen in a stage that goes by beats.
#pragma once

#include "emulator/Beats/JobOrder.h"
#include "emulator/Observe/Sights.h"

namespace tilerig {

struct TimedSight {
  Sight sight;
  uint64_t time = 0;
};

// Each sight at the cycle at which the last job of its layer, or of one before it, that writes to its piece
// has ended; where the piece lies from the beginning, at `begin`. Pieces that others have written to by then,
// elsewhere than that job, are looked at in parts. What others have written to the same bytes, because
// nothing keeps them from it, is seen too.
std::vector<TimedSight> timeSights(const std::vector<Sight> &sights, const std::vector<Job> &jobs,
                                   const JobOrder &order, uint64_t begin, Memories &memories);

} // namespace tilerig
