// Table of the functions of Functions.h, one instance for each SIMD level.
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
