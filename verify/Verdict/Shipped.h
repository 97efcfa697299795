// The built-in classifiers of classifier/Shipped, and their replacement by a file of the user's.
#pragma once

#include "verify/Verdict/Classifier.h"

namespace tilerig::verify {

// What the evidence on a tensor is measured from. Without a program, most of its measurements are missing, and a classifier of its own
// knows that better.
enum class EvidenceOf : uint8_t { programs, dumpsWithModel };

// Loads a built-in classifier, which runs on `threads`: classifier.onnx, or dumps.onnx.
Result<Classifier> shippedClassifier(reference::Threads &threads, EvidenceOf evidence = EvidenceOf::programs);
// Loads the classifier at `path`, or a built-in one if `path` is empty.
Result<Classifier> openClassifier(const std::string &path, reference::Threads &threads,
                                  EvidenceOf evidence = EvidenceOf::programs);

} // namespace tilerig::verify
