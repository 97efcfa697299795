#include "emulator/Beats/CaptureTimes.h"

namespace tilerig::emulator {

std::vector<TimedCapturePoint> timeCapturePoints(const std::vector<CapturePoint> &capturePoints,
                                                 const std::vector<Job> &jobs, const JobOrder &order,
                                                 uint64_t begin, Memories &memories) {
  std::vector<TensorPiece> pieces;
  for (const CapturePoint &capturePoint : capturePoints)
    pieces.push_back(capturePoint.piece);
  const std::vector<Completion> completions = order.completionsOf(pieces);
  std::vector<TimedCapturePoint> timed;
  std::vector<CapturePoint> parts;
  for (size_t i = 0; i < capturePoints.size(); ++i)
    if (std::vector<CapturePoint> halves;
        completions[i].isTorn && !(halves = capturePoints[i].halves(memories)).empty())
      parts.insert(parts.end(), halves.begin(), halves.end());
    else
      timed.push_back({capturePoints[i], completions[i].after ? jobs[*completions[i].after].end : begin});
  if (!parts.empty())
    std::ranges::copy(timeCapturePoints(parts, jobs, order, begin, memories), std::back_inserter(timed));
  return timed;
}

} // namespace tilerig::emulator
