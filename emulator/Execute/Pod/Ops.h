// Prepares instructions of the POD (matrix engine) for oneDNN or for the emulator's own kernels.
#pragma once

#include "emulator/Execute/Pod/Epilogue.h"
#include "emulator/Execute/Prepare.h"

namespace tilerig::emulator::pod {

// Products that one operation computes: one, or several that can be joined (canJoin()).
using Convs = std::span<const Placed<Conv>>;
using Matmuls = std::span<const Placed<Matmul>>;
// The weights of all their outputs, and the epilogue with all their results.
View weightsOf(Convs convs);
View weightsOf(Matmuls matmuls);
EpilogueRunner epilogueOf(Convs convs);
EpilogueRunner epilogueOf(Matmuls matmuls);

// Prepares an instruction for oneDNN (OneDnnOp.cpp). Returns null if oneDNN cannot compute the instruction
// exactly, or should not compute it for any other reason.
std::unique_ptr<PreparedOp> prepareOneDnn(Matmuls matmuls);
std::unique_ptr<PreparedOp> prepareOneDnn(Convs convs);
template <class T>
std::unique_ptr<PreparedOp> prepareOneDnn(const T &instruction, unsigned tile, const Places &places) {
  const Placed<T> placed{&instruction, tile, &places};
  return prepareOneDnn(std::span(&placed, 1));
}

// Prepares an instruction for the emulator's own kernels, which support every matrix product (Matmul.cpp) and
// every convolution (prepareInGroups() or prepareDepthwise()).
std::unique_ptr<PreparedOp> prepareOwn(Matmuls matmuls);
std::unique_ptr<PreparedOp> prepareOwn(Convs convs);

// The emulator's own kernels for convolutions: with matrix products for each group (Conv.cpp), and for
// depthwise convolutions (Depthwise.cpp).
std::unique_ptr<PreparedOp> prepareInGroups(Convs convs);
std::unique_ptr<PreparedOp> prepareDepthwise(const Conv &conv, unsigned tile, const Places &places);

} // namespace tilerig::emulator::pod
