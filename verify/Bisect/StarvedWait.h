// Finds where a signal is missing if a wait never ends.
//
// Semaphores only grow. If a signal is missing, every later wait for the semaphore is satisfied by the signal after the one
// that it was meant for, and only the last wait never ends, maybe many layers later. So the first wait that is satisfied by a
// signal of a later layer shows where the signal is missing.
#pragma once

#include "isa/Order/Problem.h"

#include <optional>

namespace tilerig::verify {

// The layer of the first wait that lacks a signal, for a wait that never ends. Nothing if the place is no such wait, or if
// every wait for its semaphore gets a signal of its own layer or an earlier one.
std::optional<uint32_t> layerOfFirstStarvedWait(const Program &program, const Place &wait);

} // namespace tilerig::verify
