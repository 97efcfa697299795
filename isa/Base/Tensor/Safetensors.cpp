#include "isa/Base/Tensor/Safetensors.h"

#include "isa/Base/Support/StrictJson.h"

#include <array>
#include <cstring>
#include <fmt/core.h>

namespace tilerig {

namespace {

constexpr size_t lengthBytes = 8;
// The format's own limit of the header.
constexpr size_t longestHeader = 100'000'000;

struct TypeName {
  std::string_view name;
  DType type;
};
constexpr auto typeNames = std::to_array<TypeName>({{"F16", DType::f16},
                                                    {"BF16", DType::bf16},
                                                    {"F32", DType::f32},
                                                    {"F64", DType::f64},
                                                    {"I8", DType::i8},
                                                    {"I16", DType::i16},
                                                    {"I32", DType::i32},
                                                    {"I64", DType::i64},
                                                    {"U8", DType::u8},
                                                    {"U16", DType::u16},
                                                    {"U32", DType::u32},
                                                    {"U64", DType::u64},
                                                    {"BOOL", DType::boolean},
                                                    {"C64", DType::c64}});

Result<DType> typeOf(const JsonPlace &entry) {
  TILERIG_TRY(const std::string name, entry.at("dtype").text());
  for (const TypeName &known : typeNames)
    if (known.name == name)
      return known.type;
  return unsupported(entry.file + ": " + entry.path,
                     fmt::format("elements of type {} cannot be read", inQuotes(name)),
                     "convert the tensor to F32 first");
}

Result<Shape> shapeOf(const JsonPlace &entry) {
  const JsonPlace list = entry.at("shape");
  TILERIG_CHECK_OK(list.expectList());
  if (list.value->size() > maxRank)
    return list.refuse(fmt::format("a tensor has at most {} axes", maxRank));
  Shape shape;
  for (size_t i = 0; i < list.value->size(); ++i) {
    TILERIG_TRY(const int64_t size, list.at(i).wholeNumber<int64_t>(0));
    shape.push_back(size);
  }
  return shape;
}

// The bytes of a tensor, as the header states them.
Result<std::span<const std::byte>> bytesOf(const JsonPlace &entry, std::span<const std::byte> data) {
  const JsonPlace offsets = entry.at("data_offsets");
  TILERIG_CHECK_OK(offsets.expectList());
  if (offsets.value->size() != 2)
    return offsets.refuse("expected two numbers: the first byte, and the one after the last");
  TILERIG_TRY(const size_t begin, offsets.at(0).wholeNumber<size_t>());
  TILERIG_TRY(const size_t end, offsets.at(1).wholeNumber<size_t>());
  if (begin > end || end > data.size())
    return offsets.refuse(
        fmt::format("bytes {} to {} are not within the {} bytes behind the header", begin, end, data.size()),
        "the file may be cut off: write or copy it again");
  return data.subspan(begin, end - begin);
}

} // namespace

Result<TensorMap> parseSafetensors(std::span<const std::byte> file, std::shared_ptr<const void> owner,
                                   const std::string &place, const TensorFilter &filter) {
  uint64_t length = 0;
  if (file.size() < lengthBytes)
    return invalidInput(place, "the file is too short for a .safetensors file");
  std::memcpy(&length, file.data(), lengthBytes);
  if (length > longestHeader || length > file.size() - lengthBytes)
    return invalidInput(
        place,
        fmt::format("the header should have {} bytes, more than the file or the format allows", length),
        "the file may be cut off, or is no .safetensors file");
  const std::string_view text(reinterpret_cast<const char *>(file.data()) + lengthBytes, length);
  TILERIG_TRY(const Json header, parseStrictJson(text, place, {.longest = longestHeader}));
  const std::span<const std::byte> data = file.subspan(lengthBytes + length);
  const JsonPlace root{&header, place};
  TILERIG_CHECK_OK(root.expectObject());
  TensorMap tensors;
  size_t total = 0;
  for (const auto &[name, value] : header.items()) {
    if (name == "__metadata__")
      continue;
    const JsonPlace entry = root.member(name, value);
    TILERIG_CHECK_OK(entry.expectObject({"dtype", "shape", "data_offsets"}));
    TILERIG_TRY(const DType type, typeOf(entry));
    TILERIG_TRY(const Shape shape, shapeOf(entry));
    TILERIG_TRY(const auto bytes, bytesOf(entry, data));
    if (total += bytes.size(); total > data.size())
      return entry.refuse("the tensors overlap: they have more bytes than the file", "write the file again");
    TILERIG_TRY(const bool isWanted, filter ? filter({name, type, shape}) : Result<bool>(true));
    if (!isWanted)
      continue;
    auto tensor = Tensor::view(type, shape, bytes, owner);
    if (!tensor)
      return entry.refuse(tensor.error().what);
    TILERIG_CHECK_OK(checkBools(*tensor, place + ": " + entry.path));
    if (auto added = tensors.add(name, *std::move(tensor)); !added)
      return std::move(added).error().within(place);
  }
  return tensors;
}

} // namespace tilerig
