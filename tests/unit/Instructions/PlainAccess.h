// What an instruction reads and writes, byte by byte: the sentence of its `meaning`, carried out with plain
// loops over every element and nothing clever. Slow, for tests only, and free of the code that it judges.
#pragma once

#include "isa/Instructions/Instruction.h"

#include <map>
#include <string>
#include <vector>

namespace tilerig::test {

struct PlainOperand {
  int memory = 0; // 0 is DDR, 1 + t the OCM of tile t
  bool write = false;
  std::string name;
  auto operator<=>(const PlainOperand &) const = default;
};

// Sorted bytes of every operand that has some.
using PlainAccesses = std::map<PlainOperand, std::vector<uint64_t>>;
PlainAccesses plainAccesses(const Instruction &instruction, unsigned tile);

} // namespace tilerig::test
