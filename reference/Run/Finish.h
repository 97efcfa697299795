// What becomes of float32 results before anybody sees them.
//
// Element-wise nodes often follow an operator, each the only reader of the one before, with constants beside
// it. The operator then does their work on every run of results while that still lies in the cache, and none
// of the values in between comes to be. Bits are those of the nodes one by one.
#pragma once

#include "reference/Functions/Functions.h"

#include <vector>

namespace tilerig::reference {

// One such node.
struct FinishStep {
  FunctionCall function = {};
  // Of each channel, instead of the function: (x - mean) * factor + bias.
  struct Normalised {
    float mean, factor, bias;
  };
  std::vector<Normalised> channels = {};
};

class Finish {
public:
  void add(FinishStep step) { steps.push_back(std::move(step)); }
  bool empty() const { return steps.empty(); }
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
