// When every layer of a program ran: the emulator's clock, which looks at no value.
#pragma once

#include "isa/Program/Program.h"
#include "verify/Inputs/StrictJson.h"

#include <optional>

namespace tilerig::verify {

// As `tilerig run --stats` gives it. Of a program that is proved.
Json clockOf(const Program &program, std::optional<uint64_t> jitter);

} // namespace tilerig::verify
