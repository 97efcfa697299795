// Reads the tensors inside an ONNX model file.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <memory>

namespace onnx {
class TensorProto;
}

namespace tilerig::reference {

// Reads tensors of one model. Tensors refer to the raw bytes of the model without a copy, so they keep the
// model alive; external data is memory-mapped.
class TensorSource {
public:
  TensorSource(std::string place, std::string directory, std::shared_ptr<const void> model)
      : place(std::move(place)), directory(std::move(directory)), model(std::move(model)) {}

  // `label` names the tensor in messages.
  Result<Tensor> read(const onnx::TensorProto &proto, const std::string &label) const;

private:
  std::string place, directory;
  std::shared_ptr<const void> model;
};

} // namespace tilerig::reference
