// How the content of a program is hashed: what a proof is bound to, and what protects a file against
// alteration.
//
// A hash is a fold of numbers: h = combineHashes(h, number), starting from 0. Bytes enter as hashBytes() of
// them, messages as that of their canonical serialisation. The reader hashes instructions and constants as
// they lie in the file, before it looks into them.
#pragma once

#include "isa/Program/Program.h"

#include <functional>

namespace tilerig {

// The encoded instructions of a tile in a stage.
using CodeOf = std::function<std::span<const std::byte>(size_t stage, size_t tile)>;

uint64_t hashConstants(const std::vector<ConstantData> &constants);
// hashContent() for one who has the encoded instructions and the hash of the constants; those of `program`
// are not looked at, except that each device stage must have its number of tiles.
uint64_t hashContent(const Program &program, const CodeOf &codeOf, uint64_t constantsHash);

} // namespace tilerig
