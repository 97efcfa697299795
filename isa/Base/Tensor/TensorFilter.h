// Chooses tensors of a file before their elements are read.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/DType.h"
#include "isa/Base/Tensor/Tensor.h"

#include <functional>
#include <string>

namespace tilerig {

// The name, type and shape of a tensor, known before its elements are read.
struct TensorHead {
  const std::string &name;
  DType dtype;
  const Shape &shape;
};
// Decides whether a tensor is read; an error refuses the file. A deflated tensor may be a thousand times
// larger than its file, so a caller that knows which tensors to expect should accept only these.
using TensorFilter = std::function<Result<bool>(const TensorHead &)>;

} // namespace tilerig
