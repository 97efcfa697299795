// Descriptions of verdicts in words.
#pragma once

#include "isa/Bugs/Bug.h"

#include <string>
#include <vector>

namespace tilerig::verify {

// A class of bugs in words, and the parts of compiler, program or machine in which such bugs arise, both from
// the catalogue of bugs (isa/Bugs).
std::string_view wordsOf(BugClass bugClass);
std::vector<std::string> suspectsOf(BugClass bugClass);

} // namespace tilerig::verify
