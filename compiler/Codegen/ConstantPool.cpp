#include "compiler/Codegen/ConstantPool.h"

#include "isa/Support/Hash.h"

#include <algorithm>

namespace tilerig {

namespace {

constexpr uint64_t granule = 64;

} // namespace

uint64_t ConstantPool::place(std::span<const std::byte> bytes) {
  const uint64_t key = hashBytes(bytes);
  const auto [first, last] = known.equal_range(key);
  for (auto it = first; it != last; ++it)
    if (const auto [offset, size] = it->second;
        size == bytes.size() && std::ranges::equal(std::span(all).subspan(offset, size), bytes))
      return begin + offset;
  const uint64_t offset = (all.size() + granule - 1) / granule * granule;
  all.resize(offset);
  all.insert(all.end(), bytes.begin(), bytes.end());
  known.emplace(key, std::pair{offset, bytes.size()});
  return begin + offset;
}

} // namespace tilerig
