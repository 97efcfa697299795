// Verdicts on the tensors of a check that are wrong by themselves, that is, from right inputs. The verdict on
// the network is in NetworkVerdict.h.
//
// The classifier is loaded only when a wrong tensor is found.
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
  // Uses the classifier in a file or, if no file is named, the built-in one. The threads must outlive the
  // object.
  CheckVerdicts(std::string classifier, reference::Threads &threads)
      : path(std::move(classifier)), threads(threads) {}

  // Loads the classifier at once, to report a broken file early.
  Status open();
  // Adds the verdict to a tensor's record if the tensor is wrong by itself (from right inputs) and nothing
  // has proved the class of the bug.
  Status add(const Check &check, const CheckRun &run, const CheckedTensor &tensor, Json &record);
  // Verdicts on those tensors passed to add() that are wrong although their layers' inputs are right.
  const std::vector<LayerVerdict> &onTensors() const { return wrong; }

private:
  std::string path;
  reference::Threads &threads;
  std::optional<Classifier> classifier;
  std::vector<LayerVerdict> wrong;
};

} // namespace tilerig::verify
