// Explains a race: which synchronisation would order the two accesses.
//
// Candidates are the cheapest ones that the machine has: on one tile a sync of one engine on the other, between tiles a signal
// after the first access and a wait before the second, through a semaphore that is not used. A candidate counts only if the
// analyser finds fewer problems in the program to which it has been added, and no new ones.
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
};

// What orders the two instructions of a race; nothing for other findings, and if no candidate does. The analysis of the
// program without an addition has found `counts`.
std::optional<MissingOrder> missingOrder(const Program &program, const Finding &race,
                                         const FindingCounts &counts);

Json missingOrderRecord(const MissingOrder &order, const Program &program);
// A line of text for a record.
std::string missingOrderLine(const Json &record);

} // namespace tilerig::verify
