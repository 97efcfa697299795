// Cost model of the host: the ONNX operators that it has kernels for, and the time of a host stage.
//
// The host executes its stages in one thread. It is notified that the previous stage has ended, fetches the
// inputs from DDR over its link, computes, and writes the outputs back. So
//
//   time = call + 2 transfers + bytes in and out / link + operations / rate
//
// Conversions between stored types and those of the model are not counted.
//
// Consecutive host stages run in one call: only the first of them pays for it, and a tensor that one of
// them has fetched or produced stays available to the others and is not fetched again.
//
// The number of operations is measured by the kernel if it depends on values and the kernel has run.
// Otherwise the operator table estimates it from shapes and attributes, for a typical case that the table
// states. Programs do not depend on these figures, and the machine description does not contain them: one
// accelerator can be used in different hosts.
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

// Speeds and latencies of a host: PCI Express 4.0 with 8 lanes, one core at about 3 GHz running scalar code.
struct HostFigures {
  // Time from the interrupt with which the device calls the host to the kernel's first instruction.
  uint64_t callNanoseconds = 5'000;
  uint64_t transferNanoseconds = 1'000;      // latency of the first byte of a transfer over the host's link
  uint64_t linkBytesPerMicrosecond = 16'000; // rate of the host's link in each direction
  uint64_t operationsPerMicrosecond = 1'000;
};
inline constexpr HostFigures hostFigures;

// The bytes that a host stage moves over the link between host and device.
struct HostTransfers {
  // Whether the stage begins a call, in which control passes from the device to the host; false if the stage
  // directly follows another host stage.
  bool beginsCall = true;
  // Bytes of the stage's inputs that the link must move to the host. Not counted are inputs that the host
  // already has from host stages directly before this one.
  uint64_t bytesFetched = 0;
  uint64_t bytesPut = 0; // bytes of all outputs of the host stage
};

uint64_t hostNanoseconds(const HostTransfers &transfers, uint64_t operations);

// The properties of a host stage that determine its time, without the values of tensors. The operands match
// the operator's signature (isa/Program/HostSignature.h). Absent optional operands have the shape {0}, or are
// omitted at the end of the list.
struct HostWorkload {
  using Shapes = std::span<const std::vector<int64_t>>;
  using Numbers = std::map<std::string, double, std::less<>>;

  Shapes inputs, outputs;
  Numbers numbers; // attributes of the operator that are a single number
};

struct HostOperator {
  std::string_view name;
  // Number of steps that the operator's kernel takes; a step takes about a nanosecond on one core. If the
  // number depends on values of tensors, a typical case is assumed.
  uint64_t (*operations)(const HostWorkload &work);

  // Whether the number of operations depends on values of tensors. The kernel then reports how many
  // operations it took.
  bool dependsOnValues = false;

  // The axis of the result whose length depends on values. The program reserves a fixed length for that axis:
  // the first results are stored there, and unused elements are -1.
  std::optional<int64_t> openAxis = {};
};

// Functions that count operations, for the rows of the table of host kernels. The emulator calls them with
// numbers that it knows only after a run, such as how many candidates there were.

// Number of operations of a stable sort.
uint64_t operationsOfSorting(uint64_t elements);
// Number of operations for one batch and class of NonMaxSuppression: every score is read, the candidates are
// sorted, and pairs of boxes are compared.
uint64_t operationsOfSuppression(uint64_t scores, uint64_t candidates, uint64_t comparisons);
// Number of operations of NonZero: each element is read twice, and each nonzero one writes a coordinate for
// every dimension.
uint64_t operationsOfNonZero(uint64_t elements, uint64_t nonZeroElements, uint64_t rank);
// Number of operations of RoiAlign: a sample combines four elements, with two products and a sum for each.
uint64_t operationsOfSamples(uint64_t samples);
// Number of operations of LSTM, GRU and RNN: every weight is used once for every step of every batch element.
uint64_t operationsOfRecurrence(uint64_t steps, uint64_t weights);

// Number of operations of a host stage whose kernel has the name `kernel`; of a framework stage, the number
// that its attribute states. 0 if the kernel is not known.
uint64_t operationsOfKernel(std::string_view kernel, const HostWorkload &work);

// All operators for which the host has kernels, sorted by name.
std::span<const HostOperator> hostOperators();
// The host's operator of that name, or null if the host has none.
const HostOperator *findHostOperator(std::string_view name);

} // namespace tilerig
