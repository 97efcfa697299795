// Exhaustive race check: finds all races and uninitialised reads of a stage that is known to have a race.
//
// The fast check of LiveAccesses only tells whether there is a race, which is enough for a correct program.
// Once there is a race, accesses that the fast check has dropped may matter. The stage is then checked anew,
// directly by the following definitions, in quadratic time at worst. Two accesses race if they share a byte,
// at least one writes, and neither ends before the other begins. A byte that is read is initialised if it was
// so when the stage began, or if a write of it ended before the read began.
#pragma once

#include "isa/Analyser/Constants.h"
#include "isa/Analyser/Order.h"
#include "isa/Order/ByteSet.h"
#include "isa/Order/Report.h"

namespace tilerig {

Problem uninitialisedRead(Place place, MemoryId memory, ByteRange bytes);

// `initialised` holds the bytes initialised at the beginning of the stage, by memory.
void reportRaces(const Program &program, const StageThreads &stage, const Order &order,
                 const Constants &constants, const std::vector<ByteSet> &initialised, Report &report);

} // namespace tilerig
