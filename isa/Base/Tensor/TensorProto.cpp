#include "isa/Base/Tensor/TensorProto.h"

#include "isa/Base/Support/Advice.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/ExternalData.h"
#include "isa/Base/Tensor/FloatEight.h"
#include "isa/Base/Tensor/FourBits.h"
#include "isa/Base/Tensor/TypedList.h"
#include "isa/Base/Tensor/Wire.h"

#include <charconv>
#include <filesystem>
#include <fmt/core.h>
#include <limits>

namespace tilerig {

using Bytes = std::span<const std::byte>;

// The field numbers of onnx.TensorProto, except those of the typed lists.
enum Field : uint32_t {
  dimsField = 1,
  dataTypeField = 2,
  segmentField = 3,
  stringDataField = 6,
  nameField = 8,
  rawDataField = 9,
  externalDataField = 13,
  dataLocationField = 14,
};

namespace {

// All fields of a TensorProto except the elements in typed lists, which are decoded once the shape is known.
struct Outline {
  Shape shape;
  int64_t dataType = 0;
  std::string_view name;
  std::optional<Bytes> raw;
  bool external = false;
  ExternalData externalData;
  TypedList list;
};

} // namespace

static Status readNumber(const WireField &field, const char *name, int64_t &number) {
  if (field.type != WireType::varint)
    return wrongEncoding(name);
  number = static_cast<int64_t>(field.value);
  return success();
}

static Status parseCount(std::string_view text, const char *name, uint64_t &number) {
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size())
    return invalidInput("",
                        fmt::format("the {} of external data is '{}', expected a whole number", name, text));
  return success();
}

// Parses a StringStringEntryProto of external_data. Keys about checksums or prepacking are ignored.
static Status readExternal(const WireField &entry, ExternalData &external) {
  if (entry.type != WireType::bytes)
    return wrongEncoding("external_data");
  std::string_view key, value;
  WireReader reader(entry.bytes);
  while (true) {
    TILERIG_TRY(std::optional<WireField> field, reader.next());
    if (!field)
      break;
    if (field->number == 1 || field->number == 2)
      (field->number == 1 ? key : value) = field->text();
  }
  if (key == "location")
    external.location = value;
  if (key == "offset")
    return parseCount(value, "offset", external.offset);
  if (key == "length")
    return parseCount(value, "length", external.length.emplace());
  return success();
}

static Status readField(const WireField &field, Outline &outline) {
  if (TypedList::has(field.number))
    return outline.list.count(field);
  switch (field.number) {
  case dimsField:
    return forEachVarint(field, "dims", [&](uint64_t dim) -> Status {
      if (outline.shape.size() == maxRank)
        return unsupported("", fmt::format("the shape has more than {} dimensions", maxRank));
      outline.shape.push_back(static_cast<int64_t>(dim));
      return success();
    });
  case dataTypeField:
    return readNumber(field, "data_type", outline.dataType);
  case segmentField:
    return unsupported("", "a tensor that is stored in segments is not supported",
                       "write the tensor without segments");
  case stringDataField:
    return unsupported("", "a tensor of strings is not supported");
  case nameField:
    outline.name = field.text();
    return field.type == WireType::bytes ? success() : wrongEncoding("name");
  case rawDataField:
    outline.raw = field.bytes;
    return field.type == WireType::bytes ? success() : wrongEncoding("raw_data");
  case externalDataField:
    return readExternal(field, outline.externalData);
  case dataLocationField: {
    int64_t location = 0;
    TILERIG_CHECK_OK(readNumber(field, "data_location", location));
    outline.external = location == 1;
    return location == 0 || location == 1
               ? success()
               : invalidInput("", "data_location is neither 0 (default) nor 1 (external)");
  }
  default:
    return success();
  }
}

static Result<DType> readType(int64_t number) {
  if (auto type = dtypeOfOnnx(number))
    return *type;
  if (number == 0)
    return invalidInput("", "the message has no data_type, so it is not a TensorProto");
  if (number == 8)
    return unsupported("", "a tensor of strings is not supported");
  if (number == 18 || number == 20)
    return unsupported("", "a tensor of 8-bit floats without a negative zero is not supported");
  return unsupported("", fmt::format("data_type {} is unknown", number));
}

// Reads the elements of a tensor of this type, wherever the message has them.
static Result<Tensor> readElements(const Outline &outline, DType type, const Shape &shape, Bytes message,
                                   std::shared_ptr<const void> owner, const std::string &folder) {
  if (outline.external)
    return loadExternalData(outline.externalData, type, shape, folder);
  if (!outline.list.empty())
    return outline.list.decode(message, type, shape);
  return Tensor::view(type, shape, outline.raw.value_or(Bytes()), std::move(owner));
}

// Reads a tensor of 4-bit integers or 8-bit floats.
static Result<Tensor> readNarrow(const Outline &outline, Bytes message, const std::string &folder) {
  const auto fourBits = fourBitsOfOnnx(outline.dataType);
  TILERIG_TRY(const uint64_t size, sizeBytesOf(DType::u8, outline.shape));
  const auto count = static_cast<int64_t>(size);
  TILERIG_TRY(const Tensor bytes, readElements(outline, DType::u8, {fourBits ? packedBytes(count) : count},
                                               message, nullptr, folder));
  return fourBits ? unpackedFourBits(*fourBits, outline.shape, bytes.bytes())
                  : widenedFloatEight(outline.dataType, outline.shape, bytes.bytes());
}

static Result<NamedTensor> parse(Bytes message, std::shared_ptr<const void> owner,
                                 const std::string &folder) {
  Outline outline;
  WireReader reader(message);
  while (true) {
    TILERIG_TRY(std::optional<WireField> field, reader.next());
    if (!field)
      break;
    TILERIG_CHECK_OK(readField(*field, outline));
  }
  if (outline.external + outline.raw.has_value() + !outline.list.empty() > 1)
    return invalidInput("", "the data is in more than one place: raw_data, a typed list or an external file");
  NamedTensor named{std::string(outline.name), {}};
  if (fourBitsOfOnnx(outline.dataType) || isFloatEight(outline.dataType)) {
    TILERIG_TRY(named.tensor, readNarrow(outline, message, folder));
    return named;
  }
  TILERIG_TRY(DType type, readType(outline.dataType));
  TILERIG_TRY(named.tensor, readElements(outline, type, outline.shape, message, std::move(owner), folder));
  TILERIG_CHECK_OK(checkBools(named.tensor, ""));
  return named;
}

Result<NamedTensor> parseTensorProto(Bytes message, std::shared_ptr<const void> owner,
                                     const std::string &folder, const std::string &place) {
  auto named = parse(message, std::move(owner), folder);
  if (!named)
    return std::move(named).error().within(place);
  return named;
}

Result<NamedTensor> readTensorProto(const std::string &path) {
  TILERIG_TRY(MappedFile mapped, MappedFile::open(path));
  auto file = std::make_shared<const MappedFile>(std::move(mapped));
  std::string folder = std::filesystem::path(path).parent_path().string();
  return advised(parseTensorProto(file->bytes(), file, folder.empty() ? "." : folder, path),
                 "save the tensor again with onnx.numpy_helper.from_array");
}

Status writeTensorProto(const std::string &path, std::string_view name, const Tensor &tensor) {
  std::string head;
  for (int64_t dim : tensor.shape()) {
    putTag(head, dimsField, WireType::varint);
    putVarint(head, static_cast<uint64_t>(dim));
  }
  putTag(head, dataTypeField, WireType::varint);
  putVarint(head, static_cast<uint64_t>(onnxNumber(tensor.dtype())));
  putTag(head, nameField, WireType::bytes);
  putVarint(head, name.size());
  head += name;
  putTag(head, rawDataField, WireType::bytes);
  putVarint(head, tensor.sizeBytes());
  if (tensor.sizeBytes() > std::numeric_limits<int32_t>::max() - head.size())
    return unsupported(path, "a tensor of more than 2 GiB does not fit into a protobuf message",
                       "write an .npz file");
  TILERIG_TRY(OutputFile file, OutputFile::create(path));
  TILERIG_CHECK_OK(file.write(head));
  TILERIG_CHECK_OK(file.write(tensor.bytes()));
  return file.commit();
}

} // namespace tilerig
