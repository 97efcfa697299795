// A bound on the rounding errors of an ONNX model that was run on given inputs.
//
// Two models that compute the same in real arithmetic, in another order of operations, differ by no more than
// the sum of their bounds. The bound follows from the standard model of floating-point arithmetic (Higham,
// Accuracy and Stability of Numerical Algorithms, chapters 2 and 3): a result has the relative error u of its
// type, a sum of n products at most n u times the sum of the products' magnitudes, and an error of an operand
// reaches the result multiplied by the largest derivative. It is a bound of the largest error of any element,
// from the largest magnitudes of each tensor.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <limits>
#include <map>
#include <onnx/onnx_pb.h>
#include <string>

namespace tilerig::compiler {

// What the bound has to know of a tensor that was computed.
struct Magnitude {
  DType type = DType::f32;
  Shape shape;
  double most = 0;                                        // largest absolute value
  double least = std::numeric_limits<double>::infinity(); // smallest absolute value

  static Magnitude of(const Tensor &tensor);
};

using Magnitudes = std::map<std::string, Magnitude>;
// Largest absolute error by name of the tensor; infinity where no bound is known.
using ErrorBounds = std::map<std::string, double>;

// `constants`: errors of constants; others, and the inputs, are exact.
ErrorBounds boundErrors(const onnx::GraphProto &graph, const Magnitudes &magnitudes, ErrorBounds constants);

// Largest relative error of rounding to a type; 0 for integers.
double unitRoundoff(DType type);

} // namespace tilerig::compiler
