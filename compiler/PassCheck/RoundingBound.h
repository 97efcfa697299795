// A bound on the rounding errors of an ONNX model that was run on given inputs.
//
// Two models that compute the same in real arithmetic, in another order of operations, differ by no more than
// the sum of their bounds. The bound follows from the standard model of floating-point arithmetic (Higham,
// Accuracy and Stability of Numerical Algorithms, chapters 2 and 3): a result has the relative error u of its
// type, a sum of n products at most n u times the sum of the products' magnitudes, and an error of an operand
// reaches the result multiplied by the largest derivative. Where a result is too small to be normal, the error
// is up to half of the smallest number instead. It is a bound of the largest error of any element,
// from the largest magnitudes of each tensor.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <limits>
#include <map>
#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

namespace tilerig::compiler {

// What the bound has to know of a tensor that was computed.
struct Magnitude {
  DType type = DType::f32;
  Shape shape;
  double most = 0;                                        // largest absolute value
  double least = std::numeric_limits<double>::infinity(); // smallest absolute value
  double lowest = 0, highest = 0;                         // smallest and largest value
  bool isFinite = true;                                   // whether no element is infinite or NaN

  static Magnitude of(const Tensor &tensor);
};

using Magnitudes = std::map<std::string, Magnitude>;
// Largest absolute error by name of the tensor; infinity where no bound is known.
using ErrorBounds = std::map<std::string, double>;

// Errors of the numbers that a model states; all others, and the inputs, are exact.
struct NumberErrors {
  ErrorBounds constants;
  std::map<double, double> attributes; // of float attributes, by their value
};

struct BoundedErrors {
  ErrorBounds errors;
  // For tensors without a known bound: the operator at whose result it is lost.
  std::map<std::string, std::string> unknownAt;
};

// Nodes of a model, in the order in which they are computed.
using Nodes = std::vector<const onnx::NodeProto *>;
Nodes nodesOf(const onnx::GraphProto &graph);

// Errors of the results of the nodes.
BoundedErrors boundErrors(const Nodes &nodes, const Magnitudes &magnitudes, const NumberErrors &numbers);

// Largest relative error of rounding to a type; 0 for integers.
double unitRoundoff(DType type);

} // namespace tilerig::compiler
