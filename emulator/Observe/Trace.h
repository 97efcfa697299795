// A run as a Chrome trace: one track for each engine of each tile, to be opened in Perfetto.
#pragma once

#include "emulator/Timed/Timeline.h"

#include <string>

namespace tilerig {

class TraceWriter {
public:
  explicit TraceWriter(const Program &program) : program(program) {}

  void addStage(const StageCosts &costs, const Timeline &timeline);
  // The whole document, whole events with names of tiles and engines; a cycle is a microsecond of the
  // viewer's time, which knows nothing smaller.
  std::string finish() &&;

private:
  const Program &program;
  std::string events;
};

} // namespace tilerig
