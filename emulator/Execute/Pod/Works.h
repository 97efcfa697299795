// Preparation of POD instructions: with oneDNN or with the emulator's own kernels.
#pragma once

#include "emulator/Execute/Prepare.h"
#include "isa/Instructions/Pod.h"

namespace tilerig::emulator::pod {

// OneDnnWork.cpp. Returns null if oneDNN cannot compute the instruction exactly, or should not, for any
// reason.
std::unique_ptr<Work> prepareOneDnn(const Matmul &it, unsigned tile, const Places &places);
std::unique_ptr<Work> prepareOneDnn(const Conv &it, unsigned tile, const Places &places);

// The emulator's own kernels, which support every instruction: Matmul.cpp, and for convolutions one of the
// two below.
std::unique_ptr<Work> prepareOwn(const Matmul &it, unsigned tile, const Places &places);
std::unique_ptr<Work> prepareOwn(const Conv &it, unsigned tile, const Places &places);

// Conv.cpp, Depthwise.cpp
std::unique_ptr<Work> prepareInGroups(const Conv &it, unsigned tile, const Places &places);
std::unique_ptr<Work> prepareDepthwise(const Conv &it, unsigned tile, const Places &places);

} // namespace tilerig::emulator::pod
