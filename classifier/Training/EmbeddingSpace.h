// Distance of a row from the training rows, in the space of embeddings.
//
// The distance compares only the directions in which embeddings differ from the mean embedding: the length of
// this difference shows how strong the errors are, not to which class the bug belongs. A class is represented
// by several directions, found by clustering: with a single direction, the rarer bugs of the class would look
// unknown.
#pragma once

#include "classifier/Training/Learn.h"

namespace tilerig::classifier {

struct EmbeddingSpace {
  size_t embeddingWidth = 0;
  std::vector<float> middle; // mean embedding of the training rows: [embeddingWidth]
  std::vector<float>
      directions; // unit vectors: directions of the known rows, [countDirections(), embeddingWidth]

  // Added to the length of a vector before division by it, since embeddings close to the mean have no clear
  // direction.
  static constexpr float leastLength = 1e-3f;

  size_t countDirections() const { return directions.size() / embeddingWidth; }
  // Cosine distance between the embedding and the nearest direction: 1 minus the cosine of their angle, so
  // between 0 and 2.
  double distance(std::span<const float> embedding) const;
};

struct KnownRows {
  const Answers &answers;
  const Indices &which; // indices in the dataset of the rows on which the network was run
};

EmbeddingSpace fitSpace(const Rows &rows, const KnownRows &training);

} // namespace tilerig::classifier
