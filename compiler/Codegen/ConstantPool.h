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
  // Where only places matter nothing is copied, and contents are told apart by their hashes.
  enum class Keeps : uint8_t { bytes, places };
  explicit ConstantPool(uint64_t begin, Keeps keeps = Keeps::bytes) : begin(begin), keeps(keeps) {}
  // On the page behind what ends there.
  static ConstantPool behind(uint64_t end, Keeps keeps = Keeps::bytes) {
    constexpr uint64_t page = 4096;
    return ConstantPool((end + page - 1) / page * page, keeps);
  }

  // Room for so much at once, so that nothing is held twice while it grows.
  void reserve(uint64_t bytes) { all.reserve(bytes); }
  // The address of these bytes, which are there from now on.
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
  std::unordered_multimap<uint64_t, std::pair<uint64_t, uint64_t>> known; // by hash: offset and size
};

} // namespace tilerig
