// The nodes of a model that compute one value from known ones, as a model of their own.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "reference/Run/Interpreter.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilerig::verify {

struct PartOfModel {
  reference::Model model; // its inputs are the known values, its only output the computed one

  std::vector<std::string> reads() const;
  const std::string &nameOf(reference::ValueId id) const {
    return model.graph.values[static_cast<size_t>(id)].name;
  }

  // Gets every computed value.
  using Visit = std::function<void(const std::string &value, const Tensor &tensor)>;
  // Computes the value. Empty if the nodes cannot: a change may have made them contradict each other.
  // `mostBytes` limits its memory, so that what is possible does not depend on the host.
  std::optional<Tensor> compute(const TensorMap &known, reference::Threads &threads, uint64_t mostBytes,
                                const Visit &visit = {}) const;
};

} // namespace tilerig::verify
