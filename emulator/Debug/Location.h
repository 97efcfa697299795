// A byte of a memory of the machine, as users write it: `ddr:0x1000`, `ocm3:0x40` for the OCM (on-chip memory) of tile 3, or
// `y[0,3,1]` for an element of a tensor, in the first of the places that hold it.
#pragma once

#include "isa/Instructions/Access.h"
#include "isa/Program/Program.h"

#include <string>

namespace tilerig::emulator {

struct Location {
  MemoryId memory = ddrMemory;
  uint64_t address = 0;
  bool operator==(const Location &) const = default;
};

Result<Location> parseLocation(const std::string &text, const Program &program);
std::string describe(const Location &location);
// Number of bytes of the memory.
uint64_t sizeOf(MemoryId memory, const Machine &machine);
// An unsigned number, decimal or hexadecimal with 0x.
Result<uint64_t> parseNumber(const std::string &text, const std::string &what);

} // namespace tilerig::emulator
