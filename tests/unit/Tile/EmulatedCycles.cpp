#include "tests/unit/Tile/EmulatedCycles.h"

#include "emulator/Observe/TimedRun.h"

namespace tilerig {
using namespace emulator;

uint64_t emulatedCycles(const Program &program) { return timeProgram(program, {}).cycles(); }

} // namespace tilerig
