#include "verify/Verdict/Words.h"

#include "isa/Bugs/Catalogue.h"

#include <algorithm>
#include <array>

namespace tilerig::verify {

namespace {

constexpr std::array<std::string_view, EnumNames<BugClass>::values.size()> classWords = {
    "no error",
    "padding",
    "loading of biases",
    "loading of coefficients",
    "orientation of weights or results",
    "clipping",
    "calls of lower-level instructions",
    "type or zero point of quantised values",
    "scaling",
    "overflow",
    "rounding",
    "splitting into tiles, or copying between them",
    "access to data",
    "mapping of memory",
    "allocation of memory",
    "synchronisation",
    "order of instructions",
    "function tables",
    "hardware",
    "rewrite of a pass",
    "type or scale decided by a pass",
};

} // namespace

std::string_view wordsOf(BugClass bugClass) { return classWords[static_cast<size_t>(bugClass)]; }

std::vector<std::string> suspectsOf(BugClass bugClass) {
  std::vector<std::string> suspects;
  if (bugClass == BugClass::noError)
    return suspects;
  for (const Bug &bug : bugCatalogue())
    if (bug.bugClass == bugClass && std::ranges::find(suspects, bug.site) == suspects.end())
      suspects.emplace_back(bug.site);
  return suspects;
}

} // namespace tilerig::verify
