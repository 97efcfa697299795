// Cycle counts of every layer of a program, from the emulator's timed mode.
#pragma once

#include "emulator/Host/Time.h"
#include "verify/Check/LayersAlone.h"
#include "verify/Inputs/StrictJson.h"

#include <optional>

namespace tilerig::verify {

// Runs a proved program in timed mode and returns the statistics that `tilerig run --stats` prints.
// `hostOperations` is the operation count of each host stage, taken from a run of the program.
Json clockOf(const Program &program, const emulator::HostOperations &hostOperations,
             std::optional<uint64_t> jitter);
// Adds to each layer of a clock record `alone_cycles`: its cycles when it has the whole machine to itself.
void addAlone(const LayersAlone &alone, Json &clock);

} // namespace tilerig::verify
