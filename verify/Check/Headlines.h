// The headlines of a check's output, above the table: problems that may not show in the status of any tensor.
#pragma once

#include "verify/Records/Record.h"

#include <string>

namespace tilerig::verify {

// Text of the headlines: a verdict that is proved or blames the compiler's emitted layers; a wrong pass; a
// program that is unproved or faulty, with its first findings and the number of the others; layers that are
// emitted wrongly. Empty if there is none of these.
std::string headlinesOf(const std::vector<Json> &records);
// Whether headlinesOf() prints this record, so that it is not repeated below the table.
bool isHeadline(const Json &record);

// The verdict on the network in one line; empty if no layer is to blame.
std::string networkVerdictLine(const Json &verdict);

} // namespace tilerig::verify
