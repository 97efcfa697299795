// Programs on the emulator, which the compiler does not link: it starts `tilerig run`.
#pragma once

#include "compiler/Report/LayerTable.h"

namespace tilerig {

// Of an inference, by the clock alone.
Result<uint64_t> emulatedCycles(const std::string &file);

// Runs the program, which is in that file, and that of its layers apart, which is written and read in a
// scratch folder; both by the clock.
Result<LayerTable> measureLayers(const std::string &file, const GeneratedProgram &program,
                                 const GeneratedProgram &apart);

} // namespace tilerig
