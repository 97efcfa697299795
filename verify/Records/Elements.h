// Writes a file of every element of the compared tensors: its index, both values, order of magnitude and
// relative error, and the target's value again in the column of its subset (discarded, passed or failed).
//
// A .csv file has one row for each element. A .npz file has for each tensor NAME the columns NAME/index,
// NAME/reference, ...; in it, the columns of the subsets hold 0 or 1. Use .csv for tensors larger than
// memory.
#pragma once

#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/Npz.h"
#include "verify/Metrics/Comparison.h"

#include <optional>

namespace tilerig::verify {

class ElementsFile {
public:
  // Begins a file, whose format follows from the suffix of the path. If `logarithmic`, orders of magnitude
  // are written as log10.
  static Result<ElementsFile> create(const std::string &path, bool logarithmic);
  Status add(const std::string &name, const TensorStream &reference, const TensorStream &target,
             const Comparison &comparison);
  // Makes the file of elements appear under its name. Without commit() there will be no file.
  Status commit();

private:
  Status addRows(const std::string &name, const TensorStream &reference, const TensorStream &target,
                 const Comparison &comparison);
  Status addColumns(const std::string &name, const TensorStream &reference, const TensorStream &target,
                    const Comparison &comparison);
  Status addWhole(const std::string &column, const TensorStream &stream);

  bool logarithmic = false;
  std::optional<OutputFile> csv;
  std::optional<NpzWriter> npz;
};

} // namespace tilerig::verify
