// What a check says first, above the table: that something is wrong which the status of no tensor may show.
#pragma once

#include "verify/Records/Record.h"

#include <string>

namespace tilerig::verify {

// The verdict, where it is proved or is about the compiler's statements; a program that is unproved or
// faulty, with the first findings against it and the count of the others; layers that are stated wrongly.
// Empty where there is none of these.
std::string headlinesOf(const std::vector<Json> &records);
// Whether headlinesOf() says what this record does.
bool isHeadline(const Json &record);

// The verdict on the network, in a line; empty where no layer is to blame.
std::string networkVerdictLine(const Json &verdict);

} // namespace tilerig::verify
