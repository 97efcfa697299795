// The framework that `tilerig run` and similar commands use: it runs parts of a model by the reference
// interpreter, in the arithmetic of the machine.
#pragma once

#include "emulator/Host/Framework.h"
#include "reference/Run/Interpreter.h"

#include <map>
#include <memory>

namespace tilerig {

// Runs parts of a model by the reference interpreter. Keeps the parts that it has loaded for later runs.
class ReferenceFramework final : public emulator::Framework {
public:
  // `threads` is the number of host threads; 0 means all processors. The threads are started when the first
  // part of a model runs. The limits of memory and of nodes in `limits` apply to each run of a part.
  explicit ReferenceFramework(unsigned threads, reference::RunOptions limits = {})
      : threads(threads), limits(std::move(limits)) {}

  // Runs a part of a model as Framework::run() says. Returns an error if the text is no ONNX model, or if the
  // inputs do not fit the model.
  Result<std::vector<Tensor>> run(const std::string &model,
                                  const std::vector<const Tensor *> &inputs) override;

private:
  Result<const reference::Interpreter *> interpreterOf(const std::string &model);

  unsigned threads;
  reference::RunOptions limits;
  std::unique_ptr<reference::Threads> pool;
  // Loaded parts of models, by their text in protobuf's text form.
  std::map<std::string, reference::Interpreter> interpreters;
};

} // namespace tilerig
