// Operators of ONNX that the host has kernels for, and what a stage of the host costs.
//
// The host hands its work to one thread: it is told that the stage before has ended, takes the inputs from
// DDR over its link, computes, and puts the outputs back. So
//
//   time = call + 2 transfers + bytes in and out / link + operations / rate
//
// where operations are what the operator's row counts for shapes alone, since values are not looked at. A
// program is not bound to these figures, nor are they in the machine description: the same accelerator sits
// in different hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tilerig {

// A host on PCI Express 4.0 with 8 lanes, one of its cores at some 3 GHz working through scalar code.
struct HostFigures {
  uint64_t callNanoseconds = 5'000;          // from the interrupt to the kernel's first instruction
  uint64_t transferNanoseconds = 1'000;      // until the first byte of a transfer
  uint64_t linkBytesPerMicrosecond = 16'000; // each way
  uint64_t operationsPerMicrosecond = 1'000;
};
inline constexpr HostFigures hostFigures;

uint64_t hostNanoseconds(uint64_t bytesInAndOut, uint64_t operations);

struct HostOperator {
  using Shapes = std::span<const std::vector<int64_t>>;

  std::string_view name;
  // Steps of its kernel, each about a nanosecond of one core. The operands fit the operator's signature
  // (isa/Program/HostSignature.h). Optional inputs that are absent have the shape {0}, or are left out behind
  // the last.
  uint64_t (*operations)(Shapes inputs, Shapes outputs);

  // The axis of the result whose length depends on values. A program has room for a certain length: what
  // comes first goes there, and -1 stands where there is no more.
  std::optional<int64_t> openAxis = {};
};

// In the order of their names.
std::span<const HostOperator> hostOperators();
// Null if there is none of that name.
const HostOperator *findHostOperator(std::string_view name);

} // namespace tilerig
