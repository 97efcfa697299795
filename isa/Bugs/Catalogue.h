// The catalogue of all bugs that can be injected.
#pragma once

#include "isa/Bugs/Bug.h"

namespace tilerig {

std::span<const Bug> bugCatalogue();
// Returns the bug with that id, or null if there is none.
const Bug *findBug(std::string_view id);

} // namespace tilerig
