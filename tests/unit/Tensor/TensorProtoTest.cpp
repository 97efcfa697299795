#include "isa/Base/Tensor/TensorProto.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/Wire.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/TemporaryFolder.h"

namespace tilerig {

// Builder of protobuf messages, field by field.
struct Message {
  std::string bytes;

  Message &varint(uint32_t field, uint64_t value) {
    putTag(bytes, field, WireType::varint);
    putVarint(bytes, value);
    return *this;
  }
  Message &text(uint32_t field, std::string_view content) {
    putTag(bytes, field, WireType::bytes);
    putVarint(bytes, content.size());
    bytes += content;
    return *this;
  }
  Message &packed(uint32_t field, std::initializer_list<uint64_t> values) {
    std::string content;
    for (uint64_t value : values)
      putVarint(content, value);
    return text(field, content);
  }
  Message &external(std::string_view key, std::string_view value) {
    return text(13, Message().text(1, key).text(2, value).bytes);
  }
};

static Result<NamedTensor> parse(const Message &message, const std::string &folder = "") {
  return parseTensorProto(std::as_bytes(std::span(message.bytes)), nullptr, folder, "m");
}

static void expectTensor(const Message &message, const Tensor &expected) {
  auto named = parse(message);
  ASSERT_TRUE(named) << messageOf(named);
  EXPECT_TRUE(identical(named->tensor, expected)) << describe(named->tensor);
}

static uint64_t word(int64_t number) { return static_cast<uint64_t>(number); }

TEST(TensorProto, RoundTripsRandomTensors) {
  TemporaryFolder folder;
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    Tensor tensor = randomTensor(random);
    ASSERT_TRUE(writeTensorProto(folder.path("x.pb"), "a/b:0", tensor));
    auto read = readTensorProto(folder.path("x.pb"));
    ASSERT_TRUE(read) << messageOf(read);
    EXPECT_EQ(read->name, "a/b:0");
    EXPECT_TRUE(identical(read->tensor, tensor)) << describe(tensor);
  }
}

// Bytes as in protobuf's encoding guide: tag = field * 8 + wire type.
TEST(TensorProto, WritesTheseBytes) {
  TemporaryFolder folder;
  ASSERT_TRUE(writeTensorProto(folder.path("x.pb"), "x", Tensor::of<int16_t>({1, 2}, {1, -2})));
  EXPECT_EQ(*readText(folder.path("x.pb")),
            std::string("\x08\x01\x08\x02\x10\x05\x42\x01x\x4A\x04\x01\x00\xFE\xFF", 15));
}

TEST(TensorProto, ReadsSmallTypesFromInt32Data) {
  expectTensor(Message().varint(1, 3).varint(2, 3).packed(5, {1, word(-128), 127}),
               Tensor::of<int8_t>({3}, {1, -128, 127}));
  expectTensor(Message().varint(1, 2).varint(2, 2).packed(5, {0, 255}), Tensor::of<uint8_t>({2}, {0, 255}));
  expectTensor(Message().varint(1, 2).varint(2, 5).packed(5, {word(-32768), 7}),
               Tensor::of<int16_t>({2}, {-32768, 7}));
  expectTensor(Message().varint(1, 2).varint(2, 4).packed(5, {65535, 7}),
               Tensor::of<uint16_t>({2}, {65535, 7}));
  expectTensor(Message().varint(1, 2).varint(2, 6).packed(5, {word(INT32_MIN), 7}),
               Tensor::of<int32_t>({2}, {INT32_MIN, 7}));
  expectTensor(Message().varint(1, 2).varint(2, 9).packed(5, {1, 0}), Tensor::of<bool>({2}, {true, false}));
  expectTensor(Message().varint(1, 1).varint(2, 10).packed(5, {0xFC00}),
               Tensor::of<Float16>({1}, {{0xFC00}}));
  expectTensor(Message().varint(1, 1).varint(2, 16).packed(5, {0xFF80}),
               Tensor::of<BFloat16>({1}, {{0xFF80}}));
}

TEST(TensorProto, ReadsTheOtherLists) {
  expectTensor(Message().varint(1, 2).varint(2, 7).packed(7, {word(INT64_MIN), 7}),
               Tensor::of<int64_t>({2}, {INT64_MIN, 7}));
  expectTensor(Message().varint(1, 1).varint(2, 13).packed(11, {UINT64_MAX}),
               Tensor::of<uint64_t>({1}, {UINT64_MAX}));
  expectTensor(Message().varint(1, 1).varint(2, 12).packed(11, {UINT32_MAX}),
               Tensor::of<uint32_t>({1}, {UINT32_MAX}));
  std::string one("\0\0\x80\x3F", 4), two("\0\0\0\x40", 4), eight("\0\0\0\0\0\0\x20\x40", 8);
  expectTensor(Message().varint(1, 2).varint(2, 1).text(4, one + two), Tensor::of<float>({2}, {1, 2}));
  expectTensor(Message().varint(2, 14).text(4, one + two), Tensor::scalar(std::complex<float>(1, 2)));
  expectTensor(Message().varint(2, 11).text(10, eight), Tensor::scalar(8.0));
  expectTensor(Message().varint(2, 15).text(10, eight + eight), Tensor::scalar(std::complex<double>(8, 8)));
}

TEST(TensorProto, ReadsUnpackedSplitAndDisorderedLists) {
  Tensor expected = Tensor::of<int32_t>({2, 2}, {1, 2, -3, 4});
  expectTensor(
      Message().varint(5, 1).varint(5, 2).varint(5, word(-3)).varint(5, 4).varint(2, 6).packed(1, {2, 2}),
      expected);
  expectTensor(
      Message().packed(5, {1}).varint(1, 2).varint(5, 2).varint(2, 6).packed(5, {word(-3), 4}).varint(1, 2),
      expected);
  // A negative int32 truncated to five bytes, as some writers encode it.
  expectTensor(Message().varint(1, 1).varint(2, 6).packed(5, {0xFFFFFFFD}), Tensor::of<int32_t>({1}, {-3}));
  Message floats;
  for (const char *number : {"\0\0\x80\x3F", "\0\0\0\x40"}) {
    putTag(floats.bytes, 4, WireType::fixed32);
    floats.bytes.append(number, 4);
  }
  expectTensor(floats.varint(1, 2).varint(2, 1), Tensor::of<float>({2}, {1, 2}));
}

TEST(TensorProto, IgnoresUnknownFieldsAndDocumentation) {
  Message message;
  message.text(12, "documentation")
      .varint(1000, 5)
      .text(16, "metadata")
      .varint(1, 1)
      .varint(2, 3)
      .packed(5, {7});
  putTag(message.bytes, 2000, WireType::fixed64);
  message.bytes += "12345678";
  expectTensor(message, Tensor::of<int8_t>({1}, {7}));
}

TEST(TensorProto, EmptyTensorsNeedNoData) {
  expectTensor(Message().varint(1, 0).varint(2, 1), Tensor(DType::f32, {0}));
  expectTensor(Message().varint(1, 0).varint(2, 1).text(9, ""), Tensor(DType::f32, {0}));
}

TEST(TensorProto, RefusesWhatContradictsItself) {
  EXPECT_REFUSED(parse(Message()), "m: the message has no data_type");
  EXPECT_REFUSED(parse(Message().varint(2, 1)), "there are 0 bytes of data, but float32 [] needs 4");
  EXPECT_REFUSED(parse(Message().varint(1, 2).varint(2, 1).text(9, "1234")),
                 "there are 4 bytes of data, but float32 [2] needs 8");
  EXPECT_REFUSED(parse(Message().varint(1, 2).varint(2, 3).packed(5, {1})),
                 "there are 1 numbers in int32_data, but int8 [2] needs 2");
  EXPECT_REFUSED(parse(Message().varint(1, 1).varint(2, 3).packed(5, {1, 2})), "2 numbers in int32_data");
  EXPECT_REFUSED(parse(Message().varint(1, 1).varint(2, 7).packed(5, {1})),
                 "int32_data cannot hold the elements of a tensor of int64");
  EXPECT_REFUSED(parse(Message().varint(2, 6).packed(5, {1}).packed(7, {1})),
                 "both int32_data and int64_data");
  EXPECT_REFUSED(parse(Message().varint(2, 6).packed(5, {1}).text(9, "1234")),
                 "the data is in more than one place");
  EXPECT_REFUSED(parse(Message().varint(2, 6).text(9, "1234").varint(14, 1)),
                 "the data is in more than one place");
  EXPECT_REFUSED(parse(Message().varint(2, 6).text(4, "123")), "float_data has 3 bytes");
  EXPECT_REFUSED(parse(Message().varint(2, 9).text(9, "\2")), "expected 0 or 1");
}

TEST(TensorProto, RefusesNumbersOutsideTheirType) {
  const std::tuple<int, int, uint64_t, const char *> cases[] = {
      {3, 5, 128, "128 is out of the range of int8"},
      {3, 5, word(-129), "-129 is out of the range of int8"},
      {2, 5, 256, "256 is out of the range of uint8"},
      {2, 5, word(-1), "-1 is out of the range of uint8"},
      {9, 5, 2, "2 is out of the range of bool"},
      {10, 5, 65536, "65536 is out of the range of float16"},
      {6, 5, uint64_t{1} << 32, "out of the range of int32"},
      {12, 11, uint64_t{1} << 32, "4294967296 is out of the range of uint32"}};
  for (auto [type, field, value, words] : cases)
    EXPECT_REFUSED(parse(Message().varint(2, type).packed(field, {value})), words);
}

TEST(TensorProto, RefusesShapesThatCannotBe) {
  EXPECT_REFUSED(parse(Message().varint(1, word(-1)).varint(2, 1)), "dimension -1 in shape");
  EXPECT_REFUSED(parse(Message().varint(1, INT64_MAX).varint(2, 1)), "more bytes than there are addresses");
  EXPECT_REFUSED(parse(Message().varint(1, int64_t{1} << 40).varint(2, 1).text(9, "1234")), "needs");
  EXPECT_REFUSED(parse(Message().varint(1, int64_t{1} << 40).varint(2, 3).packed(5, {1})), "needs");
  Message deep;
  for (int dim = 0; dim < 65; ++dim)
    deep.varint(1, 1);
  EXPECT_REFUSED(parse(deep.varint(2, 3)), "more than 64 dimensions");
}

TEST(TensorProto, UnpacksIntegersOfFourBits) {
  auto isSigned = parse(Message().varint(1, 3).varint(2, 22).text(9, "\x8F\x07"));
  ASSERT_TRUE(isSigned);
  EXPECT_TRUE(identical(isSigned->tensor, Tensor::of<int8_t>({3}, {-1, -8, 7})));
  auto isUnsigned = parse(Message().varint(1, 3).varint(2, 21).packed(5, {0x8F, 0x07}));
  ASSERT_TRUE(isUnsigned);
  EXPECT_TRUE(identical(isUnsigned->tensor, Tensor::of<uint8_t>({3}, {15, 8, 7})));
  EXPECT_REFUSED(parse(Message().varint(1, 3).varint(2, 22).text(9, "\x8F")), "needs");
  EXPECT_REFUSED(parse(Message().varint(1, 3).varint(2, 22).packed(5, {1, 2, 3})), "");
}

TEST(TensorProto, WidensFloatsOfEightBits) {
  auto e4m3fn = parse(Message().varint(1, 4).varint(2, 17).text(9, "\x38\xFE\x01\x80"));
  ASSERT_TRUE(e4m3fn);
  EXPECT_TRUE(identical(e4m3fn->tensor, Tensor::of<float>({4}, {1, -448, 0x1p-9f, -0.0f})));
  auto e5m2 = parse(Message().varint(1, 4).varint(2, 19).packed(5, {0x3C, 0xFB, 0x01, 0x7C}));
  ASSERT_TRUE(e5m2);
  EXPECT_TRUE(identical(e5m2->tensor, Tensor::of<float>({4}, {1, -57344, 0x1p-16f, INFINITY})));
  EXPECT_REFUSED(parse(Message().varint(1, 3).varint(2, 17).text(9, "\x8F")), "needs");
}

TEST(TensorProto, RefusesWhatIsNotSupportedByName) {
  EXPECT_REFUSED(parse(Message().varint(2, 8).text(6, "abc")), "a tensor of strings");
  EXPECT_REFUSED(parse(Message().varint(2, 8)), "a tensor of strings");
  EXPECT_REFUSED(parse(Message().varint(2, 18)), "8-bit floats");
  EXPECT_REFUSED(parse(Message().varint(2, 99)), "data_type 99");
  EXPECT_REFUSED(parse(Message().varint(2, 1).text(3, "")), "in segments");
}

TEST(TensorProto, RefusesDamagedEncodings) {
  EXPECT_REFUSED(parse({"\x80"}), "m: protobuf at byte 1: the message ends inside a number");
  EXPECT_REFUSED(parse({"\x0F"}), "a group or has an unknown wire type");
  EXPECT_REFUSED(parse({"\x0B"}), "a group or has an unknown wire type");
  EXPECT_REFUSED(parse({std::string("\x00\x00", 2)}), "the field number is out of range");
  EXPECT_REFUSED(parse({"\x4A\x05"
                        "1234"}),
                 "longer than its message");
  EXPECT_REFUSED(parse({"\x4A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"}), "longer than its message");
  EXPECT_REFUSED(parse({"\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02"}), "exceeds 64 bits");
  EXPECT_REFUSED(parse({"\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"}), "exceeds 64 bits");
  EXPECT_REFUSED(parse({"\x0D"
                        "1234"}),
                 "dims does not have the encoding");
  EXPECT_REFUSED(parse(Message().text(2, "x")), "data_type does not have the encoding");
  EXPECT_REFUSED(parse(Message().varint(9, 1).varint(2, 1)), "raw_data does not have the encoding");
  EXPECT_REFUSED(parse(Message().varint(2, 6).text(5, "\x80")), "ends inside a number");
  EXPECT_REFUSED(parse(Message().varint(2, 6).varint(4, 1)), "float_data does not have the encoding");
}

class ExternalTensor : public testing::Test {
protected:
  void SetUp() override {
    std::filesystem::create_directories(folder.path("model/weights"));
    ASSERT_TRUE(writeText(folder.path("model/weights/data.bin"), "....ABCDEFGH"));
    ASSERT_TRUE(writeText(folder.path("secret"), "ABCDEFGH"));
  }
  Message message(std::string_view location) {
    return Message().varint(1, 4).varint(2, 4).varint(14, 1).external("location", location);
  }
  Result<NamedTensor> parseIn(const Message &message) { return parse(message, folder.path("model")); }
  TemporaryFolder folder;
};

TEST_F(ExternalTensor, IsReadFromTheModelsFolder) {
  Tensor expected = Tensor::of<uint16_t>({4}, {0x4241, 0x4443, 0x4645, 0x4847});
  auto named = parseIn(
      message("weights/data.bin").external("offset", "4").external("length", "8").external("checksum", "?"));
  ASSERT_TRUE(named) << messageOf(named);
  EXPECT_TRUE(identical(named->tensor, expected));
  named = parseIn(message("./weights/data.bin").external("offset", "4"));
  ASSERT_TRUE(named) << messageOf(named);
  EXPECT_TRUE(identical(named->tensor, expected));
  // External data are found relative to the file of the message, not to the current folder.
  ASSERT_TRUE(
      writeText(folder.path("model/x.pb"), message("weights/data.bin").external("offset", "4").bytes));
  named = readTensorProto(folder.path("model/x.pb"));
  ASSERT_TRUE(named) << messageOf(named);
  EXPECT_TRUE(identical(named->tensor, expected));
}

TEST_F(ExternalTensor, MustNotLeaveTheFolder) {
  EXPECT_REFUSED(parseIn(message("../secret")), "does not lie inside the folder");
  EXPECT_REFUSED(parseIn(message("weights/../../secret")), "does not lie inside the folder");
  EXPECT_REFUSED(parseIn(message(folder.path("secret"))), "does not lie inside the folder");
  EXPECT_REFUSED(parseIn(message("")), "does not lie inside the folder");
  EXPECT_REFUSED(parseIn(message(std::string_view("weights/data.bin\0x", 18))),
                 "does not lie inside the folder");
  std::filesystem::create_symlink("../secret", folder.path("model/link"));
  EXPECT_REFUSED(parseIn(message("link")), "is a link out of the folder");
  std::filesystem::create_directory_symlink("..", folder.path("model/up"));
  EXPECT_REFUSED(parseIn(message("up/secret")), "is a link out of the folder");
}

TEST_F(ExternalTensor, RefusesWhatIsNotThere) {
  EXPECT_REFUSED(parseIn(message("weights/none.bin")), "'weights/none.bin' cannot be found");
  EXPECT_REFUSED(parseIn(message("weights")), "is a folder");
  EXPECT_REFUSED(parseIn(message("weights/data.bin").external("offset", "5")),
                 "8 bytes at offset 5 is outside the file of 12");
  EXPECT_REFUSED(parseIn(message("weights/data.bin").external("offset", "18446744073709551615")),
                 "outside the file");
  EXPECT_REFUSED(parseIn(message("weights/data.bin").external("length", "7")), "external data has 7 bytes");
  EXPECT_REFUSED(parseIn(message("weights/data.bin").external("offset", "-1")),
                 "the offset of external data is '-1'");
  EXPECT_REFUSED(parseIn(message("weights/data.bin").external("offset", "99999999999999999999")),
                 "the offset of external data is");
  EXPECT_REFUSED(parse(message("weights/data.bin")), "was not read from a file");
}

TEST(TensorProto, LargeRawDataStayInTheFile) {
  TemporaryFolder folder;
  Random random(2);
  Tensor large = randomTensor(DType::u8, {1 << 20}, random);
  ASSERT_TRUE(writeTensorProto(folder.path("x.pb"), "x", large));
  auto read = readTensorProto(folder.path("x.pb"));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->tensor.isView());
  EXPECT_TRUE(identical(read->tensor, large));
}

} // namespace tilerig
