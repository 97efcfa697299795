// POD instructions (ordered sums of products, then the epilogue): selects oneDNN or one of the emulator's own
// kernels.
#include "emulator/Execute/Families.h"
#include "emulator/Execute/Pod/Ops.h"
#include "emulator/Execute/Vectors.h"

namespace tilerig::emulator {

static bool isDepthwise(const Conv &it) {
  return it.groups > 1 && it.weights.dims[4].size == 1 && it.weights.dims[1].size == it.groups;
}

std::unique_ptr<PreparedOp> pod::prepareOwn(const Conv &it, unsigned tile, const Places &places) {
  return isDepthwise(it) ? prepareDepthwise(it, tile, places) : prepareInGroups(it, tile, places);
}

template <class T>
static std::unique_ptr<PreparedOp> prepareEither(const T &it, unsigned tile, const Places &places) {
  if (eightBitKernels() == EightBitKernels::oneDnn)
    if (auto op = pod::prepareOneDnn(it, tile, places))
      return op;
  return pod::prepareOwn(it, tile, places);
}

std::unique_ptr<PreparedOp> prepare(const Matmul &it, unsigned tile, const Places &places) {
  return prepareEither(it, tile, places);
}
std::unique_ptr<PreparedOp> prepare(const Conv &it, unsigned tile, const Places &places) {
  return prepareEither(it, tile, places);
}

} // namespace tilerig::emulator
