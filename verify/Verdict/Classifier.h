// A classifier as it is used: an ONNX file, run by the reference.
//
// Its inputs are evidence (Evidence/Sample.h): "channels", "picture" or "facts", of which it has some, as
// float32 with a batch of one; densities from 0 to 1. Its outputs are "probabilities" [1, numBugClasses] and
// "unknown" [1, 1], from 0 to 1, which is above a half where the evidence is unlike what the classifier
// learned from.
#pragma once

#include "isa/Bugs/Bug.h"
#include "reference/Run/Interpreter.h"
#include "verify/Evidence/Sample.h"

#include <array>

namespace tilerig::verify {

using Probabilities = std::array<float, numBugClasses>; // by BugClass

struct Scores {
  Probabilities probabilities{};
  float unknown = 0;
};

class Classifier {
public:
  // The threads have to outlive it.
  static Result<Classifier> load(const std::string &path, reference::Threads &threads);
  static Result<Classifier> parse(std::span<const std::byte> bytes, const std::string &place,
                                  reference::Threads &threads);

  Result<Scores> score(const Evidence &evidence) const;
  bool reads(std::string_view input) const;

private:
  explicit Classifier(reference::Interpreter interpreter) : interpreter(std::move(interpreter)) {}
  static Result<Classifier> create(reference::Model model, reference::Threads &threads);

  reference::Interpreter interpreter;
};

// The name of the graph in a classifier's file: a change of the evidence makes older files unfit.
std::string classifierGraphName();

} // namespace tilerig::verify
