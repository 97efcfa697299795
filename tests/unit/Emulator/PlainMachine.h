// A second, naive implementation of every instruction of the POD (matrix engine), the PE (vector engine) and
// the DMA engines, written from the ISA's reference page: element by element, with no optimisation. For tests
// only.
#pragma once

#include "isa/Instructions/Instruction.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilerig::test {

class PlainMachine {
public:
  PlainMachine(unsigned tiles, uint64_t ocmBytes, uint64_t ddrBytes)
      : ocms(tiles, std::vector<std::byte>(ocmBytes)), ddr(ddrBytes) {}

  std::vector<std::vector<std::byte>> ocms;
  std::vector<std::byte> ddr;

  // Thrown at a division by zero or an index outside its table.
  struct Fault {};
  void execute(const Instruction &instruction, unsigned tile);
};

} // namespace tilerig::test
