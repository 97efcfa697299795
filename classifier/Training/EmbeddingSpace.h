// Distance of a row from the training rows, in the space of embeddings.
//
// The distance uses the direction of a row's embedding from the mean of all rows. The length of this
// difference is not used: it says how clearly the row shows its bug, not of which class the bug is. A class
// is represented by several directions, found by clustering: with a single direction, the rarer bugs of the
// class would look unknown.
#pragma once

#include "classifier/Training/Learn.h"

namespace tilerig::classifier {

struct EmbeddingSpace {
  size_t embeddingWidth = 0;
  std::vector<float> middle; // mean embedding of the training rows: [embeddingWidth]
  std::vector<float>
      directions; // [countDirections(), embeddingWidth]: directions of known rows, unit vectors

  // Added to the length of a vector before division by it, since embeddings close to the mean have no clear
  // direction.
  static constexpr float leastLength = 1e-3f;

  size_t countDirections() const { return directions.size() / embeddingWidth; }
  // 1 minus the cosine of the angle between the embedding and the nearest of the directions: 0 if the row lies
  // exactly in one of the directions, at most 2.
  double distance(std::span<const float> embedding) const;
};

struct KnownRows {
  const Answers &answers;
  const Indices &which; // indices in the dataset of the rows for which `answers` has the network's outputs
};

EmbeddingSpace fitSpace(const Rows &rows, const KnownRows &training);

} // namespace tilerig::classifier
