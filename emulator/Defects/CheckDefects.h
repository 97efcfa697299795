// Whether a program and its machine have what a defect speaks of.
#pragma once

#include "emulator/Defects/Defects.h"

namespace tilerig {

// The field of a defect that is wrong, by its name in a fault file, and why.
struct FieldProblem {
  std::string field, what;
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

// All of them.
Status checkDefects(const Defects &defects, const Program &program);

} // namespace tilerig
