// Cycle counts of every layer of a program, from the emulator's timed mode.
#pragma once

#include "emulator/Host/Time.h"
#include "isa/Base/Support/Json.h"
#include "verify/Check/LayersAlone.h"

#include <optional>

namespace tilerig::verify {

// Runs a program in timed mode (it must be proved free of races) and returns the statistics that `tilerig run
// --stats` prints, as JSON. `hostOperations` is the operation count of each host stage, taken from an earlier
// run of the program.
Json clockOf(const Program &program, const emulator::HostOperations &hostOperations,
             std::optional<uint64_t> jitter);
// Adds the field `alone_cycles` to each layer of the record from clockOf(): the cycles that the layer takes
// if no other layer runs at the same time.
void addAlone(const LayersAlone &alone, Json &clock);

} // namespace tilerig::verify
