#include "verify/Evidence/Features.h"

namespace tilerig::verify {

namespace {

struct Row {
  std::string_view name, words;
  FeatureNeed need;
};
constexpr Row rows[] = {
#define FEATURE(name, file, need, words) {file, words, FeatureNeed::need},
#include "verify/Evidence/Features.def"
};

const Row &rowOf(Feature feature) { return rows[static_cast<size_t>(feature)]; }

} // namespace

std::string_view nameOf(Feature feature) { return rowOf(feature).name; }

FeatureNeed needOf(Feature feature) { return rowOf(feature).need; }

bool isEvidence(Feature feature) { return !rowOf(feature).words.empty(); }

std::string_view wordsOf(Feature feature) {
  return isEvidence(feature) ? rowOf(feature).words : nameOf(feature);
}

} // namespace tilerig::verify
