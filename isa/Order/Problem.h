// The problems that the analyser reports: their kinds, the instructions concerned, and a text.
#pragma once

#include "isa/Instructions/Access.h"
#include "isa/Program/Program.h"

#include <array>
#include <string>
#include <vector>

namespace tilerig {

enum class ProblemKind : uint8_t {
  malformedProgram,
  illegalInstruction,
  missingHalt,
  instructionAfterHalt,
  severalProducers,
  semaphoreOverflow,
  semaphoreLeftOver,
  waitNeverSatisfied,
  barrierMismatch,
  deadlock,
  selfOverlap,
  race,
  uninitialisedRead,
  storeToConstants,
  outputNotWritten
};
template <>
struct EnumNames<ProblemKind> {
  static constexpr auto values = std::to_array<std::string_view>(
      {"malformed_program", "illegal_instruction", "missing_halt", "instruction_after_halt",
       "several_producers", "semaphore_overflow", "semaphore_left_over", "wait_never_satisfied",
       "barrier_mismatch", "deadlock", "self_overlap", "race", "uninitialised_read", "store_to_constants",
       "output_not_written"});
};
inline constexpr size_t numProblemKinds = EnumNames<ProblemKind>::values.size();
static_assert(static_cast<size_t>(ProblemKind::outputNotWritten) + 1 == numProblemKinds);
constexpr std::string_view nameOf(ProblemKind kind) {
  return EnumNames<ProblemKind>::values[static_cast<size_t>(kind)];
}

// The place of a problem: an instruction, with the name of an operand if the problem is about one, or a host
// stage.
struct Place {
  uint32_t stage = 0;
  bool host = false; // true: the place is a host stage, and the members below are 0
  uint32_t tile = 0;
  Engine engine = Engine::sequencer;
  uint32_t instruction = 0;
  uint32_t layer = 0;
  std::string_view operand = {};
  bool operator==(const Place &) const = default;
};
Place placeOf(const Program &program, uint32_t stage, uint32_t tile, uint32_t instruction,
              std::string_view operand = {});

struct Problem {
  ProblemKind kind = ProblemKind::malformedProgram;
  // The instructions concerned by the problem, in the order in which the text mentions them: the two of a
  // race, or the chain of a deadlock.
  std::vector<Place> places = {};
  // For problems about memory: the memory, and the lowest range of bytes concerned.
  MemoryId memory = ddrMemory;
  ByteRange bytes = {};
  std::string text = {}; // one self-contained sentence
  bool operator==(const Problem &) const = default;
};

// Describes the place of a problem, for example: "stage 'main', tile 3, pod, instruction 17 (conv, output),
// layer 5 'layer1.0.conv1'".
std::string describe(const Place &place, const Program &program);
// The name of a memory in messages: "OCM of tile 3" or "DDR".
std::string describeMemory(MemoryId memory);
// Describes a problem on several lines: its kind and text, then every place on its own line, with the
// mnemonic of its instruction.
std::string describe(const Problem &problem, const Program &program);
// Describes a problem in one line, with its kind, its text and all places, for error messages.
std::string describeInOneLine(const Problem &problem, const Program &program);

} // namespace tilerig
