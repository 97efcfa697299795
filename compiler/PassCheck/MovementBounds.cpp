// Bounds of the rounding errors of operators that move, select or interpolate elements.
#include "compiler/PassCheck/BoundedNode.h"

#include <cmath>

namespace tilerig::compiler {

namespace {

using Node = BoundedNode;

// Operators that only move or select elements: the error of the result is at most the largest error of an
// operand.
double moved(const Node &node) { return node.largestError(); }
// Error bound of operators whose results jump, such as comparisons: 0 if all operands are exact, else
// infinite.
double exactOrUnknown(const Node &node) { return node.largestError() > 0 ? unknownBound : 0; }
// IsInf and IsNaN: the result is exact if the operand is finite and its error is bounded.
double classified(const Node &node) {
  return std::isfinite(node.error(0)) && node.operands[0].magnitude.isFinite ? 0 : exactOrUnknown(node);
}
// Comparisons: the results are exact if errors are too small to change the order of any two finite elements.
// A tensor is compared with itself to test for NaN.
double compared(const Node &node) {
  if (node.proto.input(0) == node.proto.input(1))
    return classified(node);
  const Magnitude &a = node.operands[0].magnitude, &b = node.operands[1].magnitude;
  const double errors = node.error(0) + node.error(1);
  const bool isApart = a.lowest - b.highest > errors || b.lowest - a.highest > errors;
  return isApart && std::isfinite(errors) ? 0 : exactOrUnknown(node);
}
// Error bound of scatter operators: updates that replace elements only move errors; for updates that are
// added to elements, multiplied by them or compared with them, no bound is known.
double scattered(const Node &node) {
  return !node.attribute("reduction") || node.isText("reduction", "none") ? moved(node) : unknownBound;
}
// Error bound of the operator Range, whose element i is start + i * delta.
double range(const Node &node) {
  const double steps = elementsOf(node.result.shape);
  return node.error(0) + steps * node.error(2) + node.rounding(2);
}

// Interpolation multiplies errors by the sum of its weights' magnitudes on each axis: 1 if it is linear, and
// at most 1 + |a| / 2 if it is cubic with the coefficient a.
double resized(const Node &node) {
  if (node.proto.op_type() == "GridSample" && node.error(1) > 0)
    return unknownBound;
  const bool isCubic = node.isText("mode", "cubic") || node.isText("mode", "bicubic");
  const double perAxis = isCubic ? 1 + std::abs(node.real("cubic_coeff_a", -0.75)) / 2 : 1;
  const double weights = std::pow(perAxis, static_cast<double>(node.shape(0).size()));
  return weights * (node.error(0) + 64 * node.u * node.most(0)) + node.rounding();
}

} // namespace

void addMovementRules(BoundRules &rules) {
  addRule(rules, moved,
          {"Identity",
           "Reshape",
           "Transpose",
           "Slice",
           "Concat",
           "Pad",
           "Gather",
           "Expand",
           "Squeeze",
           "Unsqueeze",
           "Flatten",
           "Split",
           "Tile",
           "MaxPool",
           "ReduceMax",
           "ReduceMin",
           "Max",
           "Min",
           "Relu",
           "Abs",
           "Neg",
           "Where",
           "Clip",
           "DepthToSpace",
           "GatherND",
           "SpaceToDepth",
           "Dropout",
           "Constant",
           "GatherElements",
           "GlobalMaxPool",
           "Trilu",
           "Shape",
           "Size",
           "ReverseSequence",
           "ConstantOfShape",
           "CenterCropPad",
           "EyeLike"});
  addRule(rules, classified, {"IsNaN", "IsInf"});
  addRule(rules, compared, {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"});
  addRule(rules, scattered, {"ScatterND", "ScatterElements", "Scatter"});
  addRule(rules, range, {"Range"});
  addRule(rules, resized, {"Resize", "Upsample", "GridSample"});
  addRule(rules, exactOrUnknown,
          {"DynamicQuantizeLinear",
           "ArgMax",
           "ArgMin",
           "TopK",
           "NonZero",
           "Not",
           "And",
           "Or",
           "Xor",
           "Sign",
           "MatMulInteger",
           "ConvInteger",
           "QLinearConv",
           "QLinearMatMul",
           "OneHot",
           "BitShift",
           "BitwiseAnd",
           "BitwiseOr",
           "BitwiseXor",
           "BitwiseNot",
           "NonMaxSuppression",
           "Unique",
           "Mod",
           "Hardmax",
           "Compress"});
}

} // namespace tilerig::compiler
