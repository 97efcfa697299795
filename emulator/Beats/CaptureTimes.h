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

// Schedules the capture of each piece of a tensor. A piece is captured when the last job (instruction) that
// writes to it has ended, or at cycle `begin` if no job writes to it. Only jobs of the tensor's layer and of
// earlier layers count. If a later layer overwrites part of the piece before that time, the piece is captured
// in several parts.
std::vector<TimedCapturePoint> timeCapturePoints(const std::vector<CapturePoint> &capturePoints,
                                                 const std::vector<Job> &jobs, const JobOrder &order,
                                                 uint64_t begin, Memories &memories);

} // namespace tilerig::emulator
