// .npy files: one array each, in numpy's format. What numpy writes is read, in versions 1 to 3, in C and
// Fortran order and in both byte orders; what is written is what numpy.save would write. bfloat16 goes
// through as its bits (DType.h).
#pragma once

#include "isa/Support/File.h"
#include "isa/Tensor/NpyHeader.h"
#include "isa/Tensor/Tensor.h"

#include <memory>
#include <span>
#include <string>

namespace tilerig {

Result<Tensor> readNpy(const std::string &path);
// An .npy file in memory, kept alive by `owner`. Without an owner the data are copied.
Result<Tensor> parseNpy(std::span<const std::byte> file, std::shared_ptr<const void> owner,
                        const std::string &place);

Status writeNpy(const std::string &path, const Tensor &tensor);

// The tensor of a header and its data, which must be as many bytes as the header says: shown where they are
// as far as Tensor::view does when their layout is ours, converted otherwise.
Result<Tensor> decodeNpyData(const NpyHeader &header, std::span<const std::byte> data,
                             std::shared_ptr<const void> owner, const std::string &place);

} // namespace tilerig
