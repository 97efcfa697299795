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
  // `places`: only addresses are assigned, no bytes are copied, and equal hashes and sizes count as equal
  // contents.
  enum class Keeps : uint8_t { bytes, places };
  explicit ConstantPool(uint64_t begin, Keeps keeps = Keeps::bytes) : begin(begin), keeps(keeps) {}
  // A pool that starts at the first page boundary at or behind `end`.
  static ConstantPool behind(uint64_t end, Keeps keeps = Keeps::bytes) {
    constexpr uint64_t page = 4096;
    return ConstantPool((end + page - 1) / page * page, keeps);
  }

  // Reserves memory for `bytes` bytes, so that the buffer is not copied while it grows.
  void reserve(uint64_t bytes) { all.reserve(bytes); }
  // Adds the bytes unless the pool holds them already, and returns their address.
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
  std::unordered_multimap<uint64_t, std::pair<uint64_t, uint64_t>> known; // by hash: (offset, size)
};

} // namespace tilerig::compiler
