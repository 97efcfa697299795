// AdamW (I. Loshchilov, F. Hutter: Decoupled weight decay regularization, 2019) with linear warm-up and
// cosine decay of the learning rate. Our own implementation, because checkpoints must contain its state.
#pragma once

#include "classifier/Models/TorchLayers.h"

namespace tilerig::classifier {

class Optimiser {
public:
  Optimiser(Parameters &parameters, double highestRate, size_t steps);

  void step(); // updates the parameters by their gradients, and clears the gradients
  // Save the state of the optimiser in a checkpoint, and restore it from one.
  void addTo(TensorMap &tensors) const;
  Status take(const TensorMap &tensors, size_t stepsDone, const std::string &place);

private:
  double rate() const;

  Parameters &parameters;
  double highestRate;
  size_t steps, done = 0;
  // First and second moments of the gradients, by name of the parameter; stored as parameters that are not
  // learned (`fixed`).
  Parameters first, second;
};

} // namespace tilerig::classifier
