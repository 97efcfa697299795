// Which functions run at the slow "special" rate: those that need a division, are computed by a series, or
// are looked up in a table. The last step for every element, which quantises and narrows, is pipelined and
// costs nothing.
#pragma once

#include "isa/Instructions/Operands.h"

namespace tilerig {

constexpr bool isSpecial(UnaryFunction function) {
  switch (function) {
  case UnaryFunction::identity:
  case UnaryFunction::relu:
  case UnaryFunction::leakyRelu:
  case UnaryFunction::thresholdedRelu:
  case UnaryFunction::clip:
  case UnaryFunction::hardSigmoid:
  case UnaryFunction::hardSwish:
  case UnaryFunction::abs:
  case UnaryFunction::neg:
  case UnaryFunction::floor:
  case UnaryFunction::ceil:
  case UnaryFunction::round:
  case UnaryFunction::sign:
  case UnaryFunction::logicalNot:
  case UnaryFunction::isNan:
  case UnaryFunction::isInf:
    return false;
  case UnaryFunction::elu:
  case UnaryFunction::selu:
  case UnaryFunction::celu:
  case UnaryFunction::sigmoid:
  case UnaryFunction::tanh:
  case UnaryFunction::softplus:
  case UnaryFunction::softsign:
  case UnaryFunction::silu:
  case UnaryFunction::mish:
  case UnaryFunction::geluErf:
  case UnaryFunction::geluTanh:
  case UnaryFunction::exp:
  case UnaryFunction::log:
  case UnaryFunction::sqrt:
  case UnaryFunction::rsqrt:
  case UnaryFunction::reciprocal:
  case UnaryFunction::erf:
  case UnaryFunction::sin:
  case UnaryFunction::cos:
  case UnaryFunction::tan:
  case UnaryFunction::asin:
  case UnaryFunction::acos:
  case UnaryFunction::atan:
  case UnaryFunction::sinh:
  case UnaryFunction::cosh:
  case UnaryFunction::asinh:
  case UnaryFunction::acosh:
  case UnaryFunction::atanh:
    return true;
  }
  return true;
}

constexpr bool isSpecial(BinaryFunction function) {
  switch (function) {
  case BinaryFunction::div:
  case BinaryFunction::pow:
  case BinaryFunction::mod:
  case BinaryFunction::fmod:
    return true;
  case BinaryFunction::add:
  case BinaryFunction::sub:
  case BinaryFunction::mul:
  case BinaryFunction::min:
  case BinaryFunction::max:
  case BinaryFunction::prelu:
  case BinaryFunction::equal:
  case BinaryFunction::less:
  case BinaryFunction::lessEqual:
  case BinaryFunction::greater:
  case BinaryFunction::greaterEqual:
  case BinaryFunction::logicalAnd:
  case BinaryFunction::logicalOr:
  case BinaryFunction::logicalXor:
    return false;
  }
  return true;
}

} // namespace tilerig
