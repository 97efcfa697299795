// Fuzzer of .safetensors files in memory.
#include "isa/Base/Tensor/Safetensors.h"

#include "tests/fuzz/Fuzz.h"

#include <string>

using namespace tilerig;

static std::string fileOf(const std::string &header, size_t bytes) {
  const uint64_t length = header.size();
  std::string file(reinterpret_cast<const char *>(&length), sizeof length);
  return file + header + std::string(bytes, '\x3f');
}

extern "C" void tilerigSeeds(SeedSink &sink) {
  sink.add(fileOf("{}", 0));
  sink.add(fileOf(
      R"({"__metadata__":{"format":"pt"},"x":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}})", 24));
  sink.add(fileOf(
      R"({"a":{"dtype":"I64","shape":[],"data_offsets":[0,8]},"b":{"dtype":"BOOL","shape":[0,7],"data_offsets":[8,8]}})",
      8));
  sink.add(fileOf(R"({"h":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]}}   )", 8));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const auto tensors = parseSafetensors(std::as_bytes(std::span(data, size)), nullptr, "fuzz");
  if (!tensors)
    return 0;
  size_t total = 0;
  for (const NamedTensor &entry : *tensors) {
    total += entry.tensor.bytes().size();
    if (entry.tensor.dtype() == DType::boolean)
      for (const std::byte value : entry.tensor.bytes())
        require(std::to_integer<int>(value) <= 1);
  }
  require(total <= size);
  return 0;
}
