// The built-in classifier, classifier/Shipped/classifier.onnx, and its replacement by a file of the user's.
#pragma once

#include "verify/Verdict/Classifier.h"

namespace tilerig::verify {

// Loads the built-in classifier, which runs on `threads`.
Result<Classifier> shippedClassifier(reference::Threads &threads);
// Loads the classifier at `path`, or the built-in one if `path` is empty.
Result<Classifier> openClassifier(const std::string &path, reference::Threads &threads);

} // namespace tilerig::verify
