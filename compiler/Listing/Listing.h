// The layers of a network as text, for people: a block for each, in the form that README.md states.
#pragma once

#include "compiler/Listing/Cards.h"

namespace tilerig {

std::string listing(const std::vector<Card> &cards);
// Which part runs where, what is moved for it and how long that takes.
std::string partitionReport(const std::vector<Card> &cards);

} // namespace tilerig
