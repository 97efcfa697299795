// The catalogue of all bugs that can be injected.
#pragma once

#include "isa/Bugs/Bug.h"

namespace tilerig {

std::span<const Bug> bugCatalogue();
// Null if there is no bug with that id.
const Bug *findBug(std::string_view id);

} // namespace tilerig
