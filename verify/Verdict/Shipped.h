// The classifier that is part of the program: classifier/Shipped/classifier.onnx, or another one in its
// place.
#pragma once

#include "verify/Verdict/Classifier.h"

namespace tilerig::verify {

Result<Classifier> shippedClassifier(reference::Threads &threads);
// Where a path is given, what lies there.
Result<Classifier> openClassifier(const std::string &path, reference::Threads &threads);

} // namespace tilerig::verify
