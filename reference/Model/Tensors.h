// Reads the tensors inside an ONNX model file.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <memory>

namespace onnx {
class TensorProto;
}

namespace tilerig::reference {

// Reads tensors of one model. Large tensors are not copied (see Tensor::view): they refer to the raw bytes in
// the model, which they keep alive, or to the memory-mapped file of external data. Elements in typed fields
// (float_data and others) are decoded, and so copied.
class TensorSource {
public:
  TensorSource(std::string place, std::string directory, std::shared_ptr<const void> model)
      : place(std::move(place)), directory(std::move(directory)), model(std::move(model)) {}

  // Reads a tensor; error messages call it `label`.
  Result<Tensor> read(const onnx::TensorProto &proto, const std::string &label) const;

private:
  std::string place, directory;
  std::shared_ptr<const void> model;
};

} // namespace tilerig::reference
