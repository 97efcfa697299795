// The samples of one .npz file; Samples.h says which shapes arrays may have.
#pragma once

#include "compiler/Precision/Samples.h"
#include "isa/Tensor/Npz.h"
#include "isa/Tensor/TensorMap.h"

namespace tilerig {

class SampleFile {
public:
  // Checks names, types and shapes; of the values it reads none.
  static Result<SampleFile> open(const std::string &path, const std::vector<ModelInput> &inputs);

  uint64_t count() const { return samples; }
  const std::string &path() const { return name; }
  // The arrays, to be given to writeSample(): views of the file where they are stored as they are.
  Result<std::vector<Tensor>> load() const;
  Result<TensorMap> sample(const std::vector<Tensor> &loaded, uint64_t sample) const;
  // One sample as an .npz file of its own.
  Status writeSample(const std::vector<Tensor> &loaded, uint64_t sample, const std::string &to) const;

private:
  // An array, and what one sample of it looks like.
  struct Array {
    std::string name;
    Shape sampleShape;
  };

  Status add(const ModelInput &input, const NpyHeader &header);

  std::string name;
  std::vector<Array> arrays;
  uint64_t samples = 0;
};

} // namespace tilerig
