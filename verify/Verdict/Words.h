// Descriptions of verdicts and of classes of bugs in words.
#pragma once

#include "isa/Bugs/Bug.h"

#include <string>
#include <vector>

namespace tilerig::verify {

// A class of bugs in words, and the parts of the compiler, program or machine in which such bugs arise. Both
// come from the catalogue of bugs (isa/Bugs).
std::string_view wordsOf(BugClass bugClass);
std::vector<std::string> suspectsOf(BugClass bugClass);

} // namespace tilerig::verify
