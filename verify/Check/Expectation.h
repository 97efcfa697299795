// Second step of a check: computes the expected tensors, once for each set of inputs and for any number of
// device runs.
#pragma once

#include "verify/Check/CompileStep.h"
#include "verify/Check/HandedInputs.h"

#include <optional>

namespace tilerig::verify {

// The expected values of the device's tensors, by the names of the model's tensors.
struct Expectation {
  TensorMap oracle; // tensors of the emitted ONNX model: a device without bugs computes the same bits
  TensorMap truth;  // tensors of the original model, computed in fp32
  // The tensors of the original model without the roundings to 16-bit floats that the model itself states, if
  // it states any.
  std::optional<TensorMap> wideTruth;

  const TensorMap &unrounded() const { return wideTruth ? *wideTruth : truth; }
};

class Oracle {
public:
  // The threads run the reference interpreter, and must outlive the object.
  static Result<Oracle> load(const SourceModel &source, const CompiledModel &compiled,
                             reference::Threads &threads);
  Result<Expectation> expect(const HandedInputs &inputs) const;

private:
  Oracle(ReferenceRun emitted, ReferenceRun original, std::optional<ReferenceRun> wide)
      : emitted(std::move(emitted)), original(std::move(original)), wide(std::move(wide)) {}

  ReferenceRun emitted, original;
  // The original model with its 16-bit floats widened to 32 bits, if it has any.
  std::optional<ReferenceRun> wide;
};

} // namespace tilerig::verify
