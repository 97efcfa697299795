// What a tensor and its pieces have where their text says nothing: the stored type that corresponds to the
// model's, the whole tensor, elements without gaps. Reading and printing agree by sharing this.
#pragma once

#include <cstdint>
#include <google/protobuf/repeated_field.h>
#include <optional>
#include <string_view>
#include <vector>

namespace tilerig {

// "fp32" for "float32"; empty where the machine has no such type.
std::string_view storedTypeOf(std::string_view dtype);
// Of a stored type; 0 where there is no such type.
uint64_t elementBytesOf(std::string_view storedType);
// From `begin` to the end of a dimension; 0 where that is before it.
int64_t remainingExtent(int64_t size, int64_t begin);
// Elements one after another, the last dimension fastest. Nothing if a stride does not fit, or there is a
// negative extent.
std::optional<std::vector<uint64_t>> denseStrides(const google::protobuf::RepeatedField<int64_t> &extent,
                                                  uint64_t elementBytes);

} // namespace tilerig
