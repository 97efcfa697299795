// Tensors inside a model file.
#pragma once

#include "isa/Tensor/Tensor.h"

#include <memory>

namespace onnx {
class TensorProto;
}

namespace tilerig::reference {

// Reads tensors of one model. Raw bytes are shown in place, so the model stays alive as long as its tensors
// do; external data is mapped from its file.
class TensorSource {
public:
  TensorSource(std::string place, std::string directory, std::shared_ptr<const void> model)
      : place(std::move(place)), directory(std::move(directory)), model(std::move(model)) {}

  // `what` names the tensor in messages.
  Result<Tensor> read(const onnx::TensorProto &proto, const std::string &what) const;

private:
  std::string place, directory;
  std::shared_ptr<const void> model;
};

} // namespace tilerig::reference
