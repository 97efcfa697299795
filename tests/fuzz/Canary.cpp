// A fuzzer with one of four injected defects. It tests the fuzzing driver, which must find the defect, name it
// and save the input.
#include "tests/fuzz/Fuzz.h"

#include <string>

// The seed is a text with a number. Our own driver has to mutate the number until it triggers the defect.
// libFuzzer, which is not under test, gets the triggering number at once.
extern "C" void tilerigSeeds(SeedSink &sink) {
#if defined(__clang__)
  sink.add("canary:65535");
#else
  sink.add("canary:10");
#endif
}

static volatile size_t escape;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  if (!text.starts_with("canary:") || text.find("65535") == std::string::npos)
    return 0;
#if defined(CANARY_HANG)
  while (true)
    escape = escape + 1;
#elif defined(CANARY_MEMORY)
  std::vector<char> memory(size_t{8} << 30);
  escape = memory.size();
#elif defined(CANARY_OVERREAD)
  escape = data[size];
#else
  require(false);
#endif
  return 0;
}
