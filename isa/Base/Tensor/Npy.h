// Reads and writes .npy files: one array each, in numpy's format. Reads versions 1 to 3, C and Fortran order,
// and both byte orders; writes exactly what numpy.save would write. bfloat16 is stored as its bits (DType.h).
#pragma once

#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/NpyHeader.h"
#include "isa/Base/Tensor/Tensor.h"

#include <memory>
#include <span>
#include <string>

namespace tilerig {

Result<Tensor> readNpy(const std::string &path);
// Parses an .npy file in memory that `owner` keeps alive. Without an owner the data are copied.
Result<Tensor> parseNpy(std::span<const std::byte> file, std::shared_ptr<const void> owner,
                        const std::string &place);

Status writeNpy(const std::string &path, const Tensor &tensor);

// Builds the tensor from a parsed header and its data, which must have exactly as many bytes as the header
// states. If the layout is native, the result is a view under the conditions of Tensor::view; otherwise the
// data are converted.
Result<Tensor> decodeNpyData(const NpyHeader &header, std::span<const std::byte> data,
                             std::shared_ptr<const void> owner, const std::string &place);

} // namespace tilerig
