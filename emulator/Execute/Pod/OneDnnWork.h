// POD instructions whose integer sums oneDNN takes: 8-bit convolutions without groups and matrix products
// with constant weights, none of whose sums may overflow.
//
// The bits are those of our own kernels. oneDNN takes the sums of all positions at once; starting values and
// the share of the zero point are added modulo 2^32, and the epilogue finishes blocks as it always does.
// Parts of the rows, which unproved programs run, are left to our own kernel.
#pragma once

#include "emulator/Execute/Prepare.h"
#include "isa/Instructions/Pod.h"

namespace tilerig::pod {

// None if the instruction is not for oneDNN, whatever the reason.
std::unique_ptr<Work> prepareOneDnn(const Matmul &it, unsigned tile, const Places &places);
std::unique_ptr<Work> prepareOneDnn(const Conv &it, unsigned tile, const Places &places);

// With our own kernels, in Pod.cpp.
std::unique_ptr<Work> prepareOwn(const Matmul &it, unsigned tile, const Places &places);
std::unique_ptr<Work> prepareOwn(const Conv &it, unsigned tile, const Places &places);

} // namespace tilerig::pod
