// Runs programs on the emulator by starting `tilerig run`, because the compiler does not link the emulator.
#pragma once

#include "compiler/Reports/Cost/LayerTable.h"

namespace tilerig::compiler {

// Cycles of one inference of the program in the given file, which is run in timed mode without computing
// values.
Result<uint64_t> emulatedCycles(const std::string &file);

// Runs `program`, stored in `file`, and `apart`, the program with separate layers, which is written to a
// scratch folder; both in timed mode. Returns their layer table.
Result<LayerTable> measureLayers(const std::string &file, const GeneratedProgram &program,
                                 const GeneratedProgram &apart);

} // namespace tilerig::compiler
