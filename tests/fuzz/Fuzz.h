// Interface of the fuzzers of this folder. A fuzzer is one source file with LLVMFuzzerTestOneInput,
// libFuzzer's entry point, and optionally tilerigSeeds, which adds well-formed inputs. The code under test
// makes the seeds when the fuzzer starts, so they never go stale and the repository holds no binary files.
//
//   extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { ...; return 0; }
//   extern "C" void tilerigSeeds(SeedSink &sink) { sink.add(validFile); }
//
// An input must be accepted or refused with an Error. A crash, a hang, a sanitizer report, an assertion or
// excessive memory is a finding, and so is an accepted input that fails a round trip: check it with
// require().
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

// The list to which tilerigSeeds adds its inputs; mutations start from them.
struct SeedSink {
  std::vector<std::vector<uint8_t>> seeds;

  void add(std::span<const std::byte> bytes) {
    auto *begin = reinterpret_cast<const uint8_t *>(bytes.data());
    seeds.emplace_back(begin, begin + bytes.size());
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" void tilerigSeeds(SeedSink &sink);

// A property of the code under test that must hold; the fuzzer stops at the first input that breaks it.
inline void require(bool holds) {
  if (!holds)
    std::abort();
}
