// The second step: what the tensors have to hold. For each set of inputs once, whatever device is then asked.
#pragma once

#include "verify/Check/CompileStep.h"

namespace tilerig::verify {

// By the names of the model's tensors.
struct Expectation {
  TensorMap oracle; // of the emitted model: what a faultless device has, bit for bit
  TensorMap truth;  // of the model as it was written, in fp32
};

class Oracle {
public:
  // The threads have to outlive it.
  static Result<Oracle> load(const SourceModel &source, const CompiledModel &compiled,
                             reference::Threads &threads);
  Result<Expectation> expect(const TensorMap &inputs) const;

private:
  Oracle(ReferenceRun emitted, ReferenceRun original)
      : emitted(std::move(emitted)), original(std::move(original)) {}

  ReferenceRun emitted, original;
};

} // namespace tilerig::verify
