#include "verify/Check/Clock.h"

#include "emulator/Observe/TimedRun.h"

namespace tilerig::verify {

Json clockOf(const Program &program, std::optional<uint64_t> jitter) {
  return toJson(timeProgram(program, {.delays = {}, .jitter = jitter}), program);
}

} // namespace tilerig::verify
