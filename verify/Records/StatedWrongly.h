// Finds layers that the compiler translated wrongly, from the ONNX model that the compiler writes beside a
// program. A layer is "wrong as emitted" if it does not compute the original model's result even in floats.
// It is "wrong as rounded" if its error in its own precision exceeds what that precision allows. Device and
// oracle agree on such a layer, so its tensor has the status `match` although it is wrong.
#pragma once

#include "isa/Base/Support/Json.h"

#include <string>
#include <vector>

namespace tilerig::verify {

struct StatedWrongly {
  // Names of the tensors whose layers are wrong in floats (`emitted`) or in their precision (`rounded`), in
  // the order of the records.
  std::vector<std::string> emitted, rounded;

  bool any() const { return !emitted.empty() || !rounded.empty(); }
  // Names of all tensors in `emitted` or `rounded`, without duplicates.
  std::vector<std::string> names() const;
  // How the layer of a tensor is wrong: "wrong as emitted" (in floats), "wrong as rounded" (in its precision)
  // or "wrong as emitted and rounded"; empty if the layer is right.
  std::string statusOf(const std::string &tensor) const;
};

StatedWrongly statedWrongly(const std::vector<Json> &records);

} // namespace tilerig::verify
