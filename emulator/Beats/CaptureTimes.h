// Capture times in a stage that runs by beats: the cycle at which each tensor piece can be captured.
#pragma once

#include "emulator/Beats/JobOrder.h"
#include "emulator/Observe/CapturePoints.h"

namespace tilerig::emulator {

struct TimedCapturePoint {
  CapturePoint capturePoint;
  uint64_t time = 0;
};

// Schedules the capture of each piece. It takes place at the cycle at which the last job (instruction) has
// ended that writes to the piece and belongs to the layer of the piece or to an earlier layer. A piece that
// exists from the beginning of the stage is captured at cycle `begin`. If later layers have by then written
// to other parts of the piece, the piece is split and captured in parts. If any other job wrote to the piece
// without synchronisation, its values are captured as they are.
std::vector<TimedCapturePoint> timeCapturePoints(const std::vector<CapturePoint> &capturePoints,
                                                 const std::vector<Job> &jobs, const JobOrder &order,
                                                 uint64_t begin, Memories &memories);

} // namespace tilerig::emulator
