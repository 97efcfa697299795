// Fuzzer of ONNX TensorProto messages in memory, without a folder for external data.
#include "isa/Base/Tensor/TensorProto.h"

#include "isa/Base/Tensor/Wire.h"
#include "tests/fuzz/Fuzz.h"

#include <string>

using namespace tilerig;

static std::string header(DType type, const Shape &shape) {
  std::string message;
  for (int64_t dim : shape) {
    putTag(message, 1, WireType::varint);
    putVarint(message, static_cast<uint64_t>(dim));
  }
  putTag(message, 2, WireType::varint);
  putVarint(message, static_cast<uint64_t>(onnxNumber(type)));
  return message;
}

static std::string list(uint32_t field, std::string_view content) {
  std::string message;
  putTag(message, field, WireType::bytes);
  putVarint(message, content.size());
  return message.append(content);
}

extern "C" void tilerigSeeds(SeedSink &sink) {
  sink.add(header(DType::f32, {2, 2}) + list(8, "name") + list(9, "0123456789abcdef"));
  sink.add(header(DType::c64, {1}) + list(4, "01234567"));
  sink.add(header(DType::i8, {4}) + list(5, "\1\2\3\4"));
  sink.add(header(DType::bf16, {2}) + list(5, "\xFF\xFF\3\1"));
  sink.add(header(DType::i64, {3}) + list(7, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\1\2\3"));
  sink.add(header(DType::f64, {}) + list(10, "01234567"));
  sink.add(header(DType::u32, {2}) + list(11, "\1\2"));
  std::string location = list(1, "location") + list(2, "data.bin");
  sink.add(header(DType::u8, {2}) + list(13, location) + "\x70\1");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto message = std::as_bytes(std::span(data, size));
  auto named = parseTensorProto(message, nullptr, "", "fuzz");
  if (!named)
    return 0;
  // Parses the same tensor stored as raw data, which must give the same type, shape and bytes.
  auto bytes = named->tensor.bytes();
  std::string raw = header(named->tensor.dtype(), named->tensor.shape()) +
                    list(9, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  auto again = parseTensorProto(std::as_bytes(std::span(raw)), nullptr, "", "again");
  require(again && identical(again->tensor, named->tensor));
  return 0;
}
