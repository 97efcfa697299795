// A sample: the evidence on one tensor in the form that a classifier reads, and the truth about it.
#pragma once

#include "isa/Bugs/Bug.h"
#include "isa/Support/Error.h"
#include "isa/Tensor/Tensor.h"
#include "verify/Evidence/Channels.h"

namespace tilerig::verify {

inline constexpr size_t picturePlanes = 3;

// Densities as bytes: 255 times what Channels.h makes, rounded.
struct Evidence {
  Tensor channels; // uint8 [numChannels, 64, 64]
  Tensor picture;  // uint8 [3, 64, 64]: discarded, passed, failed, as the seed plots them
  Facts facts{};
};

// Where a sample comes from, and which bug it shows. Every field is one of its line in a shard.
struct Origin {
  BugClass bugClass = BugClass::noError;
  std::string bug;  // its row of the catalogue; "none", or what else differs without being wrong
  std::string text; // plants it again in the same unit
  std::string stage, site;
  std::string family, network; // of architectures; and which one, with its parameters
  std::string precision, machine, strategy;
  unsigned tiles = 0;
  std::string layer, kind; // whose tensor it is: its name, and its kind as programs have it
  std::string op;          // of ONNX, joined by "+" where there are several
  std::string against;     // "oracle" or "truth": what the reference is
  std::string caught;      // "analyser", "trap" or nothing
  uint64_t unit = 0;       // of the dataset's units of work

  bool operator==(const Origin &) const = default;
};

Evidence asSample(const FloatEvidence &made, const Comparison &comparison);

struct Sample {
  Evidence evidence;
  Origin origin;
};

// Of everything that a classifier gets to see: equal for samples that none can tell apart.
uint64_t digestOf(const Evidence &evidence);

} // namespace tilerig::verify
