// Reads and validates program files. Nothing in the file is trusted: sizes are checked before they are used,
// every byte is covered by a hash or must be zero, the metadata must be in canonical form, and the program
// must obey the rules of Verify.h. Writing an accepted program again gives the same bytes.
//
// The file is memory-mapped. Constants are used in place and keep the mapping alive; instructions are decoded
// once. A malicious file can cost memory only in proportion to its size, up to the limits of Layout.h.
#pragma once

#include "isa/Program/Program.h"

#include <functional>

namespace tilerig {

// Options for what is checked when a program file is read.
struct ReadOptions {
  // Whether to hash the constants, which reads all of them at the speed of memory. A caller that has just
  // verified the same unchanged file may skip this; then the bytes of the constants are the only part that is
  // not checked.
  bool verifyConstants = true;
  // Which program of a file with several (ProgramSet.h) to read if its name has no number: the first for which this
  // returns true.
  std::function<bool(const Program &)> fits = {};
};

// The bytes of a program in a file, and what keeps them alive.
struct ProgramFile {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  std::string name; // for messages
};
// Finds a program by its name (ProgramSet.h). Without a number, parses the programs, but not their constants, to
// choose one.
Result<ProgramFile> findProgram(const std::string &path, const ReadOptions &options = {});

// Reads a program file, or one of the programs of a file that has several. A proof by another analyser version is
// dropped and noted in Program::outdatedProof.
Result<Program> readProgram(const std::string &path, const ReadOptions &options = {});
// Reads a program file in memory. The program refers to `bytes`, which `owner` keeps alive (or the caller, if
// `owner` is null). Messages begin with `place`.
Result<Program> parseProgramFile(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                 const std::string &place, const ReadOptions &options = {});

} // namespace tilerig
