// Declares one `prepare` overload for each instruction that computes or moves data, grouped by the file that
// implements it.
#pragma once

#include "emulator/Execute/Prepare.h"

namespace tilerig::emulator {

// Implemented in Moves.cpp.
std::unique_ptr<PreparedOp> prepare(const Load &, unsigned tile, const Places &);
std::unique_ptr<PreparedOp> prepare(const Store &, unsigned tile, const Places &);
std::unique_ptr<PreparedOp> prepare(const Multicast &, unsigned tile, const Places &);
std::unique_ptr<PreparedOp> prepare(const Gather &, unsigned tile, const Places &);
std::unique_ptr<PreparedOp> prepare(const Copy &, unsigned tile, const Places &);
std::unique_ptr<PreparedOp> prepare(const Flatten &, unsigned tile, const Places &);
std::unique_ptr<PreparedOp> prepare(const Fill &, unsigned tile, const Places &);

// Implemented in Elementwise.cpp.
std::unique_ptr<PreparedOp> prepare(const Binary &, unsigned tile, const Places &);
std::unique_ptr<PreparedOp> prepare(const Select &, unsigned tile, const Places &);
std::unique_ptr<PreparedOp> prepare(const Activate &, unsigned tile, const Places &);
std::unique_ptr<PreparedOp> prepare(const Lookup &, unsigned tile, const Places &);

// Implemented in Reduce.cpp.
std::unique_ptr<PreparedOp> prepare(const Reduce &, unsigned tile, const Places &);

// Implemented in Normalise.cpp.
std::unique_ptr<PreparedOp> prepare(const Softmax &, unsigned tile, const Places &);
std::unique_ptr<PreparedOp> prepare(const Normalize &, unsigned tile, const Places &);

// Implemented in Pool.cpp and Resize.cpp.
std::unique_ptr<PreparedOp> prepare(const Pool &, unsigned tile, const Places &);
std::unique_ptr<PreparedOp> prepare(const Resize &, unsigned tile, const Places &);

// Implemented in Pod/Pod.cpp.
std::unique_ptr<PreparedOp> prepare(const Matmul &, unsigned tile, const Places &);
std::unique_ptr<PreparedOp> prepare(const Conv &, unsigned tile, const Places &);

} // namespace tilerig::emulator
