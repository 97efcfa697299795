// Bytes that stand in DDR from the load on: each content once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tilerig {

class ConstantPool {
public:
  explicit ConstantPool(uint64_t begin) : begin(begin) {}

  // The address of these bytes, which are there from now on.
  uint64_t place(std::span<const std::byte> bytes);

  uint64_t address() const { return begin; }
  std::vector<std::byte> take() { return std::move(all); }

private:
  uint64_t begin;
  std::vector<std::byte> all;
  std::unordered_multimap<uint64_t, std::pair<uint64_t, uint64_t>> known; // by hash: offset and size
};

} // namespace tilerig
