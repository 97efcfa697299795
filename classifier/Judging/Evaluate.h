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
  size_t rows = 0; // number of rows without a bug, in which target and reference differ all the same
  size_t calledWrong = 0;
};

// Detection of unknown bugs: the unknown score (Training/Calibrate.h) of rows of held-out bugs, compared with
// that of rows of known bugs in unseen families.
struct UnknownFigures {
  Separation separation;
  std::map<std::string, Separation> byBug; // rows of each held-out bug against those of all known bugs
  size_t unknownSaid = 0;                  // number of rows of held-out bugs with the answer "unknown"
  size_t knownRejected = 0;                // number of rows of known bugs with the answer "unknown"
};

struct Evaluation {
  std::string model;
  Card card;
  std::vector<PartFigures> parts;          // only parts that have rows
  UnknownFigures unknown, unknownOfChecks; // of all rows; of rows with all the evidence of tilerig check
  CleanFigures clean;
  double millisecondsPerRow = 0; // time of one thread
};

// Whether a model with this card may be evaluated on a row of this origin: a row that it was not trained on.
bool isJudged(const Card &card, const verify::Origin &origin);

Result<Evaluation> evaluate(const std::string &model, const Card &card, const Rows &rows, unsigned threads);

} // namespace tilerig::classifier
