// The work of an instruction: number of multiplications, and bytes moved by kind of memory or link.
// Statistics and energy are sums of these numbers.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Machine/Machine.h"

namespace tilerig {

// Bytes that an instruction moves: whole accesses of the OCM (on-chip memory) and whole granules of DDR. Data
// that are read again, and each receiver of a multicast, count again.
struct Traffic {
  uint64_t ocmReadBytes = 0, ocmWriteBytes = 0;
  // Bytes that DDR moves. The data of a multicast to several tiles count once.
  uint64_t ddrReadBytes = 0, ddrWriteBytes = 0;
  uint64_t networkBytes = 0; // bytes that enter the network of routers
  uint64_t linkBytes = 0;    // bytes that links between routers carry, summed over the links
  bool operator==(const Traffic &) const = default;

  Traffic &operator+=(const Traffic &other);
};

Traffic trafficOf(const Instruction &instruction, const Machine &machine, unsigned tile);

// Number of multiply-accumulate operations of an instruction by the usual count, which includes taps in the
// padding; 0 for engines other than the POD (matrix engine).
uint64_t macsOf(const Instruction &instruction);

} // namespace tilerig
