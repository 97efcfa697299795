#include "isa/Base/Tensor/DType.h"

#include "tests/support/RandomTensor.h"

namespace tilerig {

// The names and numbers of element types in numpy's and ONNX's documentation, independent of the library's
// table that is tested.
TEST(DType, HasNumpysNamesAndOnnxsNumbers) {
  struct Expected {
    DType type;
    const char *name, *descr;
    size_t bytes;
    int onnx;
  };
  const Expected table[] = {
      {DType::f16, "float16", "<f2", 2, 10},      {DType::bf16, "bfloat16", "<u2", 2, 16},
      {DType::f32, "float32", "<f4", 4, 1},       {DType::f64, "float64", "<f8", 8, 11},
      {DType::i8, "int8", "|i1", 1, 3},           {DType::i16, "int16", "<i2", 2, 5},
      {DType::i32, "int32", "<i4", 4, 6},         {DType::i64, "int64", "<i8", 8, 7},
      {DType::u8, "uint8", "|u1", 1, 2},          {DType::u16, "uint16", "<u2", 2, 4},
      {DType::u32, "uint32", "<u4", 4, 12},       {DType::u64, "uint64", "<u8", 8, 13},
      {DType::boolean, "bool", "|b1", 1, 9},      {DType::c64, "complex64", "<c8", 8, 14},
      {DType::c128, "complex128", "<c16", 16, 15}};
  EXPECT_EQ(std::size(table), numDTypes);
  for (const Expected &expected : table) {
    EXPECT_EQ(nameOf(expected.type), expected.name);
    EXPECT_EQ(dtypeNamed(expected.name), expected.type);
    EXPECT_EQ(npyDescr(expected.type), expected.descr);
    EXPECT_EQ(sizeBytes(expected.type), expected.bytes);
    EXPECT_EQ(onnxNumber(expected.type), expected.onnx);
    EXPECT_EQ(dtypeOfOnnx(expected.onnx), expected.type);
  }
}

TEST(DType, KnowsNoOthers) {
  EXPECT_FALSE(dtypeNamed("float8"));
  EXPECT_FALSE(dtypeNamed(""));
  for (int number : {-1, 0, 8, 17, 23})
    EXPECT_FALSE(dtypeOfOnnx(number)) << number;
}

TEST(DType, DispatchGivesTheTypeOfTheSameSizeAndAlignment) {
  for (DType type : allDTypes())
    dispatch(type, [&]<class T>() {
      EXPECT_EQ(dtypeOf<T>, type);
      EXPECT_EQ(sizeof(T), sizeBytes(type));
      EXPECT_EQ(alignof(T), componentBytes(type));
    });
}

} // namespace tilerig
