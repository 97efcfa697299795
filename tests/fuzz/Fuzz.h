// What a fuzzer of this folder consists of: one source with LLVMFuzzerTestOneInput, the entry libFuzzer
// fixed, and, if it likes, tilerigSeeds with its well-formed inputs. Seeds are made by the code under test
// when the fuzzer starts, so they never go stale and no binary files lie in the repository.
//
//   extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { ...; return 0; }
//   extern "C" void tilerigSeeds(SeedSink &sink) { sink.add(validFile); }
//
// An input must be accepted or refused with an Error: a crash, a hang, a sanitizer report, an assertion or
// memory out of proportion is a finding. So is an accepted input that fails a round trip: require() it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

// Where tilerigSeeds puts its inputs; later mutations start from them.
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
