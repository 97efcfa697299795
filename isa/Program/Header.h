// The first 128 bytes of a program file: what it is, for whom, how long, and the hashes that everything
// behind it must have.
//
// After the magic come the fields in the order of forEachHeaderField, little-endian, without gaps; then
// zeros; the last eight bytes are the hash of all before them.
#pragma once

#include "isa/Support/Error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tilerig {

// As PNG's: a byte above 127, both line ends and an end-of-file mark, so that a transfer as text breaks it at
// once.
inline constexpr std::array<uint8_t, 8> programMagic = {0x89, 'T', 'R', 'B', '\r', '\n', 0x1A, '\n'};
inline constexpr uint32_t programFormatVersion = 1;
inline constexpr uint32_t headerBytes = 128;

struct Header {
  uint32_t formatVersion = programFormatVersion;
  uint32_t headerSize = headerBytes;
  uint64_t schemaHash = 0;  // of the instruction table
  uint64_t machineHash = 0; // of the machine in the metadata
  uint64_t fileSize = 0;    // of the whole file
  uint64_t metadataOffset = 0;
  uint64_t metadataSize = 0;
  uint64_t contentHash = 0;   // what hashContent() says of the program
  uint64_t constantsHash = 0; // the share of the constants in it
  uint64_t metadataHash = 0;  // of the metadata's bytes
};

template <class AnyHeader, class Visitor>
void forEachHeaderField(AnyHeader &header, Visitor &&visit) {
  visit(header.formatVersion);
  visit(header.headerSize);
  visit(header.schemaHash);
  visit(header.machineHash);
  visit(header.fileSize);
  visit(header.metadataOffset);
  visit(header.metadataSize);
  visit(header.contentHash);
  visit(header.constantsHash);
  visit(header.metadataHash);
}

std::array<std::byte, headerBytes> encodeHeader(const Header &header);
// The header of a whole file: refuses what is no program, of another format version, truncated, altered in
// the header, or not of the length that it says.
Result<Header> decodeHeader(std::span<const std::byte> file);

} // namespace tilerig
