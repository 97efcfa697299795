// When every layer of a program ran: the emulator's clock.
#pragma once

#include "emulator/Host/Time.h"
#include "verify/Check/LayersAlone.h"
#include "verify/Inputs/StrictJson.h"

#include <optional>

namespace tilerig::verify {

// As `tilerig run --stats` gives it, of a program that is proved, with what a run of it took on the host.
Json clockOf(const Program &program, const HostOperations &hostOperations, std::optional<uint64_t> jitter);
// Adds to each layer of a clock `alone_cycles`: what it takes with the machine for itself.
void addAlone(const LayersAlone &alone, Json &clock);

} // namespace tilerig::verify
