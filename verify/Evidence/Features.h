// The features of a tensor: single numbers that the classifier reads besides the channels (maps, Channels.h):
// properties of the tensor, what is known about it, and the composition of its errors.
//
// Every feature is finite, has a magnitude of about 1, and is 0 if it does not apply. Features of the layer
// and of the run are 0 if only two files of tensors are compared (needOf). A change of the meaning or order
// of the features requires a new version of the evidence (Channels.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilerig::verify {

enum class Feature : uint8_t {
#define FEATURE(name, file, need, words) name,
#include "verify/Evidence/Features.def"
};
inline constexpr size_t numFeatures = 0
#define FEATURE(name, file, need, words) +1
#include "verify/Evidence/Features.def"
    ;
using Features = std::array<float, numFeatures>;

std::string_view nameOf(Feature feature); // name of the feature as in files: "is_f32"

// What must be available so that a feature can be measured.
enum class FeatureNeed : uint8_t {
  tensors, // the feature is measured from the two compared tensors alone
  program, // the feature also needs the program that computed the target
  // The feature also needs the program that computed the target, and a run of this program on its machine.
  run,
};
// A row of Features.def or Channels.def, which describes one feature or one channel.
struct EvidenceRow {
  std::string_view name; // as in files
  FeatureNeed need;
  std::string_view words;
};

FeatureNeed needOf(Feature feature);

// What the feature shows, in words, such as "signs are inverted". For features that describe no errors: their
// name.
std::string_view wordsOf(Feature feature);
// Whether a feature describes errors. Features about the tensor itself, or about what is known of it, are no
// reasons for a verdict.
bool isEvidence(Feature feature);

} // namespace tilerig::verify
