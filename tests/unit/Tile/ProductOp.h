// The device operation (`DeviceOp`) in which tensor 2 is the matrix product of tensors 0 and 1, as the
// compiler states it.
#pragma once

#include "compiler/Tile/Ops/DeviceOp.h"

namespace tilerig::test {
using namespace compiler;

inline DeviceOp productOp() {
  DeviceOp deviceOp;
  deviceOp.kind = DeviceOpKind::matmul;
  deviceOp.action = Matmul{};
  deviceOp.operands = {{.tensor = 0, .axes = {AxisMap::along(0), AxisMap::summed()}},
                       {.tensor = 1, .axes = {AxisMap::summed(), AxisMap::along(1)}}};
  deviceOp.result = 2;
  deviceOp.divisible = {true, true};
  deviceOp.groupSize = {1, 1};
  deviceOp.outputAxis = 1;
  return deviceOp;
}

} // namespace tilerig::test
