// Prints which tensors `tilerig run` has captured, as text for people.
#pragma once

#include "emulator/Observe/Sights.h"

namespace tilerig::emulator {

// `captureTo` is the file that they were written to; empty if there is none.
void printCaptures(const std::string &captureTo, size_t captured, bool dequantised,
                   const std::vector<std::string> &missing);

} // namespace tilerig::emulator
