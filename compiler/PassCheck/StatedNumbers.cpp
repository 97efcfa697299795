#include "compiler/PassCheck/StatedNumbers.h"

#include <cmath>
#include <llvm/ADT/Hashing.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

namespace tilerig::compiler {

namespace {

// Adds up the hashes of a constant's elements: the sum does not depend on the order of the elements.
uint64_t elementsHash(const onnx::TensorProto &constant, size_t elementBytes) {
  const llvm::StringRef bytes(constant.raw_data());
  uint64_t sum = bytes.size();
  for (size_t at = 0; at < bytes.size(); at += elementBytes)
    sum += static_cast<size_t>(llvm::hash_value(bytes.substr(at, elementBytes)));
  return sum;
}

// Whether a number has at most 12 binary digits, such as 2 or 0.75: it then counts as exact, not as rounded.
bool isShort(double number) {
  int exponent = 0;
  const double digits = std::ldexp(std::frexp(number, &exponent), 12);
  return digits == std::trunc(digits);
}

size_t countIn(const auto &counts, const auto &key) {
  const auto entry = counts.find(key);
  return entry == counts.end() ? 0 : entry->second;
}

// Error of a constant that a pass computed with a few operations and rounded to its type.
double errorOfComputed(const Magnitude &constant) { return 8 * unitRoundoff(constant.type) * constant.most; }
// Error of a constant that a pass replaced by a more exact number: the error of rounding that number to
// float.
double errorOfReplaced(const Magnitude &number) {
  return std::max(unitRoundoff(DType::f32), unitRoundoff(number.type)) * number.most;
}

} // namespace

ConstantHashes hashConstants(const onnx::GraphProto &graph) {
  ConstantHashes hashes;
  for (const onnx::TensorProto &constant : graph.initializer())
    if (const auto type = dtypeOfOnnx(constant.data_type()); type && unitRoundoff(*type) > 0)
      hashes[constant.name()] = elementsHash(constant, sizeBytes(*type));
  return hashes;
}

StatedNumbers::StatedNumbers(const Nodes &nodes, const ConstantHashes &hashes, const Magnitudes &magnitudes) {
  for (const onnx::NodeProto *node : nodes) {
    for (const onnx::AttributeProto &attribute : node->attribute())
      if (attribute.type() == onnx::AttributeProto::FLOAT) {
        const auto number = static_cast<double>(attribute.f());
        ++scalars[number];
        attributes.insert(number);
      }
    for (const std::string &operand : node->input()) {
      const auto hash = hashes.find(operand);
      if (hash == hashes.end())
        continue;
      const Magnitude &magnitude = magnitudes.at(operand);
      const bool isScalar = llvm::all_of(magnitude.shape, [](int64_t size) { return size == 1; });
      ++(isScalar ? scalars[magnitude.highest] : tensors[hash->second]);
      constants[operand] = {isScalar, magnitude.highest, hash->second, magnitude};
    }
  }
}

bool StatedNumbers::isOftenerThanIn(const StatedNumbers &other, double number) const {
  return countIn(scalars, number) > countIn(other.scalars, number);
}

bool StatedNumbers::isOftenerThanIn(const StatedNumbers &other, const Constant &constant) const {
  return constant.isScalar ? isOftenerThanIn(other, constant.number)
                           : countIn(tensors, constant.hash) > countIn(other.tensors, constant.hash);
}

NumberErrors StatedNumbers::errorsBeside(const StatedNumbers &other, Numbers numbers) const {
  NumberErrors errors;
  for (const auto &[name, constant] : constants) {
    if ((constant.isScalar && isShort(constant.number)) || !isOftenerThanIn(other, constant))
      continue;
    if (numbers == Numbers::computed)
      errors.constants[name] = errorOfComputed(constant.magnitude);
    else if (constant.isScalar)
      errors.constants[name] = errorOfReplaced(constant.magnitude);
  }
  for (const double number : attributes)
    if (!isShort(number) && isOftenerThanIn(other, number))
      errors.attributes[number] = unitRoundoff(DType::f32) * std::abs(number);
  return errors;
}

} // namespace tilerig::compiler
