// Fuzzer of .npy files: an accepted file is unchanged by being written and read again.
#include "isa/Base/Tensor/Npy.h"

#include "tests/fuzz/Fuzz.h"

#include <string>

using namespace tilerig;

extern "C" void tilerigSeeds(SeedSink &sink) {
  for (DType type : {DType::f32, DType::c128, DType::boolean})
    sink.add(formatNpyHeader(type, {2, 3}) + std::string(6 * sizeBytes(type), '\1'));
  sink.add(formatNpyHeader(DType::i64, {}) + "12345678");
  sink.add(formatNpyHeader(DType::u8, {0, 4}));
  std::string fortran = "\x93NUMPY" + std::string("\2\0\x74\0\0\0", 6) +
                        "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }";
  fortran.resize(127, ' ');
  sink.add(fortran + "\n" + "abcdefghijkl");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto tensor = parseNpy(std::as_bytes(std::span(data, size)), nullptr, "fuzz");
  if (!tensor)
    return 0;
  auto bytes = tensor->bytes();
  std::string file = formatNpyHeader(tensor->dtype(), tensor->shape()) +
                     std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  auto again = parseNpy(std::as_bytes(std::span(file)), nullptr, "again");
  require(again && identical(*again, *tensor));
  return 0;
}
