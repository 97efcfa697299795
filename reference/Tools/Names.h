// Names of a model's values in messages.
#pragma once

#include "reference/Model/Graph.h"

#include <span>
#include <string>
#include <vector>

namespace tilerig::reference {

std::vector<std::string> namesOf(const Graph &graph, std::span<const ValueId> ids);
// "did you mean 'conv1'?", or else what there is; for an Error's remedy.
std::string suggestName(const std::string &wrong, const std::vector<std::string> &names);

} // namespace tilerig::reference
