#include "isa/Base/Tensor/TypedList.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>

namespace tilerig {

namespace {
struct List {
  uint32_t field; // number of the list's field in a TensorProto
  const char *name;
  WireType encoding;
};
} // namespace

static constexpr List floatData = {4, "float_data", WireType::fixed32},
                      int32Data = {5, "int32_data", WireType::varint},
                      int64Data = {7, "int64_data", WireType::varint},
                      doubleData = {10, "double_data", WireType::fixed64},
                      uint64Data = {11, "uint64_data", WireType::varint};

static const List *listAt(uint32_t field) {
  for (const List *list : {&floatData, &int32Data, &int64Data, &doubleData, &uint64Data})
    if (list->field == field)
      return list;
  return nullptr;
}

// The typed list in which ONNX stores elements of the type.
static const List &listOf(DType type) {
  switch (type) {
  case DType::f32:
  case DType::c64:
    return floatData;
  case DType::f64:
  case DType::c128:
    return doubleData;
  case DType::i64:
    return int64Data;
  case DType::u32:
  case DType::u64:
    return uint64Data;
  default:
    return int32Data;
  }
}

Error wrongEncoding(const char *name) {
  return invalidInput("", fmt::format("{} does not have the encoding that protobuf uses for its type", name));
}

static Result<uint64_t> countNumbers(const WireField &field, const List &list) {
  if (field.type == list.encoding)
    return uint64_t{1};
  if (field.type != WireType::bytes)
    return wrongEncoding(list.name);
  if (list.encoding == WireType::varint) { // only the last byte of a varint has a clear high bit
    auto isLast = [](std::byte byte) { return byte < std::byte{0x80}; };
    if (!field.bytes.empty() && !isLast(field.bytes.back()))
      return invalidInput("", fmt::format("{} ends inside a number", list.name));
    return static_cast<uint64_t>(std::ranges::count_if(field.bytes, isLast));
  }
  size_t width = list.encoding == WireType::fixed32 ? 4 : 8;
  if (field.bytes.size() % width)
    return invalidInput(
        "", fmt::format("{} has {} bytes, not a whole number of elements", list.name, field.bytes.size()));
  return field.bytes.size() / width;
}

bool TypedList::has(uint32_t fieldNumber) { return listAt(fieldNumber) != nullptr; }

Status TypedList::count(const WireField &field) {
  const List &list = *listAt(field.number);
  TILERIG_TRY(uint64_t more, countNumbers(field, list));
  if (more && numbers && fieldNumber != field.number)
    return invalidInput("", fmt::format("the tensor stores elements in both {} and {}",
                                        listAt(fieldNumber)->name, list.name));
  if (more)
    fieldNumber = field.number;
  numbers += more;
  return success();
}

// The range of numbers in int32_data or uint64_data that are legal for elements of the type.
struct Bounds {
  int64_t least;
  uint64_t most;
};
static Bounds boundsOf(DType type) {
  switch (type) {
  case DType::boolean:
    return {0, 1};
  case DType::i8:
    return {INT8_MIN, INT8_MAX};
  case DType::u8:
    return {0, UINT8_MAX};
  case DType::i16:
    return {INT16_MIN, INT16_MAX};
  case DType::u16:
  case DType::f16: // a float16 is stored as its bits, like bfloat16
  case DType::bf16:
    return {0, UINT16_MAX};
  case DType::i32:
    return {INT32_MIN, INT32_MAX};
  case DType::u32:
    return {0, UINT32_MAX};
  case DType::i64:
    return {INT64_MIN, INT64_MAX};
  default:
    return {0, UINT64_MAX};
  }
}

// Decodes an element from its encoded number. Negative numbers are sign-extended to 64 bits, by some writers
// to 32.
static Result<uint64_t> elementOf(uint64_t encoded, DType type) {
  auto [least, most] = boundsOf(type);
  auto number = static_cast<int64_t>(encoded);
  if (listOf(type).field == int32Data.field && encoded <= UINT32_MAX)
    number = static_cast<int32_t>(encoded);
  bool negative = number < 0 && type != DType::u64;
  if (negative ? number < least : static_cast<uint64_t>(number) > most)
    return invalidInput("", fmt::format("the number {} is out of the range of {}", number, nameOf(type)));
  return static_cast<uint64_t>(number);
}

static Status copyNumbers(const WireField &field, const List &list, DType type, std::span<std::byte> &to) {
  if (list.encoding != WireType::varint) {
    std::ranges::copy(field.bytes, to.begin());
    to = to.subspan(field.bytes.size());
    return success();
  }
  return forEachVarint(field, list.name, [&](uint64_t encoded) -> Status {
    TILERIG_TRY(uint64_t element, elementOf(encoded, type));
    std::memcpy(to.data(), &element, sizeBytes(type));
    to = to.subspan(sizeBytes(type));
    return success();
  });
}

Result<Tensor> TypedList::decode(std::span<const std::byte> message, DType type, const Shape &shape) const {
  const List &list = *listAt(fieldNumber);
  TILERIG_TRY(size_t bytes, sizeBytesOf(type, shape));
  uint64_t needed = bytes / componentBytes(type);
  if (fieldNumber != listOf(type).field)
    return invalidInput(
        "", fmt::format("{} cannot hold the elements of a tensor of {}", list.name, nameOf(type)));
  if (numbers != needed)
    return invalidInput("", fmt::format("there are {} numbers in {}, but {} {} needs {}", numbers, list.name,
                                        nameOf(type), showShape(shape), needed));
  TILERIG_TRY(Tensor tensor, Tensor::makeUninitialised(type, shape));
  std::span<std::byte> to = tensor.mutableBytes();
  WireReader reader(message);
  while (true) {
    TILERIG_TRY(std::optional<WireField> field, reader.next());
    if (!field)
      return tensor;
    if (field->number == fieldNumber)
      TILERIG_CHECK_OK(copyNumbers(*field, list, type, to));
  }
}

} // namespace tilerig
