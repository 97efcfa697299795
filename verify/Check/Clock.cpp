#include "verify/Check/Clock.h"

#include "emulator/Observe/TimedRun.h"

namespace tilerig::verify {

Json clockOf(const Program &program, const HostOperations &hostOperations, std::optional<uint64_t> jitter) {
  return toJson(timeProgram(program, {.delays = {}, .jitter = jitter, .hostOperations = hostOperations}),
                program);
}

} // namespace tilerig::verify
