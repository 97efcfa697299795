// Runs programs on the emulator by starting `tilerig run`, because the compiler does not link the emulator.
#pragma once

#include "compiler/Reports/Cost/LayerTable.h"

namespace tilerig::compiler {

// Cycles of one inference of the program in the given file, which is run in timed mode without computing
// values.
Result<uint64_t> emulatedCycles(const std::string &file);

// Runs two programs in timed mode and returns their layer table: `program`, which is stored in `file`, and
// `apart`, the same network with each layer in a stage of its own, which is written to a scratch folder.
Result<LayerTable> measureLayers(const std::string &file, const GeneratedProgram &program,
                                 const GeneratedProgram &apart);

} // namespace tilerig::compiler
