// The verdict on a tensor: the class of its bug with the probability of each class, an unknown bug, or
// "cannot say".
//
// Three cases are decided without a classifier. If no element differs, there is no error. If the reference is
// exact, bit for bit, and an element differs, there is an error. If the reference is not exact, other
// rounding is no error, nor is a difference of at most half an 8-bit step of the largest number.
#pragma once

#include "verify/Metrics/Comparison.h"
#include "verify/Verdict/Classifier.h"

#include <optional>
#include <string>
#include <vector>

namespace tilerig::verify {

enum class Answer : uint8_t {
  named,     // there is a bug, of the class that the verdict names
  unknown,   // there is a bug, unlike all those in the classifier's training data
  cannotSay, // no verdict is possible; `reason` says why
};
std::string_view nameOf(Answer answer); // name as in records: "cannot_say"

// Thresholds for references that are not exact, where differences are normal. A layer is called wrong only if
// the probability that it has any error and the probability of one class both reach their threshold. If the
// errors are unlike all known bugs, there is no verdict, because the noise of a deep 8-bit network resembles
// many bugs a little.
inline constexpr float leastCertainty = 0.995f, leastCertaintyOfClass = 0.9f;

struct Verdict {
  Answer answer = Answer::cannotSay;
  std::string reason;
  BugClass bugClass = BugClass::noError; // the most probable class that a verdict may name
  Probabilities probabilities{};
  float unknown = 0;
};

// The classes that a tensor's bug can have by what is known without a classifier, from first to last - 1. A tensor that differs from an
// exact reference has an error. If the reference is the model that the compiler emitted with the program, the error is not in a pass of
// the compiler, because that changes both alike; the original model (verify/Dumps) shows such errors, too.
struct PossibleClasses {
  size_t first, last;
};
PossibleClasses possibleClasses(const Features &features);

Verdict decide(const Scores &scores, const Features &features);
Verdict cannotSay(std::string reason);

// Why a pair of tensors does not allow a verdict: too few elements, a reference of zeros or of one value, or
// elements that are NaN or infinite. Empty if a verdict is possible.
std::optional<std::string> whyNothingCanBeSaid(const Comparison &comparison, const Tensor &reference);
// Whether all elements of a tensor have the same value. Without a program, no verdict is given on a pair with
// such a tensor.
bool isConstant(const Tensor &tensor);

// The `count` most probable classes of bugs, the most probable first.
std::vector<BugClass> likeliest(const Probabilities &probabilities, size_t count);

} // namespace tilerig::verify
