// Capture times in a stage that is emulated beat by beat (in order of time): the cycle from which each piece
// of a captured tensor is complete in memory and can be written to the capture file.
#pragma once

#include "emulator/Beats/JobOrder.h"
#include "emulator/Observe/CapturePoints.h"

namespace tilerig::emulator {

struct TimedCapturePoint {
  CapturePoint capturePoint;
  uint64_t time = 0;
};

// Schedules the capture of each piece of a tensor. The relevant jobs (instructions) are those that write to
// the piece and belong to its layer or to an earlier one. The piece is captured at the cycle at which the
// last of them has ended, or at cycle `begin` if there is none. If later layers have by then written to other
// parts of the piece, the piece is split and captured in parts. If any other job wrote to the piece without
// synchronisation, the bytes are captured as that job left them.
std::vector<TimedCapturePoint> timeCapturePoints(const std::vector<CapturePoint> &capturePoints,
                                                 const std::vector<Job> &jobs, const JobOrder &order,
                                                 uint64_t begin, Memories &memories);

} // namespace tilerig::emulator
