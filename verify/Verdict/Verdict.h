// The verdict on a tensor: the class of its bug with the probability of each class, an unknown bug, or
// "cannot say".
//
// Three cases are decided without a classifier. If no element differs there is no error. If the reference
// states what a faultless device computes, bit for bit, and an element differs, there is an error. If the
// reference is not exact, rounding is not specified: other rounding is no error, nor is an error of at most
// half an 8-bit step of the largest number.
#pragma once

#include "verify/Metrics/Comparison.h"
#include "verify/Verdict/Classifier.h"

#include <optional>
#include <string>
#include <vector>

namespace tilerig::verify {

enum class Answer : uint8_t {
  named,     // the class is named
  unknown,   // a bug unlike the classifier's training data
  cannotSay, // see `reason`
};
std::string_view nameOf(Answer answer); // as in records: "cannot_say"

// Thresholds without an oracle, where differences are normal: a layer is called wrong only if the probability
// of any error and that of one class reach these. If the evidence is unlike all known bugs, no verdict is
// given, because the noise of a deep network in 8 bits looks a little like many of them.
inline constexpr float leastCertainty = 0.995f, leastCertaintyOfClass = 0.9f;

struct Verdict {
  Answer answer = Answer::cannotSay;
  std::string reason;
  BugClass bugClass = BugClass::noError; // the most probable class that may be named
  Probabilities probabilities{};
  float unknown = 0;
};

Verdict decide(const Scores &scores, const Facts &facts);
Verdict cannotSay(std::string reason);

// Why these tensors do not allow a verdict: too few elements, a reference of zeros or of one value, or
// non-finite numbers. Empty if they do.
std::optional<std::string> whyNothingCanBeSaid(const Comparison &comparison, const Tensor &reference);
// Whether all elements are equal. Without a program, a constant tensor on either side allows no verdict.
bool isConstant(const Tensor &tensor);

// The `count` most probable classes, in descending order.
std::vector<BugClass> likeliest(const Probabilities &probabilities, size_t count);

// Verdict on a layer, and the verdict on a network: its first wrong layer, with the combined verdicts of all
// layers that are wrong by themselves.
struct LayerVerdict {
  std::string layer;
  Verdict verdict;
};
std::optional<LayerVerdict> verdictOfNetwork(const std::vector<LayerVerdict> &wrongLayers);

} // namespace tilerig::verify
