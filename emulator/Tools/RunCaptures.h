// Prints which tensors `tilerig run` has captured, as text for people.
#pragma once

#include "emulator/Observe/Observation.h"

#include <string>
#include <vector>

namespace tilerig::emulator {

// `captured` is the number of captured tensors, `captureTo` the file to which they were written (empty:
// none), `missing` the names of tensors that could not be captured.
void printCaptures(const std::string &captureTo, size_t captured, InModelTypes types,
                   const std::vector<std::string> &missing);

} // namespace tilerig::emulator
