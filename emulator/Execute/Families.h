// Declares one `prepare` overload for each instruction that computes or moves data, grouped by the file that
// implements it.
#pragma once

#include "emulator/Execute/Prepare.h"

namespace tilerig::emulator {

// Implemented in Moves.cpp.
std::unique_ptr<Work> prepare(const Load &, unsigned tile, const Places &);
std::unique_ptr<Work> prepare(const Store &, unsigned tile, const Places &);
std::unique_ptr<Work> prepare(const Multicast &, unsigned tile, const Places &);
std::unique_ptr<Work> prepare(const Gather &, unsigned tile, const Places &);
std::unique_ptr<Work> prepare(const Copy &, unsigned tile, const Places &);
std::unique_ptr<Work> prepare(const Flatten &, unsigned tile, const Places &);
std::unique_ptr<Work> prepare(const Fill &, unsigned tile, const Places &);

// Implemented in Elementwise.cpp.
std::unique_ptr<Work> prepare(const Binary &, unsigned tile, const Places &);
std::unique_ptr<Work> prepare(const Select &, unsigned tile, const Places &);
std::unique_ptr<Work> prepare(const Activate &, unsigned tile, const Places &);
std::unique_ptr<Work> prepare(const Lookup &, unsigned tile, const Places &);

// Implemented in Reduce.cpp.
std::unique_ptr<Work> prepare(const Reduce &, unsigned tile, const Places &);

// Implemented in Normalise.cpp.
std::unique_ptr<Work> prepare(const Softmax &, unsigned tile, const Places &);
std::unique_ptr<Work> prepare(const Normalize &, unsigned tile, const Places &);

// Implemented in Pool.cpp and Resize.cpp.
std::unique_ptr<Work> prepare(const Pool &, unsigned tile, const Places &);
std::unique_ptr<Work> prepare(const Resize &, unsigned tile, const Places &);

// Implemented in Pod/Pod.cpp.
std::unique_ptr<Work> prepare(const Matmul &, unsigned tile, const Places &);
std::unique_ptr<Work> prepare(const Conv &, unsigned tile, const Places &);

} // namespace tilerig::emulator
