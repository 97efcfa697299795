// Finds the first element of a run that differs from the expected one, faster than by stepping through the run.
//
// The whole program runs, as fast as it can, and keeps its tensors. Only then the times of the instructions are asked for that
// wrote the elements that differ. Of an element that is stored in several places, the first place is compared.
#pragma once

#include "emulator/Beats/SteppedRun.h"
#include "emulator/Debug/ExpectedTensors.h"
#include "emulator/Host/Framework.h"

namespace tilerig::emulator {

struct FirstDifference {
  Difference difference; // without its job
  std::optional<Place>
      place; // the instruction that wrote the element last, or the host stage; none for the value of an input
  uint64_t begin = 0, end = 0; // the cycles in which it worked
};

struct DifferenceSearch {
  const Program &program;
  const Defects &defects;
  const TensorMap &inputs;
  BeatsOptions options;
  Framework *framework = nullptr;
};

// Nothing if all expected tensors are right. Only tensors that the program keeps as a whole are compared.
Result<std::optional<FirstDifference>> firstDifferenceOf(const DifferenceSearch &search,
                                                         const ExpectedTensors &expected);

} // namespace tilerig::emulator
