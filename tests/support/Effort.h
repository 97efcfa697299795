// The number of rounds of tests that use random cases.
#pragma once

#include <cstdint>

namespace tilerig::test {

// Returns `all`, but a tenth of `all` in builds with AddressSanitizer. Such builds check memory accesses, for
// which a tenth of the cases is enough, and take ten times as long per case.
constexpr uint64_t rounds(uint64_t all) {
#ifdef __SANITIZE_ADDRESS__
  return all / 10;
#else
  return all;
#endif
}

} // namespace tilerig::test
