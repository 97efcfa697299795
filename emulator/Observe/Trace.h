// A run as a Chrome trace, to be opened in Perfetto: a process for each tile with a track for each engine,
// and one for the host. A transfer has a track for reading and one for writing, which overlap.
#pragma once

#include "isa/Timeline/Timeline.h"

#include <string>

namespace tilerig {

class TraceWriter {
public:
  explicit TraceWriter(const Program &program) : program(program) {}

  void addStage(const StageCosts &costs, const Timeline &timeline);
  void addHostStage(const proto::HostWork &work, uint64_t begin, uint64_t end);
  // The whole document, whole events with names of tiles and engines; a cycle is a microsecond of the
  // viewer's time, which knows nothing smaller.
  std::string finish() &&;

private:
  std::string layerName(uint32_t layer) const; // as JSON

  const Program &program;
  std::string events;
};

} // namespace tilerig
