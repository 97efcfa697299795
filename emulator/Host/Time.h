// What a stage of the host costs in cycles of the machine.
//
// The host hands its work to one thread: it is told that the stage before has ended, takes the inputs from
// DDR over its link, computes, and puts the outputs back. So
//
//   time = call + 2 transfers + bytes in and out / link + operations / rate
//
// where operations are what the kernel's row in the table of Kernels.h counts for shapes alone, since values
// are not looked at. A program is not bound to these figures, nor are they in the machine description: the
// same accelerator sits in different hosts.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

// A host on PCI Express 4.0 with 8 lanes, one of its cores at some 3 GHz working through scalar code.
struct HostFigures {
  uint64_t callNanoseconds = 5'000;          // from the interrupt to the kernel's first instruction
  uint64_t transferNanoseconds = 1'000;      // until the first byte of a transfer
  uint64_t linkBytesPerMicrosecond = 16'000; // each way
  uint64_t operationsPerMicrosecond = 1'000;
};
inline constexpr HostFigures hostFigures;

struct HostCost {
  uint64_t bytesIn = 0, bytesOut = 0; // over the link, as DDR stores them
  uint64_t operations = 0;
  uint64_t cycles = 0;
};

HostCost costOfHost(const Program &program, const proto::HostWork &work);

} // namespace tilerig
