// Capture times in a stage that runs by beats: the cycle at which each tensor piece can be captured.
#pragma once

#include "emulator/Beats/JobOrder.h"
#include "emulator/Observe/CapturePoints.h"

namespace tilerig::emulator {

struct TimedCapturePoint {
  CapturePoint capturePoint;
  uint64_t time = 0;
};

// Schedules each capture for the cycle at which the last job (instruction) of the piece's layer, or of an
// earlier layer, that writes to the piece has ended; a piece that exists from the beginning of the stage is
// captured at cycle `begin`. If later layers have by then written to other parts of the piece, the piece is
// split and captured in parts. Values that other jobs wrote to the piece without synchronisation are captured
// as they are.
std::vector<TimedCapturePoint> timeCapturePoints(const std::vector<CapturePoint> &capturePoints,
                                                 const std::vector<Job> &jobs, const JobOrder &order,
                                                 uint64_t begin, Memories &memories);

} // namespace tilerig::emulator
