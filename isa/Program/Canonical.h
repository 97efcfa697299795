// Canonical serialisation of the metadata message, and validation of its bytes before protobuf parses them.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Program/Metadata.pb.h"

#include <cstddef>
#include <span>
#include <string>

namespace tilerig {

// The only canonical serialisation of a protobuf message: fields by ascending number, map entries by
// ascending key, integers in the fewest bytes, default values omitted. Text that is not UTF-8 is written
// unchanged; call checkWire before writing it to a file.
std::string serialiseCanonically(const google::protobuf::Message &message);

// Checks that bytes are a serialised protobuf message of the given type. Refuses fields that this version
// does not know, wrong wire types, lengths past the end, text that is not UTF-8, and messages that would take
// memory out of proportion to their size. Afterwards protobuf parses the bytes without an error and with
// bounded memory. Errors name the field: "metadata, layers[3].name".
Status checkWire(std::span<const std::byte> bytes, const google::protobuf::Descriptor &type);

// Parses the metadata of a file: checkWire, then refuses any serialisation other than the canonical one.
Result<proto::Metadata> parseMetadata(std::span<const std::byte> bytes);

} // namespace tilerig
