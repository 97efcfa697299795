// Input samples for calibration.
//
// A sample is the set of inputs for one run of the model. Samples come from an .npz file, from a folder of
// .npz files, or from a seed. A file must contain an array for each of the model's inputs, under the input's
// name, and nothing else. An array for an input of shape [1, 3, 224, 224] may have one of these forms:
//
//   [1, 3, 224, 224]       one sample, with the shape of the input
//   [64, 1, 3, 224, 224]   64 samples, counted by an additional first dimension
//   [64, 3, 224, 224]      64 samples along the first dimension, which is a multiple of the input's
//
// All arrays of a file must hold the same number of samples. A dimension that the model leaves open may have
// any size. The files of a folder are read in the order of their names. The folder may contain nothing else,
// except files whose names begin with a dot.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/TensorMap.h"

#include <memory>
#include <string>
#include <vector>

namespace tilerig::compiler {

struct ModelInput {
  std::string name;
  DType type = DType::f32;
  Shape shape; // sizes of the axes of an input; -1 for a size that the model leaves open
};

// How to run `tilerig reference` on one sample: the arguments that select the sample's inputs, and the .npz
// file in which the inputs are after the run.
struct PreparedSample {
  std::vector<std::string> arguments;
  std::string inputFile;
};

class Samples {
public:
  virtual ~Samples() = default;

  virtual uint64_t count() const = 0;
  // Describes the calibration samples in a few words, for example "64 samples of pictures.npz".
  virtual std::string describe() const = 0;
  // Describes one sample for error messages, for example "sample 3 of pictures.npz".
  virtual std::string placeOf(uint64_t sample) const = 0;
  // Advice to add to the error message if the model refuses a calibration sample; may be empty.
  virtual std::string remedy() const { return {}; }
  // Prepares a run of `tilerig reference` on sample number `sample`. Files that are created for the run
  // are put into `folder`, with names that begin with "sample".
  virtual Result<PreparedSample> prepare(uint64_t sample, const std::string &folder) = 0;
};

// Opens a file or folder. Checks names, types and shapes of all arrays before anything is run.
Result<std::unique_ptr<Samples>> openSamples(const std::string &path, std::vector<ModelInput> inputs);
// Reads all samples, for callers that run the model in their own process; large arrays stay in their files.
Result<std::vector<TensorMap>> readSamples(const std::string &path, const std::vector<ModelInput> &inputs);
// Generates samples from the seeds `seed`, seed + 1, ..., as `tilerig reference` does. If the model leaves
// sizes of an input open, its shape in `inputs` must state them.
std::unique_ptr<Samples> seededSamples(std::vector<ModelInput> inputs, uint64_t seed, uint64_t count);

} // namespace tilerig::compiler
