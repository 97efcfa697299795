// Written by scripts/calibrate-cost: do not edit. CALIBRATION.md says what it was fitted to.
#pragma once

#include "compiler/Cost/Primitive.h"

#include <array>

namespace tilerig {

inline constexpr std::array<double, numPrimitives> calibratedFactors = {
    0.997, // load
    1.091, // broadcast
    1.185, // store
    1.299, // exchange
    1.000, // gather
    0.923, // lamm
    1.124, // samm1
    0.900, // samm2
    1.001, // direct_conv
    1.000, // grouped_conv
    0.880, // binary
    1.000, // select
    1.212, // activate
    1.000, // lookup
    0.981, // pool
    0.985, // reduce
    0.949, // softmax
    1.035, // normalize
    0.950, // copy
    1.000, // flatten
    1.000, // resize
    1.000, // fill
};

} // namespace tilerig
