// Prepares instructions of the POD (matrix engine) for oneDNN or for the emulator's own kernels.
#pragma once

#include "emulator/Execute/Pod/Epilogue.h"
#include "emulator/Execute/Prepare.h"

namespace tilerig::emulator::pod {

// Convolutions that one operation computes: one, or several that can be joined (canJoin()).
using Convs = std::span<const PlacedConv>;
// The weights of all their outputs, and the epilogue with all their results.
View weightsOf(Convs convs);
EpilogueRunner epilogueOf(Convs convs);

// Prepares an instruction for oneDNN (OneDnnOp.cpp). Returns null if oneDNN cannot compute the instruction
// exactly, or should not compute it for any other reason.
std::unique_ptr<PreparedOp> prepareOneDnn(const Matmul &matmul, unsigned tile, const Places &places);
std::unique_ptr<PreparedOp> prepareOneDnn(Convs convs);
inline std::unique_ptr<PreparedOp> prepareOneDnn(const Conv &conv, unsigned tile, const Places &places) {
  return prepareOneDnn(std::array{PlacedConv{&conv, tile, &places}});
}

// Prepares an instruction for the emulator's own kernels, which support every matrix product (Matmul.cpp) and
// every convolution (prepareInGroups() or prepareDepthwise()).
std::unique_ptr<PreparedOp> prepareOwn(const Matmul &matmul, unsigned tile, const Places &places);
std::unique_ptr<PreparedOp> prepareOwn(Convs convs);

// The emulator's own kernels for convolutions: with matrix products for each group (Conv.cpp), and for
// depthwise convolutions (Depthwise.cpp).
std::unique_ptr<PreparedOp> prepareInGroups(Convs convs);
std::unique_ptr<PreparedOp> prepareDepthwise(const Conv &conv, unsigned tile, const Places &places);

} // namespace tilerig::emulator::pod
