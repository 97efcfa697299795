// Evaluates a classifier as it is used: runs its ONNX file through the reference interpreter and applies the
// rules of verify/Verdict, on each part of the rows that it was not trained on.
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
  size_t rows = 0; // rows without a bug whose elements differ
  size_t calledWrong = 0;
};

// Detection of held-out bugs: their unknown score against that of known bugs of unseen families.
struct UnknownFigures {
  Separation separation;
  std::map<std::string, Separation> byBug; // each bug against all known ones
  size_t unknownSaid = 0;                  // held-out bugs with the answer "unknown"
  size_t knownRejected = 0;                // known bugs with the answer "unknown"
};

struct Evaluation {
  std::string model;
  Card card;
  std::vector<PartFigures> parts;          // only parts that have rows
  UnknownFigures unknown, unknownOfChecks; // of all rows, and of those a check sees
  CleanFigures clean;
  double millisecondsPerRow = 0; // measured on one thread
};

// Whether a model with this card may be evaluated on such a row.
bool isJudged(const Card &card, const verify::Origin &origin);

Result<Evaluation> evaluate(const std::string &model, const Card &card, const Rows &rows, unsigned threads);

} // namespace tilerig::classifier
