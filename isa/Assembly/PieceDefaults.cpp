#include "isa/Assembly/PieceDefaults.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilerig {

std::string_view storedTypeOf(std::string_view dtype) {
  static constexpr auto pairs = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"float32", "fp32"},
      {"float16", "fp16"},
      {"bfloat16", "bf16"},
      {"int8", "i8"},
      {"uint8", "u8"},
      {"int32", "i32"},
  });
  auto match = std::ranges::find(pairs, dtype, [](const auto &pair) { return pair.first; });
  return match == pairs.end() ? std::string_view() : match->second;
}

int64_t remainingExtent(int64_t size, int64_t begin) { return begin < 0 || begin > size ? 0 : size - begin; }

std::optional<std::vector<uint64_t>> denseStrides(const google::protobuf::RepeatedField<int64_t> &extent,
                                                  uint64_t elementBytes) {
  std::vector<uint64_t> strides(static_cast<size_t>(extent.size()));
  uint64_t stride = elementBytes;
  for (int d = extent.size(); d-- > 0;) {
    strides[static_cast<size_t>(d)] = stride;
    if (extent[d] < 0 || __builtin_mul_overflow(stride, static_cast<uint64_t>(extent[d]), &stride))
      return std::nullopt;
  }
  return strides;
}

} // namespace tilerig
