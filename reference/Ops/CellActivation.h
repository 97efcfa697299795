// The activation functions of recurrent cells, which a node chooses by name.
#pragma once

#include "reference/Run/Operator.h"

#include <span>

namespace tilerig::reference {

struct CellFunction;

// One of the functions with its two parameters, of which most use none.
class CellActivation {
public:
  CellActivation(const CellFunction &function, float alpha, float beta)
      : function(&function), alpha(alpha), beta(beta) {}

  // x = f(x), element by element; T is float or double.
  template <class T>
  void apply(std::span<T> x) const;

private:
  const CellFunction *function;
  float alpha, beta;
};

// The activations of a node, by the attributes activations, activation_alpha and activation_beta: `defaults`
// for each of `directions` where none are named. A function that has no parameter takes none from the lists;
// the parameters that a list is too short for are those of the operators of the same names.
Result<std::vector<CellActivation>> cellActivations(const OpContext &context, int64_t directions,
                                                    std::span<const std::string_view> defaults);

} // namespace tilerig::reference
