// Names of a model's values, for messages.
#pragma once

#include "reference/Model/Graph.h"

#include <span>
#include <string>
#include <vector>

namespace tilerig::reference {

std::vector<std::string> namesOf(const Graph &graph, std::span<const ValueId> ids);
// Remedy for an Error: "did you mean 'conv1'?", or else a list of the names there are.
std::string suggestName(const std::string &wrong, const std::vector<std::string> &names);

} // namespace tilerig::reference
