#include "compiler/Tile/Emit/ConstantPool.h"

#include "isa/Base/Support/Hash.h"

#include <algorithm>

namespace tilerig::compiler {

namespace {

constexpr uint64_t granule = 64;
constexpr uint64_t page = 4096;
// Constants of at least this many bytes are large: a page boundary before each costs them little.
constexpr uint64_t leastLarge = 1 << 20;

uint64_t roundedUp(uint64_t address, uint64_t unit) { return (address + unit - 1) / unit * unit; }

} // namespace

ConstantPool ConstantPool::behind(uint64_t end, Keeps keeps) {
  return ConstantPool(roundedUp(end, page), keeps);
}

bool ConstantPool::isEqual(const Known &known, std::span<const std::byte> bytes) const {
  if (known.size != bytes.size() || keeps == Keeps::places)
    return known.size == bytes.size();
  return std::ranges::equal(std::span(small[known.block].bytes).subspan(known.offset, known.size), bytes);
}

uint64_t ConstantPool::place(const ConstantBytes &constant) {
  if (constant->size() < leastLarge)
    return place(*constant);
  const auto [entry, isNew] = addresses.try_emplace(constant.get(), roundedUp(next, page));
  if (isNew) {
    next = entry->second + constant->size();
    isOpen = false;
    if (keeps == Keeps::bytes)
      large.push_back({entry->second, *constant, constant});
  }
  return entry->second;
}

uint64_t ConstantPool::place(std::span<const std::byte> bytes) {
  const uint64_t key = hashBytes(bytes);
  const auto [first, last] = known.equal_range(key);
  for (auto candidate = first; candidate != last; ++candidate)
    if (const Known &old = candidate->second; isEqual(old, bytes))
      return small[old.block].address + old.offset;
  if (!isOpen)
    small.push_back({roundedUp(next, page), {}});
  SmallOnes &block = small.back();
  const uint64_t address = isOpen ? roundedUp(next, granule) : block.address;
  isOpen = true;
  next = address + bytes.size();
  if (keeps == Keeps::bytes) {
    block.bytes.resize(address - block.address);
    block.bytes.insert(block.bytes.end(), bytes.begin(), bytes.end());
  }
  known.emplace(key, Known{small.size() - 1, address - block.address, bytes.size()});
  return address;
}

std::vector<ConstantData> ConstantPool::take() {
  std::vector<ConstantData> blocks = std::move(large);
  for (SmallOnes &ones : small)
    if (const ConstantBytes bytes = constantBytes(std::move(ones.bytes)); !bytes->empty())
      blocks.push_back({ones.address, *bytes, bytes});
  std::ranges::sort(blocks, {}, &ConstantData::address);
  return blocks;
}

} // namespace tilerig::compiler
