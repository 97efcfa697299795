// Reads a fault file: JSON as README.md beside this file states it.
#pragma once

#include "emulator/Defects/Defects.h"

namespace tilerig {

// What the program or its machine does not have is refused, and so is every key that is not known. `place`
// leads the messages, as in "faults.json: faults[2].tile: ...".
Result<Defects> parseDefects(const std::string &json, const std::string &place, const Program &program);
Result<Defects> readDefects(const std::string &path, const Program &program);

} // namespace tilerig
