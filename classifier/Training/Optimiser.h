// AdamW (I. Loshchilov, F. Hutter: Decoupled weight decay regularization, 2019), with a rate that rises for a
// while and falls like a cosine. Written out, because its state has to be part of our checkpoints.
#pragma once

#include "classifier/Models/TorchLayers.h"

namespace tilerig::classifier {

class Optimiser {
public:
  Optimiser(Parameters &parameters, double highestRate, size_t steps);

  void step(); // by the gradients that the parameters have, which are then gone
  // For checkpoints.
  void addTo(TensorMap &tensors) const;
  Status take(const TensorMap &tensors, size_t stepsDone, const std::string &place);

private:
  double rate() const;

  Parameters &parameters;
  double highestRate;
  size_t steps, done = 0;
  Parameters first, second; // moments, by the names of what is learnt, in `fixed`
};

} // namespace tilerig::classifier
