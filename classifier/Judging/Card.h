// The model card: training options, dataset and held-out rows, stored as JSON beside the ONNX file, so that
// an evaluation knows which rows the model has not seen.
#pragma once

#include "classifier/Data/Split.h"
#include "isa/Base/Support/Error.h"

namespace tilerig::classifier {

struct Card {
  std::string kind, command;
  std::string datasetCommand; // command line that makes the dataset again
  uint64_t datasetSeed = 0, seed = 0;
  int evidenceVersion = 0;
  unsigned epochs = 0, threads = 0;
  Split split;
  std::map<std::string, uint64_t> rows; // number of rows in each part of the dataset (Data/Split.h)
  std::map<std::string, uint64_t> bugs; // number of rows of each bug in the whole dataset, by name of the bug
  uint64_t parameters = 0;              // number of trained parameters
  double temperature = 1, minutes = 0;
};

std::string cardPathOf(const std::string &model); // converts "a/b.onnx" to "a/b.json"
Json asJson(const Card &card);
Status writeCard(const std::string &path, const Card &card);
Result<Card> readCard(const std::string &path);
// Reads the model card of a model, or of a folder with a model for each bug class. All models of a folder
// must hold out the same rows.
Result<Card> readCardOf(const std::string &model);

} // namespace tilerig::classifier
