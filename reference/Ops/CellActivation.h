// Activation functions of recurrent cells, which a node selects by name.
#pragma once

#include "reference/Run/Operator.h"

#include <span>

namespace tilerig::reference {

struct CellFunction;

// One activation function with its two parameters; most functions use none.
class CellActivation {
public:
  CellActivation(const CellFunction &function, float alpha, float beta)
      : function(&function), alpha(alpha), beta(beta) {}

  // Replaces every element x by f(x); T is float or double.
  template <class T>
  void apply(std::span<T> x) const;

private:
  const CellFunction *function;
  float alpha, beta;
};

// The activations of a node, from its attributes activations, activation_alpha and activation_beta; if none
// are named, every direction uses `defaults`. A function without a parameter takes no value from the lists
// activation_alpha and activation_beta. If one of these lists is too short, a parameter has the default of
// the ONNX operator of the same name.
Result<std::vector<CellActivation>> cellActivations(const OpContext &context, int64_t directions,
                                                    std::span<const std::string_view> defaults);

} // namespace tilerig::reference
