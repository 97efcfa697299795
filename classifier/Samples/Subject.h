// What samples are taken of: a network with one setting (precision, machine, tiles, hints), compiled once,
// and its expected tensors, computed once.
#pragma once

#include "classifier/Samples/Draw.h"
#include "classifier/Samples/Networks.h"
#include "verify/Check/Check.h"
#include "verify/Dumps/ModelOfDumps.h"

namespace tilerig::verify {

struct Setting {
  std::string precision, machine;
  unsigned tiles = 1;
  bool pinsWeights = false;
  bool hasHints = false; // whether some layers have hints that say how to split them
  // Whether the network is calibrated on inputs divided by 3. With the full inputs, results then saturate.
  bool isTimid = false;
  // Whether the outputs are stored as 8-bit integers, which saturate.
  bool givesIntegers = false;
};
Setting drawSetting(Draw &draw);
bool hasEightBits(const Setting &setting);

struct Subject {
  const Family *family;
  std::string network; // a short description of the network
  Setting setting;
  SourceModel source;
  // Options for compiling mutants (programs with a bug): layers keep the splits of the program without a bug,
  // and no better ones are searched for.
  CompileOptions options;
  Check check;
  ModelOfDumps model; // the network, for samples as of dumps with their model
  // The expected tensors, computed again with sums added up in another order, as another correct system might
  // do.
  TensorMap otherOrder;
};

// Compiles a network of the family. Refused as unsupported if the compiler refuses the network, for example
// as too large for the machine.
Result<Subject> makeSubject(const Family &family, uint64_t seed, reference::Threads &threads);

} // namespace tilerig::verify
