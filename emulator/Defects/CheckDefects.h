// Checks that the program and its machine have the tile, bit, signal or transfer that a defect refers to.
#pragma once

#include "emulator/Defects/Defects.h"

namespace tilerig::emulator {

// A wrong field of a defect: its name in the fault file, and what is wrong with it.
struct FieldProblem {
  std::string field, reason;
};
using Checked = std::optional<FieldProblem>;

Checked check(const Lane &lane, const Program &program);
Checked check(const StuckBit &stuck, const Program &program);
Checked check(const NarrowAccumulators &narrow, const Program &program);
Checked check(const FlippedBit &flip, const Program &program);
Checked check(const LostSignal &lost, const Program &program);
Checked check(const DelayedTransfer &delayed, const Program &program);
Checked check(const WrongDestination &wrong, const Program &program);
Checked checkTile(uint64_t tile, const Program &program);

// Checks every defect of a run; the error names the first wrong field.
Status checkDefects(const Defects &defects, const Program &program);

} // namespace tilerig::emulator
