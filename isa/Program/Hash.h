// Hashing of a program's content. The analyser's proof (that every execution computes the same bits) is bound
// to the hash, and the hash protects files against alteration.
//
// A hash is a fold over numbers: h = combineHashes(h, number), starting from 0. Byte sequences enter as their
// hashBytes(), messages as the hash of their canonical serialisation. The reader hashes instructions and
// constants directly in the file, before it parses them.
#pragma once

#include "isa/Program/Program.h"

#include <functional>

namespace tilerig {

// Callback that returns the encoded instructions of a tile in a stage.
using CodeOf = std::function<std::span<const std::byte>(size_t stage, size_t tile)>;

uint64_t hashConstants(const std::vector<ConstantData> &constants);
// hashContent() for callers that already have the encoded instructions and the hash of the constants. The
// instructions and constants of `program` itself are not read, but each device stage must have the right
// number of tiles.
uint64_t hashContent(const Program &program, const CodeOf &codeOf, uint64_t constantsHash);

} // namespace tilerig
