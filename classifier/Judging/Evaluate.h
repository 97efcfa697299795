// Judges a classifier as it is used: its ONNX file through the reference, and what verify/Verdict decides, on
// the rows that it was not trained on, part by part.
#pragma once

#include "classifier/Data/Rows.h"
#include "classifier/Judging/Card.h"
#include "classifier/Judging/Figures.h"

#include <map>
#include <vector>

namespace tilerig::classifier {

struct PartFigures {
  std::string name, what;
  Figures figures;
};

struct CleanFigures {
  size_t rows = 0; // of no bug, with elements that differ
  size_t calledWrong = 0;
};

// Bugs that were kept out, against known ones of unseen families.
struct UnknownFigures {
  Separation separation;
  std::map<std::string, Separation> byBug; // each against all known ones
  size_t unknownSaid = 0;                  // of the bugs kept out, how many are called unknown
  size_t knownRejected = 0;                // and of the known ones
};

struct Evaluation {
  std::string model;
  Card card;
  std::vector<PartFigures> parts;          // those that have rows
  UnknownFigures unknown, unknownOfChecks; // of all rows, and of those alone that tilerig check sees
  CleanFigures clean;
  double millisecondsPerRow = 0; // on one thread
};

// Whether a model of this card may be judged on such a row.
bool isJudged(const Card &card, const verify::Origin &origin);

Result<Evaluation> evaluate(const std::string &model, const Card &card, const Rows &rows, unsigned threads);

} // namespace tilerig::classifier
