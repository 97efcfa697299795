// The inputs of calibration runs.
//
// A sample is what one run of the model takes. They come from an .npz file, from the .npz files of a folder,
// or from a seed. In a file arrays have the names of the model's inputs, all of them, and nothing else; each
// array is one of
//
//   one sample       of the shape of its input
//   a stack of them  one dimension more, the first, which counts samples: [64, 1, 3, 224, 224]
//   a long batch     as the input, but the first dimension a multiple of the input's: [64, 3, 224, 224]
//
// and all arrays of a file hold as many samples. A dimension that the model leaves open takes any size. The
// files of a folder are taken in the order of their names; it may hold nothing else, but for names with a dot
// in front.
#pragma once

#include "isa/Support/Error.h"
#include "isa/Tensor/TensorMap.h"

#include <memory>
#include <string>
#include <vector>

namespace tilerig {

struct ModelInput {
  std::string name;
  DType type = DType::f32;
  Shape shape; // -1 where it is open
};

// How to have `tilerig reference` run on a sample: its arguments, and the .npz file in which the inputs lie
// once it has run.
struct PreparedSample {
  std::vector<std::string> arguments;
  std::string inputFile;
};

class Samples {
public:
  virtual ~Samples() = default;

  virtual uint64_t count() const = 0;
  // "64 samples of pictures.npz"
  virtual std::string describe() const = 0;
  // Of a sample: "sample 3 of pictures.npz", for errors.
  virtual std::string placeOf(uint64_t sample) const = 0;
  // What to do where the model refuses a sample; may be empty.
  virtual std::string remedy() const { return {}; }
  // Files that have to be made go into the folder, under names that begin with "sample".
  virtual Result<PreparedSample> prepare(uint64_t sample, const std::string &folder) = 0;
};

// Of a file or folder. Names, types and shapes of all arrays are checked here, before anything is run.
Result<std::unique_ptr<Samples>> openSamples(const std::string &path, std::vector<ModelInput> inputs);
// All of them at once, for those who run the model in their own process; large arrays stay in their files.
Result<std::vector<TensorMap>> readSamples(const std::string &path, const std::vector<ModelInput> &inputs);
// As `tilerig reference` makes inputs, from as many seeds: `seed`, seed + 1, ... A shape that is whole
// settles what the model file leaves open.
std::unique_ptr<Samples> seededSamples(std::vector<ModelInput> inputs, uint64_t seed, uint64_t count);

} // namespace tilerig
