// Faults of a run (the machine's traps): what went wrong, and exactly where.
//
// A fault ends the run at its instruction, unless the caller asks to continue. Its category states the
// origin: the program (including data that it cannot handle), a deadlock, an unsupported request to the
// emulator, or an internal error of the emulator.
#pragma once

#include "isa/Order/Problem.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace tilerig::emulator {

enum class FaultCategory : uint8_t { program, deadlock, unsupported, internal };
} // namespace tilerig::emulator

template <>
struct tilerig::EnumNames<tilerig::emulator::FaultCategory> {
  static constexpr auto values =
      std::to_array<std::string_view>({"program_fault", "deadlock", "unsupported", "internal_error"});
};

namespace tilerig::emulator {

enum class FaultKind : uint8_t {
  uninitialisedRead,
  storeToConstants,
  overlappingWrite, // two instructions write a byte at the same time
  dataFault, // a value that an instruction cannot use, such as an index outside its table or a divisor of 0
  semaphoreLeftOver,
  semaphoreNeverReached,
  semaphoreOverflow,
  barrierMismatch,
  outputNotWritten,
  deadlock
};
} // namespace tilerig::emulator

template <>
struct tilerig::EnumNames<tilerig::emulator::FaultKind> {
  static constexpr auto values = std::to_array<std::string_view>(
      {"uninitialised_read", "store_to_constants", "overlapping_write", "data_fault", "semaphore_left_over",
       "semaphore_never_reached", "semaphore_overflow", "barrier_mismatch", "output_not_written",
       "deadlock"});
};

namespace tilerig::emulator {

inline constexpr size_t numFaultKinds = EnumNames<FaultKind>::values.size();
static_assert(static_cast<size_t>(FaultKind::deadlock) + 1 == numFaultKinds);

// Whether a run stops or goes on after a fault of its program.
enum class OnFault : uint8_t { stop, continueRun };

struct Fault {
  FaultKind kind = FaultKind::dataFault;
  std::string description; // one sentence
  // Instruction that caused the fault, with its engine and layer; none if a tensor is at fault.
  std::optional<Place> place = {};
  // Other instructions that are involved: in a deadlock those that also wait, in a collision those that write
  // the same bytes.
  std::vector<Place> others = {};
  std::optional<uint64_t> cycle = {};  // cycle of the fault; unknown if no clock runs
  std::optional<MemoryId> memory = {}; // for faults about memory: the memory that `bytes` belongs to
  ByteRange bytes = {};                // for faults about memory: the first range of bytes at fault
  bool operator==(const Fault &) const = default;

  FaultCategory category() const {
    return kind == FaultKind::deadlock ? FaultCategory::deadlock : FaultCategory::program;
  }
};

// Describes a fault as text, for example: "program_fault, uninitialised_read at stage 'main', tile 1, pod,
// instruction 4 (conv, input), layer 2 'conv1', cycle 310, OCM of tile 1 0x60..0x7f: the instruction reads
// bytes that have not been written".
std::string describe(const Fault &fault, const Program &program);
nlohmann::ordered_json toJson(const Fault &fault, const Program &program);
// The error that a run returns when the fault ends it: invalid input, because the program is at fault.
Error errorOf(const Fault &fault, const Program &program);

} // namespace tilerig::emulator
