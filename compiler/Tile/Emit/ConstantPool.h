// Pool of the constants that are loaded into DDR with the program. Small constants of equal bytes are stored once.
#pragma once

#include "compiler/Tile/Ops/ConstantBytes.h"
#include "isa/Program/Program.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tilerig::compiler {

class ConstantPool {
public:
  // What the pool keeps of a constant. `bytes`: its address and its bytes. `places`: only its address; then two
  // constants count as equal if their hash and size are equal.
  enum class Keeps : uint8_t { bytes, places };
  explicit ConstantPool(uint64_t begin, Keeps keeps = Keeps::bytes)
      : begin(begin), next(begin), keeps(keeps) {}
  // Creates an empty pool. Its first address is the first page boundary at or behind the address `end`.
  static ConstantPool behind(uint64_t end, Keeps keeps = Keeps::bytes);

  // Adds a constant, unless the pool already holds it, and returns its DDR address. Constants of 1 MiB or more are
  // not copied, and are recognised by their pointer; smaller ones are copied and compared by their bytes.
  uint64_t place(const ConstantBytes &constant);
  // Adds a copy of these bytes, unless the pool already holds equal ones.
  uint64_t place(std::span<const std::byte> bytes);

  uint64_t address() const { return begin; }
  uint64_t end() const { return next; }
  // The constants by ascending address. Large ones are blocks of their own, which begin at page boundaries.
  std::vector<ConstantData> take();

private:
  // Small constants that follow each other.
  struct SmallOnes {
    uint64_t address = 0;
    std::vector<std::byte> bytes; // empty if only places are kept
  };
  // A small constant in the pool.
  struct Known {
    size_t block = 0; // index in `small`
    uint64_t offset = 0, size = 0;
  };

  bool isEqual(const Known &known, std::span<const std::byte> bytes) const;

  uint64_t begin, next;
  Keeps keeps;
  bool isOpen = false; // whether the last block of small constants can be continued
  std::vector<SmallOnes> small;
  std::vector<ConstantData> large;
  std::unordered_map<const void *, uint64_t> addresses; // of large constants
  std::unordered_multimap<uint64_t, Known> known;       // small constants by the hash of their bytes
};

} // namespace tilerig::compiler
