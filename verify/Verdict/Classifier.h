// A classifier as it is used: an ONNX file, or a folder with one for each class, run by the reference.
//
// A file's inputs are evidence (Evidence/Sample.h): "channels", "picture" or "facts", of which it has some,
// as float32 with a batch of one; densities from 0 to 1. Its outputs are "probabilities" [1, numBugClasses]
// and "unknown" [1, 1], from 0 to 1, which is above a half where the evidence is unlike what the classifier
// learned from.
//
// A folder has CLASS.onnx for every class of bugs, each trained by itself, so that one can be trained again
// or replaced without the others. The outputs are the same, but "probabilities" are two: of any other class,
// and of its own. Together they say of each class its own probability as a share of the sum of all (B.
// Zadrozny and C. Elkan: Transforming classifier scores into accurate multiclass probability estimates,
// 2002), and it is unknown where none is sure of its class.
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
  // The threads have to outlive it.
  static Result<Classifier> load(const std::string &path, reference::Threads &threads);
  static Result<Classifier> parse(std::span<const std::byte> bytes, const std::string &place,
                                  reference::Threads &threads);

  Result<Scores> score(const Evidence &evidence) const;
  bool reads(std::string_view input) const;

private:
  // One file, of all classes or of one alone.
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

// The name of the graph in a classifier's file, of all classes or of one: a change of the evidence makes
// older files unfit.
std::string classifierGraphName(std::optional<BugClass> alone = {});
// The file of a class in a folder.
std::string classifierFileOf(const std::string &folder, BugClass alone);

} // namespace tilerig::verify
