// A network with one setting, compiled once, and its expected tensors, computed once; samples are taken of
// it.
#pragma once

#include "verify/Check/Check.h"
#include "verify/Samples/Draw.h"
#include "verify/Samples/Networks.h"

namespace tilerig::verify {

struct Setting {
  std::string precision, machine;
  unsigned tiles = 1;
  bool pinsWeights = false;
  bool hasHints = false;      // some layers have hints how to split them
  bool isTimid = false;       // calibrated on inputs scaled by 1/3, so that results saturate
  bool givesIntegers = false; // outputs are 8-bit integers, saturated on the way to DDR
};
Setting drawSetting(Draw &draw);
bool hasEightBits(const Setting &setting);

struct Subject {
  const Family *family;
  std::string network; // description of the network
  Setting setting;
  SourceModel source;
  CompileOptions options; // for mutants: layers keep their splits, without a search
  Check check;
  // Results of the emitted model with sums added up in another order.
  TensorMap otherOrder;
};

// Refused as unsupported if the compiler refuses the network, for example as too large for the machine.
Result<Subject> makeSubject(const Family &family, uint64_t seed, reference::Threads &threads);

} // namespace tilerig::verify
