#include "emulator/Memory/Placement.h"

#include "emulator/Memory/Box.h"
#include "emulator/Memory/Stored.h"

#include <fmt/core.h>

namespace tilerig::emulator {

Status checkTensor(const proto::Tensor &placement, DType dtype, const Shape &shape) {
  if (dtype == modelDType(placement) && shape == shapeOf(placement))
    return success();
  return invalidInput(fmt::format("input '{}'", placement.name()),
                      fmt::format("the given tensor has type {} and shape {}, expected type {} and shape {}",
                                  nameOf(dtype), showShape(shape), placement.dtype(),
                                  showShape(shapeOf(placement))));
}

Status placeTensor(const proto::Tensor &placement, const Tensor &tensor, Memories &memories) {
  TILERIG_CHECK_OK(checkTensor(placement, tensor.dtype(), tensor.shape()));
  TILERIG_TRY(const Tensor stored, toStored(placement, tensor));
  for (const proto::Piece &piece : placement.pieces())
    scattering(boxOf(piece), stored, memories).run();
  return success();
}

Result<Tensor> collectTensor(const proto::Tensor &placement, Memories &memories) {
  TILERIG_TRY(Tensor stored, Tensor::make(storedDType(placement), shapeOf(placement)));
  for (const Box &box : disjointBoxes(placement))
    gathering(box, stored, memories).run();
  return fromStored(placement, stored);
}

} // namespace tilerig::emulator
