#include "verify/Evidence/Features.h"

namespace tilerig::verify {

namespace {

constexpr EvidenceRow featureRows[] = {
#define FEATURE(name, file, need, words) {file, FeatureNeed::need, words},
#include "verify/Evidence/Features.def"
};

const EvidenceRow &rowOf(Feature feature) { return featureRows[static_cast<size_t>(feature)]; }

} // namespace

std::string_view nameOf(Feature feature) { return rowOf(feature).name; }

FeatureNeed needOf(Feature feature) { return rowOf(feature).need; }

bool isEvidence(Feature feature) { return !rowOf(feature).words.empty(); }

std::string_view wordsOf(Feature feature) {
  return isEvidence(feature) ? rowOf(feature).words : nameOf(feature);
}

} // namespace tilerig::verify
