// A network with everything that samples of it are taken under: compiled once, and what is due computed once.
#pragma once

#include "verify/Check/Check.h"
#include "verify/Samples/Draw.h"
#include "verify/Samples/Networks.h"

namespace tilerig::verify {

struct Setting {
  std::string precision, machine;
  unsigned tiles = 1;
  bool pinsWeights = false;
  bool hasHints = false;      // of some layers is said how they are cut
  bool isTimid = false;       // calibrated on a third of what then comes: results reach beyond their types
  bool givesIntegers = false; // outputs are 8-bit integers, clipped on their way to DDR
};
Setting drawSetting(Draw &draw);
bool hasEightBits(const Setting &setting);

struct Subject {
  const Family *family;
  std::string network; // which one, in words
  Setting setting;
  SourceModel source;
  CompileOptions options; // for mutants: layers are cut as they were, so that nobody searches again
  Check check;
  // What the emitted model gives where sums are added up in another order.
  TensorMap otherOrder;
};

// Refused as unsupported where the compiler refuses the network, as too large for its machine for instance.
Result<Subject> makeSubject(const Family &family, uint64_t seed, reference::Threads &threads);

} // namespace tilerig::verify
