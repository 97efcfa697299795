// Loads and runs a classifier in the reference interpreter: an ONNX file, or a folder with one file for each
// class.
//
// A file's inputs are some of "channels", "picture" and "features" (Evidence/Sample.h), as float32 with a
// batch of one; densities are in 0 to 1. The output "probabilities" [1, numBugClasses] has the probability of
// each class. The output "unknown" [1, 1] is above 0.5 if the inputs are unlike the training data. Older
// files do not know the classes of bugs in compiler passes; these classes then get the probability 0.
//
// A folder has a file CLASS.onnx for each class of bugs. Its output "probabilities" has two numbers: the
// probability of any other class, and that of its own class. The probability of a class is its own
// probability divided by the sum over all classes (B. Zadrozny and C. Elkan: Transforming classifier scores
// into accurate multiclass probability estimates, 2002). The bug is unknown if no classifier is sure of its
// class.
#pragma once

#include "isa/Bugs/Bug.h"
#include "reference/Run/Interpreter.h"
#include "verify/Evidence/Sample.h"

#include <array>
#include <optional>
#include <vector>

namespace tilerig::verify {

using Probabilities = std::array<float, numBugClasses>; // by BugClass

struct Scores {
  Probabilities probabilities{};
  float unknown = 0;
};

class Classifier {
public:
  // The threads, which run the classifier, must outlive the object.
  static Result<Classifier> load(const std::string &path, reference::Threads &threads);
  static Result<Classifier> parse(std::span<const std::byte> bytes, const std::string &place,
                                  reference::Threads &threads);

  Result<Scores> score(const Evidence &evidence) const;
  bool reads(std::string_view input) const;

private:
  // The ONNX model in one file of a classifier: for all classes of bugs or, in a folder, for one.
  struct Part {
    reference::Interpreter interpreter;
    std::optional<BugClass> alone;
  };

  explicit Classifier(std::vector<Part> parts) : parts(std::move(parts)) {}
  static Result<Part> partOf(reference::Model model, std::optional<BugClass> alone,
                             reference::Threads &threads);
  static Result<Classifier> create(std::vector<Part> parts);
  static Result<Classifier> loadFolder(const std::string &folder, reference::Threads &threads);

  std::vector<Part> parts;
};

// Name of the graph in the file of a classifier, for all classes or for one. It contains the version of the
// evidence, so that a file for another version is refused.
std::string classifierGraphName(std::optional<BugClass> alone = {});
// Path of the file for one class of bugs in the folder of a classifier.
std::string classifierFileOf(const std::string &folder, BugClass alone);

} // namespace tilerig::verify
