// Finds the synchronisation that is missing in a program.
//
// For a race these are the cheapest instructions that the machine has. Accesses of one tile are ordered by a sync of one engine, or of
// the sequencer, on the other. Accesses of two tiles are ordered by a wait, if a signal is sent after the first access anyway;
// otherwise by a signal and a wait, through a semaphore that is not used. A candidate counts only if the analyser finds fewer
// problems in the program to which it has been added, and no new ones.
//
// A wait that is never satisfied lacks a signal. It is looked for on the engine that sends the other signals of the semaphore: too
// early, nothing orders an access behind the wait any more; too late, the program does not end. In between it is proved, and the
// first such place is found by bisection.
#pragma once

#include "verify/Findings/Finding.h"

namespace tilerig::verify {

struct AddedInstruction {
  uint32_t stage = 0, tile = 0, before = 0; // index of the instruction before which it is added
  std::string text;                         // as in assembly text
};

struct MissingOrder {
  std::vector<AddedInstruction> added;
  bool isEnough = false; // whether the program is then proved free of races
  uint32_t layer =
      0; // the layer that lacks them: the one that should wait or, for a signal, that should send it
};

// What is missing at a race or at a wait that is never satisfied; nothing for other findings, and if no candidate helps. The
// analysis of the program without an addition has found `counts`.
std::optional<MissingOrder> missingOrder(const Program &program, const Finding &finding,
                                         const FindingCounts &counts);

Json missingOrderRecord(const MissingOrder &order, const Program &program);
// A line of text for a record.
std::string missingOrderLine(const Json &record);

} // namespace tilerig::verify
