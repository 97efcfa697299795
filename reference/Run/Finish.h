// Operator fusion: element-wise steps that an operator applies to its float32 results before storing them.
//
// An operator is often followed by element-wise nodes, each the only reader of the previous one, whose other
// operands are constants. The operator then does their work on every run of results while it is in the cache,
// and the intermediate values are never stored. The bits are those of the separate nodes.
#pragma once

#include "reference/Functions/Functions.h"

#include <vector>

namespace tilerig::reference {

// One fused element-wise node.
struct FinishStep {
  FunctionCall function = {};
  // By channel, used instead of the function: (x - mean) * factor + bias.
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
