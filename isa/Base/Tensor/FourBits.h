// 4-bit integers of ONNX (int4, uint4), which models use to store weights, two in a byte. Tensors hold them in
// bytes, as int8 and uint8: the values are the same, and no operator but QuantizeLinear makes new ones.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <optional>
#include <span>

namespace tilerig {

struct FourBits {
  DType storage;       // the type in which tensors hold these integers
  int lowest, highest; // the range of the integers
};

// The 4-bit type with this number in onnx.TensorProto.DataType; none if the number is that of another type.
std::optional<FourBits> fourBitsOfOnnx(int64_t number);

// The number of bytes of `count` packed integers.
inline int64_t packedBytes(int64_t count) { return count / 2 + count % 2; }

// Unpacks integers: the first of a byte is in its low bits. Refuses another number of bytes than the shape needs.
Result<Tensor> unpackedFourBits(const FourBits &type, const Shape &shape, std::span<const std::byte> packed);

} // namespace tilerig
