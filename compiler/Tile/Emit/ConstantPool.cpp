#include "compiler/Tile/Emit/ConstantPool.h"

#include "isa/Base/Support/Hash.h"

#include <algorithm>

namespace tilerig::compiler {

namespace {

constexpr uint64_t granule = 64;

} // namespace

bool ConstantPool::holds(uint64_t offset, std::span<const std::byte> bytes) const {
  return keeps == Keeps::places || std::ranges::equal(std::span(all).subspan(offset, bytes.size()), bytes);
}

uint64_t ConstantPool::place(std::span<const std::byte> bytes) {
  const uint64_t key = hashBytes(bytes);
  const auto [first, last] = known.equal_range(key);
  for (auto candidate = first; candidate != last; ++candidate)
    if (const auto [offset, length] = candidate->second; length == bytes.size() && holds(offset, bytes))
      return begin + offset;
  const uint64_t offset = (size + granule - 1) / granule * granule;
  size = offset + bytes.size();
  if (keeps == Keeps::bytes) {
    all.resize(offset);
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  known.emplace(key, std::pair{offset, bytes.size()});
  return begin + offset;
}

} // namespace tilerig::compiler
