// The header, the first 128 bytes of a program file: format version, schema and machine hashes, sizes, and
// the hashes of the parts that follow.
//
// The magic number is followed by the fields in the order of forEachHeaderField, little-endian, without gaps;
// then zeros; the last eight bytes are the hash of all bytes before them.
#pragma once

#include "isa/Base/Support/Error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tilerig {

// Magic number built like that of PNG: a byte above 127, both line ends and an end-of-file mark, so that a
// transfer in text mode corrupts it visibly.
inline constexpr std::array<uint8_t, 8> programMagic = {0x89, 'T', 'R', 'B', '\r', '\n', 0x1A, '\n'};
inline constexpr uint32_t programFormatVersion = 1;
inline constexpr uint32_t headerBytes = 128;

struct Header {
  uint32_t formatVersion = programFormatVersion;
  uint32_t headerSize = headerBytes;
  uint64_t schemaHash = 0;  // hash of the instruction encoding (schemaHash())
  uint64_t machineHash = 0; // hash of the machine description in the metadata
  uint64_t fileSize = 0;    // size of the whole file, in bytes
  uint64_t metadataOffset = 0;
  uint64_t metadataSize = 0;
  uint64_t contentHash = 0;   // hash of the program's content, by hashContent()
  uint64_t constantsHash = 0; // hash of the program's constants, which is part of contentHash
  uint64_t metadataHash = 0;  // hash of the serialised metadata
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
// Decodes and checks the header; `file` is the whole file. Refuses a file that is no program, has another
// format version, is truncated, has an altered header, or has another length than the header says.
Result<Header> decodeHeader(std::span<const std::byte> file);

} // namespace tilerig
