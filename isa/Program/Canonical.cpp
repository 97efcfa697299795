#include "isa/Program/Canonical.h"

#include "isa/Base/Support/Utf8.h"
#include "isa/Base/Tensor/Wire.h"
#include "isa/Program/Layout.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

namespace tilerig {

namespace pb = google::protobuf;

std::string serialiseCanonically(const pb::Message &message) {
  pb::LogSilencer silence; // keeps protobuf from logging invalid UTF-8, which checkWire reports
  std::string bytes;
  pb::io::StringOutputStream stream(&bytes);
  pb::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

namespace {

WireType wireTypeOf(const pb::FieldDescriptor &field) {
  if (field.is_packed())
    return WireType::bytes;
  switch (field.cpp_type()) {
  case pb::FieldDescriptor::CPPTYPE_STRING:
  case pb::FieldDescriptor::CPPTYPE_MESSAGE:
    return WireType::bytes;
  case pb::FieldDescriptor::CPPTYPE_FLOAT:
    return WireType::fixed32;
  case pb::FieldDescriptor::CPPTYPE_DOUBLE:
    return WireType::fixed64;
  default: // integers and enumerations are varints: the schema uses no integer type of fixed width
    return WireType::varint;
  }
}

// The path of a metadata field such as "layers[3].name", as a linked list on the stack.
struct Path {
  const Path *outer = nullptr;
  const pb::FieldDescriptor *field = nullptr;
  uint32_t index = 0;

  std::string text() const {
    std::string place = outer && outer->field ? outer->text() + "." : "";
    place += field->name();
    return field->is_repeated() ? fmt::format("{}[{}]", place, index) : place;
  }
};

Error refuse(const Path &place, const std::string &description, std::string remedy = "write the file again") {
  return invalidInput(place.field ? "metadata, " + place.text() : "metadata", description, std::move(remedy));
}

class WireChecker {
public:
  // Recursion ends because messages nest only as deep as the schema, in which no message contains itself.
  Status check(std::span<const std::byte> bytes, const pb::Descriptor &type, const Path &place) {
    if (++messages > mostMetadataMessages)
      return unsupported("metadata", fmt::format("the metadata consists of more than {} protobuf messages",
                                                 mostMetadataMessages));
    std::array<uint32_t, 32> seen = {}; // number of values read of each field of the message
    for (WireReader reader(bytes);;) {
      auto read = reader.next();
      if (!read)
        return refuse(place, "the value is not a protobuf message: " + read.error().what);
      if (!*read)
        return success();
      const WireField &value = **read;
      const pb::FieldDescriptor *field = type.FindFieldByNumber(static_cast<int>(value.number));
      if (!field)
        return refuse(
            place, fmt::format("the message has a field {} that this version does not know", value.number));
      uint32_t index = seen[static_cast<size_t>(field->index()) % seen.size()]++;
      TILERIG_CHECK_OK(checkValue(value, Path{&place, field, index}));
    }
  }

private:
  Status checkValue(const WireField &value, const Path &place) {
    if (value.type != wireTypeOf(*place.field))
      return refuse(place, "the value does not have the wire type that protobuf uses for this field");
    if (place.field->type() == pb::FieldDescriptor::TYPE_MESSAGE)
      return check(value.bytes, *place.field->message_type(), place);
    if (place.field->type() == pb::FieldDescriptor::TYPE_STRING && !isUtf8(value.text()))
      return refuse(place, "is not UTF-8", "all names and texts of a program must be UTF-8");
    return success();
  }

  uint64_t messages = 0;
};

} // namespace

static Status checkSize(uint64_t size) {
  if (size <= mostMetadataBytes)
    return success();
  return unsupported("metadata", fmt::format("the metadata has {} bytes, but at most {} are supported", size,
                                             mostMetadataBytes));
}

Status checkWire(std::span<const std::byte> bytes, const pb::Descriptor &type) {
  TILERIG_CHECK_OK(checkSize(bytes.size()));
  return WireChecker().check(bytes, type, Path());
}

Result<proto::Metadata> parseMetadata(std::span<const std::byte> bytes) {
  proto::Metadata metadata;
  TILERIG_CHECK_OK(checkWire(bytes, *metadata.GetDescriptor()));
  if (!metadata.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return invalidInput("metadata", "the bytes are not a valid message of type Metadata",
                        "write the file again");
  std::string canonical = serialiseCanonically(metadata);
  if (!std::ranges::equal(std::as_bytes(std::span(canonical)), bytes))
    return invalidInput(
        "metadata",
        "the metadata is not in its canonical form: the order of fields, default values or lengths of numbers differ",
        "write the file again");
  return metadata;
}

} // namespace tilerig
