// Provides the reference interpreter with which the compiler's pass check runs models.
#pragma once

#include "compiler/PassCheck/PassCheck.h"
#include "reference/Run/Threads.h"
#include "verify/Check/SourceModel.h"

namespace tilerig::verify {

class ReferenceRunner final : public compiler::ModelRunner {
public:
  explicit ReferenceRunner(reference::Threads &threads) : threads(threads) {}

  Result<TensorMap> run(const onnx::ModelProto &model, const TensorMap &inputs, Arithmetic arithmetic,
                        const Visit &visit) override;

private:
  reference::Threads &threads;
};

// Runs programs on the emulator, on the inputs of the model that the constructor gets.
class EmulatorRunner final : public compiler::ProgramRunner {
public:
  // number of host threads; 0: all
  EmulatorRunner(const TensorMap &inputs, unsigned threads) : inputs(inputs), threads(threads) {}

  Result<TensorMap> run(Program program) override;

private:
  const TensorMap &inputs;
  unsigned threads;
};

// The inputs and all other tensors of the original model, computed in doubles.
Result<TensorMap> originalTensors(const SourceModel &source, const TensorMap &inputs,
                                  reference::Threads &threads);

} // namespace tilerig::verify
