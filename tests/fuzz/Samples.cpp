// Fuzzer of dataset manifests and lines of shards: each is refused with a short reason or accepted, and an
// accepted manifest is printed and read back without a change.

#include "tests/fuzz/Fuzz.h"
#include "verify/Evidence/Shard.h"

using namespace tilerig;
using namespace tilerig::verify;

extern "C" void tilerigSeeds(SeedSink &sink) {
  DatasetManifest manifest;
  manifest.evidenceVersion = evidenceVersion;
  manifest.command = "tilerig dataset --seed 1";
  manifest.shards = {{"shard-00000", 2}, {"shard-00001", 0}};
  manifest.classes = {{"padding", 1}, {"no_error", 1}};
  manifest.counts = {{"equivalent", 4}};
  manifest.conflicts = {1, UINT64_MAX};
  sink.add(printManifest(manifest));
  Sample sample;
  sample.evidence = {Tensor(DType::u8, {1}), Tensor(DType::u8, {1}), {}};
  sample.origin.bug = "pad-amount";
  sink.add(printShardLines({sample, sample}, {{"no_place", 3}}));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  if (auto lines = parseShardLines(text, "lines"); !lines) {
    require(lines.error().kind == ErrorKind::invalidInput);
  }
  auto manifest = parseManifest(text, "manifest");
  if (!manifest) {
    require(manifest.error().kind == ErrorKind::invalidInput);
    return 0;
  }
  auto again = parseManifest(printManifest(*manifest), "again");
  require(again && printManifest(*again) == printManifest(*manifest));
  return 0;
}
