// Descriptions of evidence and verdicts in words.
#pragma once

#include "isa/Bugs/Bug.h"
#include "verify/Evidence/Channels.h"
#include "verify/Evidence/Facts.h"

#include <string>
#include <vector>

namespace tilerig::verify {

// What a channel or fact shows, in words: "how errors grow towards the border of the image".
std::string_view wordsOf(Channel channel);
std::string_view wordsOf(Fact fact);
// Whether a fact describes errors. Facts about the tensor itself or about what is known are no reasons for a
// verdict.
bool isEvidence(Fact fact);

// A class of bugs in words, and the parts of compiler, program or machine in which such bugs arise, both from
// the catalogue of bugs (isa/Bugs).
std::string_view wordsOf(BugClass bugClass);
std::vector<std::string> suspectsOf(BugClass bugClass);

} // namespace tilerig::verify
