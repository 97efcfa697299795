// What is said of a tensor: the class of its bug with how likely each class is, that the bug is none that is
// known, or that nothing can be said.
//
// Three things are known without a classifier. Where no element differs there is no error. Where the
// reference states what a faultless device gives, bit for bit, and an element differs, there is one. Where it
// does not, nobody says how to round: what rounds otherwise is no error, and what is off by no more than half
// a step of 8 bits of the largest number.
#pragma once

#include "verify/Metrics/Comparison.h"
#include "verify/Verdict/Classifier.h"

#include <optional>
#include <string>
#include <vector>

namespace tilerig::verify {

enum class Answer : uint8_t {
  named,     // the class
  unknown,   // a bug unlike all that the classifier learned from
  cannotSay, // and why: `reason`
};
std::string_view nameOf(Answer answer); // as in records: "cannot_say"

// Without an oracle differences are the rule: a layer is called wrong only if that is this likely, and one
// class of bugs is; of what is unlike all bugs that are known nothing is said. The noise of a deep network in
// 8 bits is a little like many of them.
inline constexpr float leastCertainty = 0.995f, leastCertaintyOfClass = 0.9f;

struct Verdict {
  Answer answer = Answer::cannotSay;
  std::string reason;
  BugClass bugClass = BugClass::noError; // the likeliest that may be said
  Probabilities probabilities{};
  float unknown = 0;
};

Verdict decide(const Scores &scores, const Facts &facts);
Verdict cannotSay(std::string reason);

// Why these tensors say nothing, where they do not: too few elements, a reference of zeros or of one value,
// numbers that are none.
std::optional<std::string> whyNothingCanBeSaid(const Comparison &comparison, const Tensor &reference);
// Whoever knows no program can make nothing of it, on either side.
bool isConstant(const Tensor &tensor);

// The likeliest classes, the first first.
std::vector<BugClass> likeliest(const Probabilities &probabilities, size_t count);

// Of a network: the layer that is wrong first, and what all layers that are wrong by themselves say together.
struct LayerVerdict {
  std::string layer;
  Verdict verdict;
};
std::optional<LayerVerdict> verdictOfNetwork(const std::vector<LayerVerdict> &wrongLayers);

} // namespace tilerig::verify
