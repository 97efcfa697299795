// Operator fusion: element-wise steps that an operator applies to its float32 results before storing them.
//
// Element-wise nodes after an operator become such steps if each is the only reader of the result before it
// and its other operands are constants. The steps are applied to a few results at a time, while these are in
// the cache, and the intermediate values are never stored. The results are bit for bit those of separate
// nodes.
#pragma once

#include "reference/Functions/Functions.h"

#include <vector>

namespace tilerig::reference {

// An element-wise node that is fused into the operator before it.
struct FinishStep {
  FunctionCall function = {};
  // The batch normalisation of one channel: x becomes (x - mean) * factor + bias.
  struct Normalised {
    float mean, factor, bias;
  };
  // Batch normalisation of each channel; if not empty, it is applied instead of `function`.
  std::vector<Normalised> channels = {};
};

class Finish {
public:
  void add(FinishStep step) { steps.push_back(std::move(step)); }
  bool empty() const { return steps.empty(); }
  // Applies all fused steps in place to `size` consecutive results of one output channel.
  void apply(float *run, int64_t size, int64_t channel) const {
    for (const FinishStep &step : steps)
      if (step.channels.empty()) {
        reference::apply(step.function, run, run, size);
      } else {
        const auto &[mean, factor, bias] = step.channels[static_cast<size_t>(channel)];
        normaliseRun(run, size, mean, factor, bias, run);
      }
  }

private:
  std::vector<FinishStep> steps;
};

} // namespace tilerig::reference
