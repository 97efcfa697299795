// Input and table of the rules for rounding errors: one rule per ONNX operator bounds the error of a node's
// result from the magnitudes and errors of its operands (RoundingBound.h).
#pragma once

#include "compiler/PassCheck/RoundingBound.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace tilerig::compiler {

constexpr double unknownBound = std::numeric_limits<double>::infinity();
// Error assumed of an elementary function such as exp or erf, in multiples of the unit roundoff u;
// the errors of the reference interpreter and of libm are below 4 u.
constexpr double errorOfFunction = 8;

struct BoundedOperand {
  Magnitude magnitude;
  double error = 0;
};

struct BoundedNode {
  const onnx::NodeProto &proto;
  // Rounding error of each float attribute, by the attribute's value.
  const std::map<double, double> &attributeErrors;
  std::vector<BoundedOperand> operands; // operands of the node; an absent optional one counts as exact 0
  Magnitude result;
  double u;    // unit roundoff of the result's type
  double tiny; // largest absolute error of rounding a subnormal number of the result's type

  size_t count() const { return operands.size(); }
  double error(size_t i) const { return i < count() ? operands[i].error : 0; }
  double most(size_t i) const { return i < count() ? operands[i].magnitude.most : 0; }
  double least(size_t i) const { return i < count() ? operands[i].magnitude.least : 0; }
  const Shape &shape(size_t i) const { return operands[i].magnitude.shape; }
  double largestError() const {
    double largest = 0;
    for (const BoundedOperand &operand : operands)
      largest = std::max(largest, operand.error);
    return largest;
  }
  const onnx::AttributeProto *attribute(std::string_view name) const {
    for (const onnx::AttributeProto &attribute : proto.attribute())
      if (attribute.name() == name)
        return &attribute;
    return nullptr;
  }
  double real(std::string_view name, double otherwise) const {
    const onnx::AttributeProto *const stated = attribute(name);
    return stated ? static_cast<double>(stated->f()) : otherwise;
  }
  int64_t integer(std::string_view name, int64_t otherwise) const {
    const onnx::AttributeProto *const stated = attribute(name);
    return stated ? stated->i() : otherwise;
  }
  bool isTrue(std::string_view name) const {
    const onnx::AttributeProto *const stated = attribute(name);
    return stated && stated->i() != 0;
  }
  bool isText(std::string_view name, std::string_view text) const {
    const onnx::AttributeProto *const stated = attribute(name);
    return stated && stated->s() == text;
  }
  double attributeError(double value) const {
    const auto entry = attributeErrors.find(value);
    return entry == attributeErrors.end() ? 0 : entry->second;
  }
  // Bound of the error of the result if its elements are rounded `times` times.
  double rounding(double times = 1) const { return times * (u * result.most + tiny); }
};

// Function that bounds the absolute rounding error of the result of a node with a certain ONNX operator.
using BoundRule = std::function<double(const BoundedNode &)>;
using BoundRules = std::map<std::string_view, BoundRule>;

inline void addRule(BoundRules &rules, const BoundRule &rule,
                    std::initializer_list<std::string_view> operators) {
  for (const std::string_view name : operators)
    rules[name] = rule;
}

inline double elementsOf(const Shape &shape) {
  double count = 1;
  for (const int64_t size : shape)
    count *= static_cast<double>(size);
  return count;
}

void addElementwiseRules(BoundRules &rules);
void addSumRules(BoundRules &rules);
void addMovementRules(BoundRules &rules);

} // namespace tilerig::compiler
