// Declares, for each source file that implements a family of instructions, the function that prepares them
// for execution. The file has an overload for each instruction of the family; if an overload is missing, it
// does not compile.
#pragma once

#include "emulator/Execute/Prepare.h"

namespace tilerig::emulator {

// Implemented in Moves.cpp.
std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::transfer>, unsigned tile, const Places &);
std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::move>, unsigned tile, const Places &);

// Implemented in Elementwise.cpp.
std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::elementwise>, unsigned tile, const Places &);

// Implemented in Reduce.cpp.
std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::reduction>, unsigned tile, const Places &);

// Implemented in Normalise.cpp.
std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::normalisation>, unsigned tile, const Places &);

// The instructions for pooling are implemented in Pool.cpp, those for resampling in Resize.cpp.
std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::pooling>, unsigned tile, const Places &);
std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::resampling>, unsigned tile, const Places &);

// Implemented in Pod/Pod.cpp.
std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::product>, unsigned tile, const Places &);

} // namespace tilerig::emulator
