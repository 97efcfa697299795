// Declares a function for each family of instructions that compute or move data, grouped by the file that
// implements it. The file has an overload of `prepare` for each instruction of the family; if an overload is
// missing, the file does not compile.
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
