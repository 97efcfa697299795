// Who wrote a byte: the last step of a run that wrote it, what that step read, and who wrote that.
#pragma once

#include "emulator/Debug/Location.h"
#include "emulator/Debug/RecordedRun.h"

namespace tilerig::emulator {

enum class WriterKind : uint8_t { nothing, constant, input, instruction, host, bitFlip };
} // namespace tilerig::emulator
template <>
struct tilerig::EnumNames<tilerig::emulator::WriterKind> {
  static constexpr auto values =
      std::to_array<std::string_view>({"nothing", "constant", "input", "instruction", "host", "bit_flip"});
};

namespace tilerig::emulator {

// What a step of the run read and wrote: an instruction, or what is computed of it at once, or the host.
AccessList accessesOf(const RecordedRun &run, const SteppedRun::DoneStep &step);
// The instruction or host stage of a step; none if a bit flipped.
std::optional<Place> placeOf(const RecordedRun &run, const SteppedRun::DoneStep &step);

struct Writer {
  WriterKind kind = WriterKind::nothing;
  // Index of the step that wrote the byte; absent if no step did.
  std::optional<size_t> step = {};
  // Of an instruction: it read its operands before this step.
  size_t readsBefore = 0;
  std::optional<Place> place = {}; // the instruction, or the host stage
  std::string tensor = {};         // of an input of the program
  uint64_t begin = 0, end = 0;     // the cycles in which an instruction or the host worked
  // Of an instruction: what it read and wrote as a whole.
  AccessList accesses = {};
};

// The step that wrote any of these bytes last, among the steps before `beforeStep`.
Writer lastWriterOf(const RecordedRun &run, MemoryId memory, const Region &region, size_t beforeStep);

// A writer, and who wrote each of its operands.
struct WriterChain {
  std::string operand; // name of the operand that it wrote; empty at the beginning of the chain
  MemoryId memory = ddrMemory;
  ByteRange bytes = {};
  Writer writer;
  std::vector<WriterChain> operands;
};
// Follows the operands `depth` times.
WriterChain writersOf(const RecordedRun &run, const Location &location, unsigned depth);

} // namespace tilerig::emulator
