// The headlines of a check's output, printed above the table of tensors: problems that may not show in the
// status of any tensor.
#pragma once

#include "verify/Records/Record.h"

#include <string>

namespace tilerig::verify {

// Text of the headlines of a check: a verdict that is proved, or that blames the compiler; a wrong pass of
// the compiler; a program with faults or not proved free of races, with its first findings and the number of
// the others; layers that the compiler translated wrongly. Empty if there is none of these.
std::string headlinesOf(const std::vector<Json> &records);
// Whether headlinesOf() prints a record, so that the record is not repeated below the table.
bool isHeadline(const Json &record);

// The verdict on the network in one line; empty if no layer is to blame.
std::string networkVerdictLine(const Json &verdict);

} // namespace tilerig::verify
