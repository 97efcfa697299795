// Takes a program file apart, changes it and recomputes its hashes, so that a test gets past the hashes to
// the rule that it tests.
//
// Written from the description of the file format, not with the writer's code: offsets, hashes and the order
// of parts are deliberately stated a second time.
#pragma once

#include "isa/Program/Metadata.pb.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tilerig::test {

using FileBytes = std::vector<std::byte>;

// Byte offsets of the fields in the header of a program file.
inline constexpr size_t formatVersionAt = 8, headerSizeAt = 12, schemaHashAt = 16, machineHashAt = 24,
                        fileSizeAt = 32, metadataOffsetAt = 40, metadataSizeAt = 48, contentHashAt = 56,
                        constantsHashAt = 64, metadataHashAt = 72, checksumAt = 120;

uint64_t wordAt(std::span<const std::byte> file, size_t offset);
void setWord(FileBytes &file, size_t offset, uint64_t value);

// Recomputes the hash of a program file's header, after the header was changed.
void sealHeader(FileBytes &file);
// Recomputes the size and the hash of a program file's metadata, which may be damaged.
void sealMetadata(FileBytes &file);
// Recomputes all sizes and hashes of a program file as far as it can be parsed. Header and metadata are not
// trusted, because the file may be damaged.
void seal(FileBytes &file);

// Parses the metadata of the program file; returns false if that fails.
bool readMetadata(std::span<const std::byte> file, proto::Metadata &metadata);
// Replaces the metadata by another serialisation. The other parts of the file keep their offsets.
void replaceMetadata(FileBytes &file, const std::string &bytes);
std::string serialised(const google::protobuf::Message &message);

// A copy of the program file with changed metadata and correct hashes.
FileBytes forge(FileBytes file, const std::function<void(proto::Metadata &)> &change);

} // namespace tilerig::test
