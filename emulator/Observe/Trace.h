// Writes a run as a Chrome trace for Perfetto: a process for each tile with a track for each engine, and a
// process for the host. A DMA engine has separate tracks for reading and writing, because these overlap.
#pragma once

#include "isa/Timeline/Timeline.h"

#include <string>

namespace tilerig::emulator {

class TraceWriter {
public:
  explicit TraceWriter(const Program &program) : program(program) {}

  void addStage(const StageCosts &costs, const Timeline &timeline);
  void addHostStage(const proto::HostWork &work, uint64_t begin, uint64_t end);
  // Returns the whole trace as JSON: all events that were added, and the names of tiles and engines. A cycle
  // is shown as one microsecond, the viewer's smallest unit.
  std::string finish() &&;

private:
  std::string layerName(uint32_t layer) const; // name of a layer, quoted as a JSON string

  const Program &program;
  std::string events;
};

} // namespace tilerig::emulator
