// Reads and writes tensors in files of any supported format, which is recognised by the content of the file.
#pragma once

#include "isa/Base/Tensor/TensorFilter.h"
#include "isa/Base/Tensor/TensorMap.h"

#include <string>

namespace tilerig {

// Reads the tensors of an .npz file, of an .npy file (named after the file), of a TensorProto .pb file (named
// as in the message, or after the file), of a .safetensors file, of a .json file that Polygraphy has saved, or of all these
// files in a folder. Files of a folder are sorted by
// name with numbers compared by value: input_2.pb before input_10.pb. Files whose names begin with a dot are
// ignored; any other file in the folder is refused.
Result<TensorMap> readTensors(const std::string &path, const TensorFilter &filter = {});

// Writes an .npz file, or for exactly one tensor an .npy or .pb file, depending on the ending of the path.
Status writeTensors(const std::string &path, const TensorMap &tensors);

} // namespace tilerig
