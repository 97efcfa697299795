// Table of pointers to the element-wise functions and row operations of Functions.h; there is one table for
// each SIMD level.
#pragma once

#include "reference/Functions/Functions.h"

namespace tilerig::reference {

struct FunctionKernels {
  decltype(&reference::apply) apply;
  decltype(&reference::raise) raise;
  decltype(&reference::softmaxRows) softmaxRows;
  decltype(&reference::logSoftmaxRows) logSoftmaxRows;
  decltype(&reference::logSumExpRows) logSumExpRows;
  decltype(&reference::normaliseRows) normaliseRows;
  decltype(&reference::normaliseRun) normaliseRun;
  decltype(&reference::sumRows) sumRows;
};

} // namespace tilerig::reference
