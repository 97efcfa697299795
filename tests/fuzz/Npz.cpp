// Fuzzer of .npz archives in memory. Half of the inputs are read without verifying checksums, which would
// reject most damage.
#include "isa/Base/Tensor/Npz.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/Npy.h"
#include "tests/fuzz/Fuzz.h"

#include <fcntl.h>
#include <string>
#include <unistd.h>

using namespace tilerig;

// The bytes of an archive. The writer needs a file, so it writes to a pipe whose buffer holds the whole
// archive.
static std::string archiveOf(const TensorMap &tensors, ZipWriteOptions options) {
  int ends[2];
  require(::pipe(ends) == 0);
  require(bool(writeNpz("/dev/fd/" + std::to_string(ends[1]), tensors, options)));
  ::close(ends[1]);
  std::string archive(1 << 16, '\0');
  archive.resize(static_cast<size_t>(::read(ends[0], archive.data(), archive.size())));
  ::close(ends[0]);
  return archive;
}

extern "C" void tilerigSeeds(SeedSink &sink) {
  TensorMap none, one, several;
  require(bool(one.add("x", Tensor::of<float>({2}, {1, 2}))));
  require(bool(several.add("a/b", Tensor(DType::u8, {3, 5}))));
  require(bool(several.add("c", Tensor::of<bool>({2}, {true, false}))));
  require(bool(several.add("gr\xC3\xB6\xC3\x9F", Tensor(DType::f64, {0, 2}))));
  for (ZipWriteOptions options : {ZipWriteOptions{false}, {true}, {false, 0}, {true, 0}})
    for (const TensorMap *tensors : {&none, &one, &several})
      sink.add(archiveOf(*tensors, options));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bool checkSums = size && data[size / 2] & 1;
  auto reader = NpzReader::parse(std::as_bytes(std::span(data, size)), nullptr, "fuzz", {checkSums});
  if (!reader)
    return 0;
  for (const std::string &name : reader->names()) {
    auto header = reader->header(name);
    auto tensor = reader->load(name);
    require(!tensor || (header && header->shape == tensor->shape()));
  }
  return 0;
}
