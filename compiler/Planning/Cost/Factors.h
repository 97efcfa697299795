// This file is written by scripts/calibrate-cost: do not edit it. CALIBRATION.md says to which measurements
// the factors were fitted.
#pragma once

#include "compiler/Planning/Cost/Primitive.h"

#include <array>

namespace tilerig::compiler {

inline constexpr std::array<double, numPrimitives> calibratedFactors = {
    1.052, // load
    1.143, // broadcast
    1.455, // store
    1.212, // exchange
    1.000, // gather
    0.952, // lamm
    1.115, // samm1
    0.774, // samm2
    1.002, // direct_conv
    0.989, // grouped_conv
    0.933, // binary
    1.000, // select
    0.777, // activate
    1.000, // lookup
    1.000, // pool
    1.013, // reduce
    0.947, // softmax
    0.980, // normalize
    0.995, // copy
    0.500, // flatten
    1.000, // resize
    1.000, // fill
};

} // namespace tilerig::compiler
