// All races and all uninitialised reads of a stage that has a race: every pair of accesses is looked at.
//
// The quick check of LiveAccesses tells whether there is a race, which is all that a correct program needs.
// Once there is one, what it has forgotten may matter, so the stage is gone through again, in quadratic time
// at worst, with the definitions themselves: two accesses race if they share a byte, one of them writes, and
// neither ends before the other begins; a byte that is read is initialised if it was when the stage began or
// some write of it ended before.
#pragma once

#include "isa/Analyser/ByteSet.h"
#include "isa/Analyser/Constants.h"
#include "isa/Analyser/Order.h"
#include "isa/Analyser/Report.h"

namespace tilerig {

Problem uninitialisedRead(Place place, MemoryId memory, ByteRange bytes);

// `initialised` is what was when the stage began, by memory.
void reportRaces(const Program &program, const StageThreads &stage, const Order &order,
                 const Constants &constants, const std::vector<ByteSet> &initialised, Report &report);

} // namespace tilerig
