// Evidence and verdicts in words.
#pragma once

#include "isa/Bugs/Bug.h"
#include "verify/Evidence/Channels.h"
#include "verify/Evidence/Facts.h"

#include <string>
#include <vector>

namespace tilerig::verify {

// What a channel shows, or a fact says: "how errors grow towards the border of the image".
std::string_view wordsOf(Channel channel);
std::string_view wordsOf(Fact fact);
// Rather than what the tensor is or who was asked: that can be no reason for a verdict.
bool isEvidence(Fact fact);

// The class in words, and the parts of compiler, program or machine where such bugs arise, as the catalogue
// has them.
std::string_view wordsOf(BugClass bugClass);
std::vector<std::string> suspectsOf(BugClass bugClass);

} // namespace tilerig::verify
