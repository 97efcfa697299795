// A stable 64-bit hash of bytes: equal on every machine and in every version, because files store it.
//
// It is XXH64 by Yann Collet (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md) with seed 0,
// implemented from its specification. It detects accidental damage and stale files, but gives no protection
// against an adversary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tilerig {

uint64_t hashBytes(std::span<const std::byte> bytes);
uint64_t hashText(std::string_view text);
// Hash of an ordered pair; can be chained: combine(combine(a, b), c).
uint64_t combineHashes(uint64_t first, uint64_t second);

} // namespace tilerig
