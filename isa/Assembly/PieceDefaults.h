// Default attributes of tensors and their pieces in assembly text: the stored type that corresponds to the
// model's type, the extent of the whole tensor, dense strides. Parser and printer share them, so they agree.
#pragma once

#include <cstdint>
#include <google/protobuf/repeated_field.h>
#include <optional>
#include <string_view>
#include <vector>

namespace tilerig {

// Returns, for example, "fp32" for "float32"; empty if the machine has no such type.
std::string_view storedTypeOf(std::string_view dtype);
// The number of elements from `begin` to the end of a dimension; 0 if `begin` lies outside 0 .. size.
int64_t remainingExtent(int64_t size, int64_t begin);
// Strides in bytes of a row-major layout without gaps. nullopt if a stride overflows or an extent is
// negative.
std::optional<std::vector<uint64_t>> denseStrides(const google::protobuf::RepeatedField<int64_t> &extent,
                                                  uint64_t elementBytes);

} // namespace tilerig
