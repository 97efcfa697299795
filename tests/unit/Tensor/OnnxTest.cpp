// Tests of TensorProto files against the protobuf library and ONNX's own message type: files that the library
// writes are read, the library parses files that tilerig writes, and the files of ONNX's test suite give the
// same tensors.
#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/TensorProto.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/TemporaryFolder.h"

#include <algorithm>
#include <cstring>
#include <onnx/onnx_pb.h>

namespace tilerig {

namespace fs = std::filesystem;

static Result<NamedTensor> parse(const std::string &bytes) {
  return parseTensorProto(std::as_bytes(std::span(bytes)), nullptr, "", "m");
}

// Appends to `bytes` the elements of one of the message's typed lists (such as int32_data), each converted to
// type `To`.
template <class To, class List>
static void appendBytes(std::string &bytes, const List &list) {
  for (auto element : list) {
    auto value = static_cast<To>(element);
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
}

static std::string bytesOf(const onnx::TensorProto &proto) {
  if (proto.has_raw_data())
    return proto.raw_data();
  std::string bytes;
  switch (proto.data_type()) {
  case onnx::TensorProto::INT8:
  case onnx::TensorProto::UINT8:
  case onnx::TensorProto::BOOL:
    appendBytes<uint8_t>(bytes, proto.int32_data());
    break;
  case onnx::TensorProto::INT16:
  case onnx::TensorProto::UINT16:
  case onnx::TensorProto::FLOAT16:
  case onnx::TensorProto::BFLOAT16:
    appendBytes<uint16_t>(bytes, proto.int32_data());
    break;
  case onnx::TensorProto::INT32:
    appendBytes<int32_t>(bytes, proto.int32_data());
    break;
  case onnx::TensorProto::UINT32:
    appendBytes<uint32_t>(bytes, proto.uint64_data());
    break;
  default:
    appendBytes<uint64_t>(bytes, proto.uint64_data());
    appendBytes<int64_t>(bytes, proto.int64_data());
    appendBytes<float>(bytes, proto.float_data());
    appendBytes<double>(bytes, proto.double_data());
  }
  return bytes;
}

static void expectEqual(const NamedTensor &read, const onnx::TensorProto &proto, const std::string &where) {
  EXPECT_EQ(read.name, proto.name()) << where;
  EXPECT_EQ(onnxNumber(read.tensor.dtype()), proto.data_type()) << where;
  EXPECT_EQ(read.tensor.shape(), Shape(proto.dims().begin(), proto.dims().end())) << where;
  auto bytes = read.tensor.bytes();
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size()), bytesOf(proto)) << where;
}

template <class From>
static void fill(auto *list, const Tensor &tensor) {
  auto bytes = tensor.bytes();
  for (size_t at = 0; at < bytes.size(); at += sizeof(From)) {
    From element;
    std::memcpy(&element, bytes.data() + at, sizeof element);
    list->Add(element);
  }
}

// The tensor as a message with the typed list that ONNX assigns to its type.
static onnx::TensorProto asList(const Tensor &tensor) {
  onnx::TensorProto proto;
  proto.set_name("list");
  proto.set_data_type(onnxNumber(tensor.dtype()));
  for (int64_t dim : tensor.shape())
    proto.add_dims(dim);
  switch (tensor.dtype()) {
  case DType::f32:
  case DType::c64:
    fill<float>(proto.mutable_float_data(), tensor);
    break;
  case DType::f64:
  case DType::c128:
    fill<double>(proto.mutable_double_data(), tensor);
    break;
  case DType::i8:
    fill<int8_t>(proto.mutable_int32_data(), tensor);
    break;
  case DType::u8:
  case DType::boolean:
    fill<uint8_t>(proto.mutable_int32_data(), tensor);
    break;
  case DType::i16:
    fill<int16_t>(proto.mutable_int32_data(), tensor);
    break;
  case DType::u16:
  case DType::f16:
  case DType::bf16:
    fill<uint16_t>(proto.mutable_int32_data(), tensor);
    break;
  case DType::i32:
    fill<int32_t>(proto.mutable_int32_data(), tensor);
    break;
  case DType::i64:
    fill<int64_t>(proto.mutable_int64_data(), tensor);
    break;
  case DType::u32:
    fill<uint32_t>(proto.mutable_uint64_data(), tensor);
    break;
  case DType::u64:
    fill<uint64_t>(proto.mutable_uint64_data(), tensor);
    break;
  }
  return proto;
}

TEST(Onnx, ListsSerialisedByTheLibraryAreRead) {
  Random random(1);
  for (int round = 0; round < 500; ++round) {
    Tensor tensor = randomTensor(random);
    onnx::TensorProto proto = asList(tensor);
    auto read = parse(proto.SerializeAsString());
    ASSERT_TRUE(read) << describe(tensor) << messageOf(read);
    EXPECT_TRUE(identical(read->tensor, tensor)) << describe(tensor);
    expectEqual(*read, proto, describe(tensor));
  }
}

TEST(Onnx, OurFilesAreWhatTheLibraryWouldWrite) {
  TemporaryFolder folder;
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    Tensor tensor = randomTensor(random);
    ASSERT_TRUE(writeTensorProto(folder.path("x.pb"), "some/name", tensor));
    std::string bytes = *readText(folder.path("x.pb"));
    onnx::TensorProto proto;
    ASSERT_TRUE(proto.ParseFromString(bytes));
    expectEqual({"some/name", tensor}, proto, describe(tensor));
    EXPECT_EQ(proto.SerializeAsString(), bytes);
  }
}

TEST(Onnx, FilesOfTheTestSuiteAreReadAsTheLibraryReadsThem) {
  const fs::path root = ONNX_TEST_DATA;
  if (!fs::exists(root))
    GTEST_SKIP() << "no " << root << " (package libonnx-testdata)";
  size_t read = 0, strings = 0, others = 0;
  for (const fs::directory_entry &file : fs::recursive_directory_iterator(root)) {
    if (file.path().extension() != ".pb")
      continue;
    onnx::TensorProto proto;
    bool isTensor = proto.ParseFromString(*readText(file.path())) && proto.unknown_fields().empty() &&
                    proto.SerializeAsString() == *readText(file.path());
    auto named = readTensorProto(file.path());
    if (!isTensor) { // the folders of ONNX's tests also hold sequences and optional values
      EXPECT_FALSE(named) << file.path();
      ++others;
    } else if (proto.data_type() == onnx::TensorProto::STRING) {
      EXPECT_REFUSED(named, "a tensor of strings");
      ++strings;
    } else {
      ASSERT_TRUE(named) << messageOf(named);
      expectEqual(*named, proto, file.path());
      ++read;
    }
  }
  EXPECT_GT(read, 1000u) << strings << " of strings, " << others << " others";
}

} // namespace tilerig
