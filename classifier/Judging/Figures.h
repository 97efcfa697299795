// Metrics of classification: accuracy, F1, calibration error, AUROC. Works on plain numbers, so that tests
// can compare with results computed by hand.
#pragma once

#include "isa/Bugs/Bug.h"

#include <array>
#include <cstddef>
#include <vector>

namespace tilerig::classifier {

// The true class of a row (`truth`), and the class that the classifier predicted (`said`).
struct Judged {
  BugClass truth = BugClass::noError, said = BugClass::noError;
  float probability = 0; // probability of the predicted class
};

struct ClassFigures {
  size_t rows = 0, said = 0, right = 0;

  double precision() const { return said ? static_cast<double>(right) / static_cast<double>(said) : 0; }
  double recall() const { return rows ? static_cast<double>(right) / static_cast<double>(rows) : 0; }
  double f1() const {
    return rows + said ? 2.0 * static_cast<double>(right) / static_cast<double>(rows + said) : 0;
  }
};

// Confusion matrix: the number of rows by [true class][predicted class].
using Confusion = std::array<std::array<size_t, numBugClasses>, numBugClasses>;

struct Figures {
  size_t rows = 0;
  double accuracy = 0;
  double macroF1 = 0;     // mean of F1 over the classes that have rows
  double worstRecall = 0; // lowest recall of any class that has rows
  BugClass worstClass = BugClass::noError;
  double calibrationError = 0; // expected calibration error, 15 bins of equal width
  std::array<ClassFigures, numBugClasses> classes{};
  Confusion confusion{};
};

Figures figuresOf(const std::vector<Judged> &rows);

// How well the unknown score separates rows with unknown bugs, which should have larger scores, from rows
// with known bugs. `area` is the area under the ROC curve. `passing` is the share of the rows with unknown
// bugs that count as known, at the limit at which 95 % of the rows with known bugs do.
struct Separation {
  size_t known = 0, unknown = 0;
  double area = 0, passing = 0;
};
Separation separationOf(std::vector<float> known, std::vector<float> unknown);

} // namespace tilerig::classifier
