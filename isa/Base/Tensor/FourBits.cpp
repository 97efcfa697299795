#include "isa/Base/Tensor/FourBits.h"

#include <fmt/core.h>

namespace tilerig {

std::optional<FourBits> fourBitsOfOnnx(int64_t number) {
  if (number == 21)
    return FourBits{DType::u8, 0, 15};
  if (number == 22)
    return FourBits{DType::i8, -8, 7};
  return std::nullopt;
}

Result<Tensor> unpackedFourBits(const FourBits &type, const Shape &shape, std::span<const std::byte> packed) {
  TILERIG_TRY(Tensor tensor, Tensor::makeUninitialised(type.storage, shape));
  const auto count = static_cast<int64_t>(tensor.elementCount());
  if (static_cast<int64_t>(packed.size()) != packedBytes(count))
    return invalidInput("", fmt::format("the data have {} bytes, but {} integers of 4 bits need {}",
                                        packed.size(), count, packedBytes(count)));
  std::byte *to = tensor.mutableBytes().data();
  for (int64_t i = 0; i < count; ++i) {
    const int bits = std::to_integer<int>(packed[static_cast<size_t>(i / 2)]) >> (i % 2 * 4) & 15;
    to[i] = static_cast<std::byte>(bits > type.highest ? bits - 16 : bits);
  }
  return tensor;
}

} // namespace tilerig
