// Evaluates a classifier in the way `tilerig check` uses it: runs its ONNX file through the reference
// interpreter and applies the rules of verify/Verdict. Reports each part of the dataset that was not trained
// on.
#pragma once

#include "classifier/Data/Rows.h"
#include "classifier/Judging/Card.h"
#include "classifier/Judging/Figures.h"

#include <map>
#include <vector>

namespace tilerig::classifier {

struct PartFigures {
  std::string name, description;
  Figures figures;
};

struct CleanFigures {
  size_t rows = 0; // number of rows without a bug in which the tensor differs from the reference nevertheless
  size_t calledWrong = 0;
};

// How well unknown bugs are detected, in network families that were not trained on. Compares the unknown
// scores (Training/Calibrate.h) of rows with held-out bugs with those of rows with known bugs.
struct UnknownFigures {
  Separation separation;
  std::map<std::string, Separation> byBug; // how well each held-out bug is told apart from all known bugs
  size_t unknownSaid = 0;                  // number of rows of held-out bugs with the answer "unknown"
  size_t knownRejected = 0;                // number of rows of known bugs with the answer "unknown"
};

struct Evaluation {
  std::string model;
  Card card;
  std::vector<PartFigures> parts; // non-empty parts of the dataset (Data/Split.h)
  UnknownFigures unknown;         // how well unknown bugs are detected in all rows
  // How well unknown bugs are detected in the rows that have all the measurements of `tilerig check`.
  UnknownFigures unknownOfChecks;
  CleanFigures clean;
  double millisecondsPerRow = 0; // time that a single thread takes to classify a row
};

// Whether a model may be evaluated on a dataset row of this origin: true if the row was held out of the
// model's training.
bool isJudged(const Card &card, const verify::Origin &origin);

Result<Evaluation> evaluate(const std::string &model, const Card &card, const Rows &rows, unsigned threads);

} // namespace tilerig::classifier
