// Reads and writes tensors in files of any supported format, which is recognised by the content of the file.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"

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

// Reads the tensors of an .npz file, of an .npy file (named after the file), of a TensorProto .pb file (named
// as in the message, or after the file), or of all these files in a folder. Files of a folder are sorted by
// name with numbers compared by value: input_2.pb before input_10.pb. Files whose names begin with a dot are
// ignored; any other file in the folder is refused.
Result<TensorMap> readTensors(const std::string &path, const TensorFilter &filter = {});

// Writes an .npz file, or for exactly one tensor an .npy or .pb file, depending on the ending of the path.
Status writeTensors(const std::string &path, const TensorMap &tensors);

} // namespace tilerig
