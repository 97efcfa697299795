// What an instruction computes and moves: multiplications, and bytes by the way they take. Statistics and
// energy are sums of these.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Machine/Machine.h"

namespace tilerig {

// As the memories count it: whole accesses and granules, every re-read, every receiver of a multicast.
struct Traffic {
  uint64_t ocmReadBytes = 0, ocmWriteBytes = 0;
  uint64_t ddrReadBytes = 0, ddrWriteBytes = 0; // a multicast counts once
  uint64_t networkBytes = 0;                    // that enter the network
  uint64_t linkBytes = 0;                       // summed over the links they cross
  bool operator==(const Traffic &) const = default;

  Traffic &operator+=(const Traffic &other);
};

Traffic trafficOf(const Instruction &instruction, const Machine &machine, unsigned tile);

// Multiplications with addition, taps in the padding included, as they are usually counted; 0 but for the
// POD.
uint64_t macsOf(const Instruction &instruction);

} // namespace tilerig
