// A file of every element: its index, both values, order of magnitude and relative error, and the target's
// value once more in the column of its subset (discarded, passed or failed).
//
// As .csv, one row after the other; or as .npz, for each tensor NAME the columns NAME/index, NAME/reference,
// ... of which one at a time is in memory, the subsets being 0 and 1 there: tensors larger than memory want
// .csv.
#pragma once

#include "isa/Support/File.h"
#include "isa/Tensor/Npz.h"
#include "verify/Metrics/Comparison.h"

#include <optional>

namespace tilerig::verify {

class ElementsFile {
public:
  // The ending of the path decides. With `logarithmic`, orders of magnitude are written as their log10.
  static Result<ElementsFile> create(const std::string &path, bool logarithmic);
  Status add(const std::string &name, const TensorStream &reference, const TensorStream &target,
             const Comparison &comparison);
  // The file appears; a run that ends before leaves none.
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
