// What is known of a model beside its ONNX file, in the file of its name that ends in .json: how it was made,
// of what, and what was held out, so that whoever judges it knows what it has not seen.
#pragma once

#include "classifier/Data/Split.h"
#include "isa/Support/Error.h"

namespace tilerig::classifier {

struct Card {
  std::string kind, command;
  std::string datasetCommand; // that makes the dataset again
  uint64_t datasetSeed = 0, seed = 0;
  int evidenceVersion = 0;
  unsigned epochs = 0, threads = 0;
  Split split;
  std::map<std::string, uint64_t> rows; // by part
  std::map<std::string, uint64_t> bugs; // rows of each in the whole dataset
  uint64_t parameters = 0;              // how many numbers were learnt
  double temperature = 1, minutes = 0;
};

std::string cardPathOf(const std::string &model); // "a/b.onnx" to "a/b.json"
Json asJson(const Card &card);
Status writeCard(const std::string &path, const Card &card);
Result<Card> readCard(const std::string &path);
// Of a model or of a folder of models of one class each, which have to hold out the same.
Result<Card> readCardOf(const std::string &model);

} // namespace tilerig::classifier
