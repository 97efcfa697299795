// A bound on the rounding errors of an ONNX model that was run on given inputs.
//
// Two models that compute the same in real arithmetic, in another order of operations, differ by no more than
// the sum of their bounds. The bound follows from the standard model of floating-point arithmetic (Higham,
// Accuracy and Stability of Numerical Algorithms, chapters 2 and 3): a result has the relative error u of its
// type, a sum of n products at most n u times the sum of the products' magnitudes, and an error of an operand
// reaches the result multiplied by the largest derivative. A subnormal result has an absolute error of up to
// half of the smallest subnormal number. There is one bound for all elements of a tensor, computed from the
// largest magnitudes of the operands.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <limits>
#include <map>
#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

namespace tilerig::compiler {

// Type, shape and extreme elements of a computed tensor, from which rounding errors are bounded.
struct Magnitude {
  DType type = DType::f32;
  Shape shape;
  // Extremes of the finite elements: the largest and the smallest absolute value, and the smallest and the
  // largest element. The range from lowest to highest is empty if no element is finite.
  double most = 0, least = std::numeric_limits<double>::infinity();
  double lowest = -std::numeric_limits<double>::infinity(), highest = std::numeric_limits<double>::infinity();
  bool isFinite = true; // whether no element of the tensor is infinite or NaN

  static Magnitude of(const Tensor &tensor);
};

using Magnitudes = std::map<std::string, Magnitude>;
// Bound of the absolute error of each tensor, by its name; infinity if no bound is known.
using ErrorBounds = std::map<std::string, double>;

// Rounding errors of a model's constants and float attributes. Inputs, constants and attributes without an
// entry are exact.
struct NumberErrors {
  ErrorBounds constants;
  std::map<double, double> attributes; // rounding error of each float attribute, by the attribute's value
};

struct BoundedErrors {
  ErrorBounds errors;
  // For each tensor without a known error bound: the operator for whose result no bound is known.
  std::map<std::string, std::string> unknownAt;
};

// Nodes of an ONNX graph, in the order in which they are computed.
using Nodes = std::vector<const onnx::NodeProto *>;
Nodes nodesOf(const onnx::GraphProto &graph);

// Bounds the rounding error of each tensor that the nodes compute.
BoundedErrors boundErrors(const Nodes &nodes, const Magnitudes &magnitudes, const NumberErrors &numbers);

// Unit roundoff: the largest relative error of rounding to a float type; 0 for integer types.
double unitRoundoff(DType type);

} // namespace tilerig::compiler
