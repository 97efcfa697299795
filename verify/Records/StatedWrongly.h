// Layers that the compiler stated wrongly: as emitted they do not compute what the model's own do, or as
// rounded they are off by more than their precision allows. Device and oracle agree on such a layer, so its
// tensor has the status `match`, and is wrong all the same.
#pragma once

#include "verify/Inputs/StrictJson.h"

#include <string>
#include <vector>

namespace tilerig::verify {

struct StatedWrongly {
  std::vector<std::string> emitted, rounded; // names of tensors, in the order of the records

  bool any() const { return !emitted.empty() || !rounded.empty(); }
  std::vector<std::string> names() const; // of both, each once
  // "wrong as emitted", "wrong as rounded" or "wrong as emitted and rounded"; empty for other tensors.
  std::string statusOf(const std::string &tensor) const;
};

StatedWrongly statedWrongly(const std::vector<Json> &records);

} // namespace tilerig::verify
