// The listing: the layers of a network as text for people, one block per layer, in the format described in
// README.md.
#pragma once

#include "compiler/Layer/Facts/Cards.h"

namespace tilerig::compiler {

std::string listing(const std::vector<Card> &cards);
// A report of the regions (consecutive layers that all run on the host, or all on the accelerator): which
// layers run where, how many bytes are moved for a region, and how long it takes.
std::string partitionReport(const std::vector<Card> &cards);

} // namespace tilerig::compiler
