// What a check says of bugs in tensors: a verdict on each that is wrong by itself (NetworkVerdict.h has the
// one on the network).
//
// The classifier is read when the first such tensor comes: a check of what is right does without.
#pragma once

#include "verify/Check/Check.h"
#include "verify/Verdict/Shipped.h"
#include "verify/Verdict/VerdictRecord.h"

#include <optional>
#include <string>
#include <vector>

namespace tilerig::verify {

class CheckVerdicts {
public:
  // Of that file, or the one that is part of tilerig. The threads have to outlive it.
  CheckVerdicts(std::string classifier, reference::Threads &threads)
      : path(std::move(classifier)), threads(threads) {}

  // Reads the classifier at once, for one that may be broken.
  Status open();
  // Adds the verdict to the record of a tensor, if it is wrong by itself and the class of the bug is not
  // proved.
  Status add(const Check &check, const CheckRun &run, const CheckedTensor &tensor, Json &record);
  // Those on the tensors that were added and are wrong by themselves.
  const std::vector<LayerVerdict> &onTensors() const { return wrong; }

private:
  std::string path;
  reference::Threads &threads;
  std::optional<Classifier> classifier;
  std::vector<LayerVerdict> wrong;
};

} // namespace tilerig::verify
