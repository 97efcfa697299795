// Tensors from and to files of any of the forms there are, told apart by what the file is.
#pragma once

#include "isa/Tensor/TensorMap.h"

#include <functional>
#include <string>

namespace tilerig {

// What is known of a tensor before its elements are read.
struct TensorHead {
  const std::string &name;
  DType dtype;
  const Shape &shape;
};
// Whether a tensor is read; an error refuses the file. A deflated tensor may be a thousand times larger than
// its file, so that whoever knows which tensors to expect asks for these alone.
using TensorFilter = std::function<Result<bool>(const TensorHead &)>;

// The tensors of an .npz file, of an .npy file (named after the file), of a TensorProto .pb file (by the name
// inside, or after the file), or of all such files in a folder, in the order of their names with numbers
// counted: input_2.pb before input_10.pb. Anything else in the folder is refused, but for files that begin
// with a dot.
Result<TensorMap> readTensors(const std::string &path, const TensorFilter &filter = {});

// Writes .npz; .npy and .pb when there is exactly one tensor. The ending of the path decides.
Status writeTensors(const std::string &path, const TensorMap &tensors);

} // namespace tilerig
