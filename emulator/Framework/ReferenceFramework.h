// The framework of the commands that run programs: it runs parts of a model by the reference interpreter, in the
// arithmetic of the machine.
#pragma once

#include "emulator/Host/Framework.h"
#include "reference/Run/Interpreter.h"

#include <map>
#include <memory>

namespace tilerig {

// Runs parts of a model by the reference interpreter. Keeps what it has loaded for later runs.
class ReferenceFramework final : public emulator::Framework {
public:
  // `threads`: number of host threads; 0: all. They start with the first part that runs.
  explicit ReferenceFramework(unsigned threads) : threads(threads) {}

  // As Framework::run(). Fails if the text is no ONNX model, or the inputs do not fit.
  Result<std::vector<Tensor>> run(const std::string &model,
                                  const std::vector<const Tensor *> &inputs) override;

private:
  Result<const reference::Interpreter *> interpreterOf(const std::string &model);

  unsigned threads;
  std::unique_ptr<reference::Threads> pool;
  std::map<std::string, reference::Interpreter> interpreters; // by the text of the model
};

} // namespace tilerig
