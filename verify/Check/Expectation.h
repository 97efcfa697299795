// Second step of a check: computes the expected tensors, once for each set of inputs and for any number of
// device runs.
#pragma once

#include "verify/Check/CompileStep.h"
#include "verify/Check/HandedInputs.h"

#include <optional>

namespace tilerig::verify {

// Expected tensors, by the names of the model's tensors.
struct Expectation {
  TensorMap oracle; // of the emitted model: what a faultless device computes, bit for bit
  TensorMap truth;  // of the original model, in fp32
  // The truth without the roundings to 16-bit floats that the original model itself states, if it states any.
  std::optional<TensorMap> wideTruth;

  const TensorMap &unrounded() const { return wideTruth ? *wideTruth : truth; }
};

class Oracle {
public:
  // The threads must outlive the Oracle.
  static Result<Oracle> load(const SourceModel &source, const CompiledModel &compiled,
                             reference::Threads &threads);
  Result<Expectation> expect(const HandedInputs &inputs) const;

private:
  Oracle(ReferenceRun emitted, ReferenceRun original, std::optional<ReferenceRun> wide)
      : emitted(std::move(emitted)), original(std::move(original)), wide(std::move(wide)) {}

  ReferenceRun emitted, original;
  std::optional<ReferenceRun> wide; // the original with 16-bit floats widened, if it has any
};

} // namespace tilerig::verify
