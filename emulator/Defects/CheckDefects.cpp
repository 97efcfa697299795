#include "emulator/Defects/CheckDefects.h"

#include "emulator/Defects/FindInstruction.h"

#include <fmt/format.h>

namespace tilerig::emulator {

namespace {

// Checks that the value of a defect's field is below a limit. `text` is the error message, with placeholders
// for the value and the limit.
Checked below(const char *field, uint64_t value, uint64_t limit,
              fmt::format_string<uint64_t &, uint64_t &> text) {
  if (value < limit)
    return {};
  return FieldProblem{field, fmt::format(text, value, limit)};
}

Checked checkTransfer(uint32_t tile, uint32_t transfer, const Program &program) {
  if (auto problem = checkTile(tile, program))
    return problem;
  if (!findInstruction(program, tile, transfer, isTransfer))
    return FieldProblem{
        "transfer", fmt::format("the program of tile {} has no transfer with the number {}", tile, transfer)};
  return {};
}

// Whether the transfer sends data to tile `receiver` across the network.
bool goesTo(const Instruction &instruction, uint32_t receiver) {
  if (const auto *store = std::get_if<Store>(&instruction))
    return store->destination.space == Space::remote && store->destination.tile == receiver;
  const auto *multicast = std::get_if<Multicast>(&instruction);
  return multicast && multicast->tiles >> receiver & 1;
}

} // namespace

Checked checkTile(uint64_t tile, const Program &program) {
  return below("tile", tile, program.tiles, "{} must be below {}, the number of tiles of the program");
}

Checked check(const Lane &lane, const Program &program) {
  if (auto problem = checkTile(lane.tile, program))
    return problem;
  if (auto problem =
          below("position", lane.position, Lane::gridSize,
                "{} must be below {}, the number of lanes along a side of the POD (matrix engine)"))
    return problem;
  return below("output", lane.output, Lane::gridSize,
               "{} must be below {}, the number of lanes along a side of the POD (matrix engine)");
}

Checked check(const StuckBit &stuck, const Program &program) {
  if (auto problem = check(stuck.lane, program))
    return problem;
  return below("bit", stuck.bit, 32, "{} must be below {}, the number of bits of an accumulator");
}

Checked check(const NarrowAccumulators &narrow, const Program &program) {
  if (auto problem = checkTile(narrow.tile, program))
    return problem;
  if (narrow.bits == 0)
    return FieldProblem{"bits", "the width of an accumulator must be at least 1 bit"};
  return below("bits", narrow.bits, 32, "{} must be below {}, the number of bits of an accumulator");
}

Checked check(const FlippedBit &flip, const Program &program) {
  if (!flip.inDdr)
    if (auto problem = checkTile(flip.tile, program))
      return problem;
  const uint64_t size = flip.inDdr ? program.machine.ddr.sizeBytes : program.machine.tile.ocmBytes;
  if (auto problem =
          below("address", flip.address, size, "{} must be below {}, the number of bytes of the memory"))
    return problem;
  return below("bit", flip.bit, 8, "{} must be below {}, the number of bits of a byte");
}

Checked check(const LostSignal &lost, const Program &program) {
  if (auto problem = checkTile(lost.tile, program))
    return problem;
  if (!findInstruction(program, lost.tile, lost.signal, isSignal))
    return FieldProblem{"signal", fmt::format("the program of tile {} has no signal with the number {}",
                                              lost.tile, lost.signal)};
  return {};
}

Checked check(const DelayedTransfer &delayed, const Program &program) {
  return checkTransfer(delayed.tile, delayed.transfer, program);
}

Checked check(const WrongDestination &wrong, const Program &program) {
  if (auto problem = checkTransfer(wrong.tile, wrong.transfer, program))
    return problem;
  const InstructionPosition position = *findInstruction(program, wrong.tile, wrong.transfer, isTransfer);
  if (wrong.receiver >= program.tiles ||
      !goesTo(instructionAt(program, wrong.tile, position), wrong.receiver))
    return FieldProblem{"receiver", fmt::format("transfer {} of tile {} sends no data to tile {}",
                                                wrong.transfer, wrong.tile, wrong.receiver)};
  if (wrong.actual == wrong.receiver)
    return FieldProblem{
        "actual",
        "this tile must differ from 'receiver', the tile that the transfer would reach without the defect"};
  return below("actual", wrong.actual, program.tiles,
               "{} must be below {}, the number of tiles of the program");
}

Status checkDefects(const Defects &defects, const Program &program) {
  const auto all = [&](const char *list, const auto &entries) -> Status {
    for (size_t i = 0; i < entries.size(); ++i)
      if (const auto problem = check(entries[i], program))
        return invalidInput(fmt::format("{}[{}].{}", list, i, problem->field), problem->reason);
    return success();
  };
  TILERIG_CHECK_OK(all("stuck_bit", defects.stuckBits));
  TILERIG_CHECK_OK(all("dead_lane", defects.deadLanes));
  TILERIG_CHECK_OK(all("narrow_accumulators", defects.narrowAccumulators));
  TILERIG_CHECK_OK(all("flipped_bit", defects.flippedBits));
  TILERIG_CHECK_OK(all("lost_signal", defects.lostSignals));
  TILERIG_CHECK_OK(all("delayed_transfer", defects.delayedTransfers));
  TILERIG_CHECK_OK(all("wrong_destination", defects.wrongDestinations));
  if (program.tiles < 64 && defects.deadTiles >> program.tiles)
    return invalidInput("dead_tile", "the list names a tile that the program does not have");
  return success();
}

} // namespace tilerig::emulator
