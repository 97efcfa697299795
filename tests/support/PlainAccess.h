// Naive computation of the bytes that an instruction reads and writes, by plain loops over every element.
// Slow, for tests only, and independent of the code that it judges.
#pragma once

#include "isa/Instructions/Instruction.h"

#include <map>
#include <string>
#include <vector>

namespace tilerig::test {

struct PlainOperand {
  int memory = 0; // number of the memory: 0 for DDR, 1 + t for the OCM of tile t
  bool write = false;
  std::string name;
  auto operator<=>(const PlainOperand &) const = default;
};

// For each operand that accesses memory: the addresses of its bytes, in ascending order.
using PlainAccesses = std::map<PlainOperand, std::vector<uint64_t>>;
PlainAccesses plainAccesses(const Instruction &instruction, unsigned tile);

} // namespace tilerig::test
