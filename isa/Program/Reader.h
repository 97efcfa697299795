// Reads a program file, or says why not. Nothing in the file is believed: sizes are checked before they are
// used, every byte is covered by a hash or must be zero, the metadata must be the one that the writer writes,
// and the program must fulfil Verify.h. What was accepted is written again as the same bytes.
//
// The file is mapped. Constants stay where they lie, and share the map; instructions are decoded once. A
// hostile file costs memory in proportion to its size, up to the limits of Layout.h.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

struct ReadOptions {
  // Hashing the constants reads all of them, at the speed of memory. One who has just verified the same file,
  // and knows that it did not change, may do without: then bytes of constants are the only thing that is not
  // checked.
  bool verifyConstants = true;
};

// A proof of another analyser version than ours is left out and noted in Program::outdatedProof.
Result<Program> readProgram(const std::string &path, const ReadOptions &options = {});
// A file in memory. The program refers to `bytes`, which `owner` keeps alive (or the caller, if there is
// none); `place` leads the messages.
Result<Program> parseProgramFile(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                 const std::string &place, const ReadOptions &options = {});

} // namespace tilerig
