// Reads a fault file, which describes hardware defects as JSON; README.md beside this file states the format.
#pragma once

#include "emulator/Defects/Defects.h"

namespace tilerig::emulator {

// Reads the text of a fault file. Returns an error for unknown keys and for anything that the program or its
// machine does not have. `place` is the prefix of messages, as in "faults.json: faults[2].tile: ...".
Result<Defects> parseDefects(const std::string &json, const std::string &place, const Program &program);
Result<Defects> readDefects(const std::string &path, const Program &program);

} // namespace tilerig::emulator
