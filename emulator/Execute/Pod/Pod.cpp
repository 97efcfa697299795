// Instructions of the POD, the matrix engine (ordered sums of products, then the epilogue): selects oneDNN or
// one of the emulator's own kernels.
#include "emulator/Execute/Families.h"
#include "emulator/Execute/Pod/Ops.h"
#include "emulator/Execute/Vectors.h"

namespace tilerig::emulator {

static bool isDepthwise(const Conv &conv) {
  return conv.groups > 1 && conv.weights.dims[4].size == 1 && conv.weights.dims[1].size == conv.groups;
}

std::unique_ptr<PreparedOp> pod::prepareOwn(const Conv &conv, unsigned tile, const Places &places) {
  return isDepthwise(conv) ? prepareDepthwise(conv, tile, places) : prepareInGroups(conv, tile, places);
}

template <class T>
static std::unique_ptr<PreparedOp> prepareEither(const T &instruction, unsigned tile, const Places &places) {
  if (eightBitKernels() == EightBitKernels::oneDnn)
    if (auto op = pod::prepareOneDnn(instruction, tile, places))
      return op;
  return pod::prepareOwn(instruction, tile, places);
}

static std::unique_ptr<PreparedOp> prepare(const Matmul &matmul, unsigned tile, const Places &places) {
  return prepareEither(matmul, tile, places);
}
static std::unique_ptr<PreparedOp> prepare(const Conv &conv, unsigned tile, const Places &places) {
  return prepareEither(conv, tile, places);
}

std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::product> instruction, unsigned tile,
                                       const Places &places) {
  return std::visit([&](const auto *typed) { return prepare(*typed, tile, places); }, instruction);
}

} // namespace tilerig::emulator
