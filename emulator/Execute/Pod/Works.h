// Who computes an instruction of the POD.
#pragma once

#include "emulator/Execute/Prepare.h"
#include "isa/Instructions/Pod.h"

namespace tilerig::pod {

// OneDnnWork.cpp. None if the instruction is not for oneDNN, whatever the reason.
std::unique_ptr<Work> prepareOneDnn(const Matmul &it, unsigned tile, const Places &places);
std::unique_ptr<Work> prepareOneDnn(const Conv &it, unsigned tile, const Places &places);

// Our own kernels, which can do everything: Matmul.cpp, and for a convolution either of the two below.
std::unique_ptr<Work> prepareOwn(const Matmul &it, unsigned tile, const Places &places);
std::unique_ptr<Work> prepareOwn(const Conv &it, unsigned tile, const Places &places);

// Conv.cpp, Depthwise.cpp
std::unique_ptr<Work> prepareInGroups(const Conv &it, unsigned tile, const Places &places);
std::unique_ptr<Work> prepareDepthwise(const Conv &it, unsigned tile, const Places &places);

} // namespace tilerig::pod
