// The metadata as bytes: one serialisation for one message, and a look at bytes before protobuf believes
// them.
#pragma once

#include "isa/Program/Metadata.pb.h"
#include "isa/Support/Error.h"

#include <cstddef>
#include <span>
#include <string>

namespace tilerig {

// Fields by ascending number, entries of maps by ascending key, numbers in the fewest bytes, defaults left
// out. Text that is not UTF-8 comes out as it is; whoever writes it to a file asks checkWire first.
std::string serialiseCanonically(const google::protobuf::Message &message);

// Refuses bytes that are no such message: a field that this version does not know, a wrong kind of value,
// lengths past the end, text that is not UTF-8; and those whose messages would take memory out of proportion.
// So protobuf never has to complain, and what it unpacks is bounded. Names the field: "metadata,
// layers[3].name".
Status checkWire(std::span<const std::byte> bytes, const google::protobuf::Descriptor &type);

// The metadata of a file: checkWire, then nothing but the canonical serialisation is accepted.
Result<proto::Metadata> parseMetadata(std::span<const std::byte> bytes);

} // namespace tilerig
