// Pool of the constant bytes that are loaded into DDR with the program; equal contents are stored once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tilerig::compiler {

class ConstantPool {
public:
  // What the pool keeps of a constant. `bytes`: its address and a copy of its bytes. `places`: only its
  // address; then two constants count as equal if their hash and size are equal.
  enum class Keeps : uint8_t { bytes, places };
  explicit ConstantPool(uint64_t begin, Keeps keeps = Keeps::bytes) : begin(begin), keeps(keeps) {}
  // Creates an empty pool. Its first address is the first page boundary at or behind the address `end`.
  static ConstantPool behind(uint64_t end, Keeps keeps = Keeps::bytes) {
    constexpr uint64_t page = 4096;
    return ConstantPool((end + page - 1) / page * page, keeps);
  }

  // Reserves space for `bytes` bytes in the pool, so that the pool is not copied while it grows.
  void reserve(uint64_t bytes) { all.reserve(bytes); }
  // Adds a constant, unless the pool already holds one with the same bytes, and returns its DDR address.
  uint64_t place(std::span<const std::byte> bytes);

  uint64_t address() const { return begin; }
  uint64_t end() const { return begin + size; }
  std::vector<std::byte> take() { return std::move(all); }

private:
  bool holds(uint64_t offset, std::span<const std::byte> bytes) const;

  uint64_t begin;
  Keeps keeps;
  uint64_t size = 0;
  std::vector<std::byte> all;
  // For each hash of a constant's bytes, the offset of the constant in the pool and its size, in bytes.
  std::unordered_multimap<uint64_t, std::pair<uint64_t, uint64_t>> known;
};

} // namespace tilerig::compiler
