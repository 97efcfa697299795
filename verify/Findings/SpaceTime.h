// Explains a race or a deadlock by the order of the steps around it: as a space-time diagram (SVG), and in words by the vector
// clocks of the two accesses.
#pragma once

#include "isa/Analyser/OrderExcerpt.h"
#include "isa/Base/Support/Json.h"

namespace tilerig::verify {

// A diagram with time running downwards. It has no scripts and names no other files, and its text is escaped.
std::string drawSpaceTime(const OrderExcerpt &excerpt, const Program &program);

// What the vector clocks say about a race; empty for other problems. An entry for each access:
//
//   thread, step   the thread that makes the access, and the number of its step in this thread
//   other, known   the thread of the other access, and how many of its steps have certainly ended when this one begins
//   words          the same as a sentence
Json clockRecords(const OrderExcerpt &excerpt, const Program &program);

} // namespace tilerig::verify
