// Reads calibration samples from one .npz file; Samples.h describes the allowed shapes of arrays.
#pragma once

#include "compiler/Planning/Quantisation/Samples.h"
#include "isa/Base/Tensor/Npz.h"
#include "isa/Base/Tensor/TensorMap.h"

namespace tilerig::compiler {

class SampleFile {
public:
  // Opens a file of samples. Checks names, types and shapes of all arrays without reading any values.
  static Result<SampleFile> open(const std::string &path, const std::vector<ModelInput> &inputs);

  uint64_t count() const { return samples; }
  const std::string &path() const { return name; }
  // Loads the arrays, as sample() and writeSample() need. Arrays that the file stores uncompressed are not
  // copied, but are views of the file.
  Result<std::vector<Tensor>> load() const;
  Result<TensorMap> sample(const std::vector<Tensor> &loaded, uint64_t sample) const;
  // Writes one sample as an .npz file of its own.
  Status writeSample(const std::vector<Tensor> &loaded, uint64_t sample, const std::string &to) const;

private:
  // An array of a file of samples, and the shape that the array has for a single sample.
  struct Array {
    std::string name;
    Shape sampleShape;
  };

  Status add(const ModelInput &input, const NpyHeader &header);

  std::string name;
  std::vector<Array> arrays;
  uint64_t samples = 0;
};

} // namespace tilerig::compiler
