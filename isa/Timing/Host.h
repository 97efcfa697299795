// Operators of ONNX that the host has kernels for, and what a stage of the host costs.
//
// The host hands its work to one thread: it is told that the stage before has ended, takes the inputs from
// DDR over its link, computes, and puts the outputs back. So
//
//   time = call + 2 transfers + bytes in and out / link + operations / rate
//
// Stages of the host that follow each other are one turn: the host is called for the first of them, and what
// one of them has taken or made is at hand for the others, so that it is not transferred again.
//
// Operations are what the kernel took, if it has run and they depend on values; else what the operator's row
// counts for shapes and attributes, which is the typical case stated there. A program is not bound to these
// figures, nor are they in the machine description: the same accelerator sits in different hosts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
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

// What a stage of the host moves over the link.
struct HostTransfers {
  bool beginsTurn = true;    // the stage before is the device's, or there is none
  uint64_t bytesFetched = 0; // of inputs that the turn has not at hand
  uint64_t bytesPut = 0;     // of all outputs
};

uint64_t hostNanoseconds(const HostTransfers &transfers, uint64_t operations);

// A stage of the host without its values. The operands fit the operator's signature
// (isa/Program/HostSignature.h). Optional ones that are absent have the shape {0}, or are left out behind the
// last.
struct HostWorkload {
  using Shapes = std::span<const std::vector<int64_t>>;
  using Numbers = std::map<std::string, double, std::less<>>;

  Shapes inputs, outputs;
  Numbers numbers; // the attributes that are one number
};

struct HostOperator {
  std::string_view name;
  // Steps of its kernel, each about a nanosecond of one core: in the typical case, if values decide.
  uint64_t (*operations)(const HostWorkload &work);

  // Whether values decide how many operations there are. Its kernel then says how many it took.
  bool dependsOnValues = false;

  // The axis of the result whose length depends on values. A program has room for a certain length: what
  // comes first goes there, and -1 stands where there is no more.
  std::optional<int64_t> openAxis = {};
};

// The counts behind the table, for kernels that know their values.

// A stable sort.
uint64_t operationsOfSorting(uint64_t elements);
// One batch and class of NonMaxSuppression: each score is looked at, the candidates among them are sorted,
// and pairs of boxes are compared.
uint64_t operationsOfSuppression(uint64_t scores, uint64_t candidates, uint64_t comparisons);
// NonZero: each element is looked at twice, and those that are not zero get a coordinate for each dimension.
uint64_t operationsOfNonZero(uint64_t elements, uint64_t found, uint64_t rank);
// LSTM, GRU and RNN: every weight for every step of every batch.
uint64_t operationsOfRecurrence(uint64_t steps, uint64_t weights);

// In the order of their names.
std::span<const HostOperator> hostOperators();
// Null if there is none of that name.
const HostOperator *findHostOperator(std::string_view name);

} // namespace tilerig
