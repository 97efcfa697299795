// A program file taken apart, changed and sealed again, so that a test gets past the hashes to the rule it is
// about.
//
// Written from the description of the file, not with the writer's code: offsets, hashes and the order of
// things are stated here a second time, on purpose.
#pragma once

#include "isa/Program/Metadata.pb.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tilerig::test {

using FileBytes = std::vector<std::byte>;

// Where the header's numbers lie.
inline constexpr size_t formatVersionAt = 8, headerSizeAt = 12, schemaHashAt = 16, machineHashAt = 24,
                        fileSizeAt = 32, metadataOffsetAt = 40, metadataSizeAt = 48, contentHashAt = 56,
                        constantsHashAt = 64, metadataHashAt = 72, checksumAt = 120;

uint64_t wordAt(std::span<const std::byte> file, size_t offset);
void setWord(FileBytes &file, size_t offset, uint64_t value);

// The hash of the header, after a change to it.
void sealHeader(FileBytes &file);
// The sizes, and the hash of the metadata, whatever these are.
void sealMetadata(FileBytes &file);
// Sizes and hashes of the file as it stands, as far as it can be made sense of: whatever the header and the
// metadata say is looked at with suspicion, for this is used on damaged files.
void seal(FileBytes &file);

// The metadata as it stands in the file; false if it makes no sense.
bool readMetadata(std::span<const std::byte> file, proto::Metadata &metadata);
// Puts another serialisation into its place. Parts of the file stay where they are.
void replaceMetadata(FileBytes &file, const std::string &bytes);
std::string serialised(const google::protobuf::Message &message);

// The file with changed metadata, sealed.
FileBytes forge(FileBytes file, const std::function<void(proto::Metadata &)> &change);

} // namespace tilerig::test
