// All bugs that can be planted.
#pragma once

#include "isa/Bugs/Bug.h"

namespace tilerig {

std::span<const Bug> bugCatalogue();
// Null where there is none of that name.
const Bug *findBug(std::string_view id);

} // namespace tilerig
