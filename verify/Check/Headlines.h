// The headlines of a check, printed above the table of tensors: problems that the table may not show.
#pragma once

#include "verify/Records/Record.h"

#include <string>

namespace tilerig::verify {

// Text of the headlines of a check, empty if there is none. Headlines are: a verdict that is proved, or that
// blames the compiler; a wrong pass of the compiler; the first findings about a faulty program; layers that
// the compiler translated wrongly.
std::string headlinesOf(const std::vector<Json> &records);
// Whether headlinesOf() prints a record, so that the record is not repeated below the table.
bool isHeadline(const Json &record);

// The verdict on the network in one line, and a line for each other bug; empty if no layer is to blame.
std::string networkVerdictLines(const Json &verdict);

} // namespace tilerig::verify
