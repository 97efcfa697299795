// Trains a model on some rows of a dataset and runs it on other rows.
//
// The same options, rows and number of threads give the same bits. After each epoch a checkpoint stores the
// complete state, so interrupted training can be resumed with the same result.
#pragma once

#include "classifier/Data/Labels.h"
#include "classifier/Data/Rows.h"
#include "classifier/Models/Kinds.h"
#include "isa/Base/Tensor/TensorMap.h"

#include <functional>
#include <string>
#include <vector>

namespace tilerig::classifier {

struct LearnOptions {
  unsigned epochs = 12, threads = 1;
  uint64_t seed = 1;
  size_t batch = 64;
  double rate = 2e-3;          // highest learning rate
  std::string checkpoint = {}; // path of the checkpoint file; empty: no checkpoint is written
  bool resume = false;
  Labels labels = {};
};

struct EpochFigures {
  double trainingLoss = 0; // mean loss over the augmented training rows during the epoch
  double checkingLoss = 0, checkingAccuracy = 0;
};

struct Learned {
  TensorMap parameters;
  // Losses of each epoch; a single element for a model trained in closed form.
  std::vector<EpochFigures> epochs;
};

using Indices = std::vector<size_t>;
using VisitEpoch = std::function<void(size_t epoch, const EpochFigures &)>;

Result<Learned> learn(const ModelKind &kind, const Rows &rows, const Indices &training,
                      const Indices &checking, const LearnOptions &options, const VisitEpoch &visit = {});

// Results of a network for each row of a list: embedding, logits and, for some kinds of models, the logit of
// "this row is a mixture" (Mixtures.h).
struct Answers {
  size_t embeddingWidth = 0, numLabels = numBugClasses;
  std::vector<float> embedding, logits, mixed;

  std::span<const float> embeddingOf(size_t i) const {
    return {&embedding[i * embeddingWidth], embeddingWidth};
  }
  std::span<const float> logitsOf(size_t i) const { return {&logits[i * numLabels], numLabels}; }
};
Result<Answers> answer(const ModelKind &kind, const TensorMap &parameters, const Rows &rows,
                       const Indices &which, unsigned threads, Labels labels = {});

} // namespace tilerig::classifier
