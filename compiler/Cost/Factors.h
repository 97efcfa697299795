// Written by scripts/calibrate-cost: do not edit.
#pragma once

#include "compiler/Cost/Primitive.h"

#include <array>

namespace tilerig {

inline constexpr std::array<double, numPrimitives> calibratedFactors = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
};

} // namespace tilerig
