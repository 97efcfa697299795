// A sample of the classifier's dataset: what the classifier reads about one tensor, with the class of its bug
// and its origin.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/Tensor.h"
#include "isa/Bugs/Bug.h"
#include "verify/Evidence/Channels.h"

namespace tilerig::verify {

inline constexpr size_t picturePlanes = 3;

// The classifier's input in the form that is stored: the densities of Channels.h are multiplied by 255 and
// rounded to bytes.
struct Evidence {
  Tensor channels; // type and shape: uint8 [numChannels, 64, 64]
  Tensor picture;  // uint8 [3, 64, 64]: densities of the discarded, passed and failed elements
  Features features{};
};

// Origin of a sample and the bug that it shows. Every field is written to the sample's line in a shard.
struct Origin {
  BugClass bugClass = BugClass::noError;
  // Id of the bug in the catalogue; if there is no bug, "none" or the name of a harmless difference.
  std::string bug;
  // text that describes the injected bug; `tilerig check --inject` injects the same bug by this text
  std::string text;
  std::string stage, site;
  std::string family;  // family of network architectures to which the network belongs
  std::string network; // name of the network, with its parameters
  std::string precision, machine, strategy;
  unsigned tiles = 0;
  std::string layer; // name of the layer that computes the tensor
  std::string kind;  // kind of the layer that computes the tensor, as programs name it
  std::string op;    // ONNX operators of the layer, joined by "+"
  std::string
      against; // what the reference is: "oracle", "truth", or "model" (recomputed from the dump's own inputs)
  std::string caught; // what noticed the bug before the comparison: "analyser", "trap", or empty
  uint64_t unit = 0;  // number of the compiled network in the dataset; its samples are stored in one shard

  bool operator==(const Origin &) const = default;
};

Evidence asSample(const FloatEvidence &floatEvidence, const Comparison &comparison);

struct Sample {
  Evidence evidence;
  Origin origin;
};

// Hash of everything that a classifier sees of a sample: equal for samples that no classifier can tell apart.
uint64_t digestOf(const Evidence &evidence);

} // namespace tilerig::verify
