// A stable 64-bit hash of bytes: the same on every machine and in every version, because files carry it.
//
// It is XXH64 of Yann Collet (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md) with seed 0,
// written from its specification. It detects accidents and stale files; it is no defence against an
// adversary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tilerig {

uint64_t hashBytes(std::span<const std::byte> bytes);
uint64_t hashText(std::string_view text);
// A hash of the pair, for chaining: combine(combine(a, b), c).
uint64_t combineHashes(uint64_t first, uint64_t second);

} // namespace tilerig
