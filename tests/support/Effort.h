// How often tests of random cases go round.
#pragma once

#include <cstdint>

namespace tilerig::test {

// All of them in the builds whose answers are judged. Sanitizers judge what code does to memory, which a
// tenth shows as well, and take ten times as long for each.
constexpr uint64_t rounds(uint64_t all) {
#ifdef __SANITIZE_ADDRESS__
  return all / 10;
#else
  return all;
#endif
}

} // namespace tilerig::test
