// The device operation (`Work`) in which tensor 2 is the matrix product of tensors 0 and 1, as the compiler
// states it.
#pragma once

#include "compiler/Tiling/Work.h"

namespace tilerig::test {
using namespace compiler;

inline Work productWork() {
  Work work;
  work.kind = WorkKind::matmul;
  work.action = Matmul{};
  work.operands = {{.tensor = 0, .axes = {AxisMap::along(0), AxisMap::summed()}},
                   {.tensor = 1, .axes = {AxisMap::summed(), AxisMap::along(1)}}};
  work.result = 2;
  work.divisible = {true, true};
  work.groupSize = {1, 1};
  work.outputAxis = 1;
  return work;
}

} // namespace tilerig::test
