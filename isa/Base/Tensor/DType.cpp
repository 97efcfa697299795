#include "isa/Base/Tensor/DType.h"

#include <array>

namespace tilerig {

namespace {
struct DTypeFacts {
  DType type;
  std::string_view name;
  size_t bytes, component;
  std::string_view descr;
  int onnx;
};
} // namespace

static constexpr auto facts = std::to_array<DTypeFacts>({
    {DType::f16, "float16", 2, 2, "<f2", 10},
    {DType::bf16, "bfloat16", 2, 2, "<u2", 16},
    {DType::f32, "float32", 4, 4, "<f4", 1},
    {DType::f64, "float64", 8, 8, "<f8", 11},
    {DType::i8, "int8", 1, 1, "|i1", 3},
    {DType::i16, "int16", 2, 2, "<i2", 5},
    {DType::i32, "int32", 4, 4, "<i4", 6},
    {DType::i64, "int64", 8, 8, "<i8", 7},
    {DType::u8, "uint8", 1, 1, "|u1", 2},
    {DType::u16, "uint16", 2, 2, "<u2", 4},
    {DType::u32, "uint32", 4, 4, "<u4", 12},
    {DType::u64, "uint64", 8, 8, "<u8", 13},
    {DType::boolean, "bool", 1, 1, "|b1", 9},
    {DType::c64, "complex64", 8, 4, "<c8", 14},
    {DType::c128, "complex128", 16, 8, "<c16", 15},
});

static constexpr bool inOrder() {
  for (size_t index = 0; index < facts.size(); ++index)
    if (static_cast<size_t>(facts[index].type) != index)
      return false;
  return facts.size() == numDTypes;
}
static_assert(inOrder());

static const DTypeFacts &factsOf(DType type) { return facts[static_cast<size_t>(type)]; }

std::string_view nameOf(DType type) { return factsOf(type).name; }
size_t sizeBytes(DType type) { return factsOf(type).bytes; }
size_t componentBytes(DType type) { return factsOf(type).component; }
std::string_view npyDescr(DType type) { return factsOf(type).descr; }
int onnxNumber(DType type) { return factsOf(type).onnx; }

std::optional<DType> dtypeNamed(std::string_view name) {
  for (const DTypeFacts &fact : facts)
    if (fact.name == name)
      return fact.type;
  return std::nullopt;
}

std::optional<DType> dtypeOfOnnx(int64_t number) {
  for (const DTypeFacts &fact : facts)
    if (fact.onnx == number)
      return fact.type;
  return std::nullopt;
}

} // namespace tilerig
