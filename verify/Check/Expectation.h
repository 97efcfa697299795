// The second step: what the tensors have to hold. For each set of inputs once, whatever device is then asked.
#pragma once

#include "verify/Check/CompileStep.h"
#include "verify/Check/HandedInputs.h"

#include <optional>

namespace tilerig::verify {

// By the names of the model's tensors.
struct Expectation {
  TensorMap oracle; // of the emitted model: what a faultless device has, bit for bit
  TensorMap truth;  // of the model as it was written, in fp32
  // The same without the roundings to 16-bit floats that the model states itself, where it has any.
  std::optional<TensorMap> wideTruth;

  const TensorMap &unrounded() const { return wideTruth ? *wideTruth : truth; }
};

class Oracle {
public:
  // The threads have to outlive it.
  static Result<Oracle> load(const SourceModel &source, const CompiledModel &compiled,
                             reference::Threads &threads);
  Result<Expectation> expect(const HandedInputs &inputs) const;

private:
  Oracle(ReferenceRun emitted, ReferenceRun original, std::optional<ReferenceRun> wide)
      : emitted(std::move(emitted)), original(std::move(original)), wide(std::move(wide)) {}

  ReferenceRun emitted, original;
  std::optional<ReferenceRun> wide; // the original without 16-bit floats, if it has any
};

} // namespace tilerig::verify
