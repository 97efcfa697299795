#include "verify/Check/RowErrors.h"

#include "verify/Check/Rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tilerig::verify {

namespace {

constexpr double secondOrder = 1.001;
constexpr double noBound = std::numeric_limits<double>::infinity();

bool isSoftmax(const onnx::NodeProto &node) {
  return node.op_type() == "Softmax" || node.op_type() == "LogSoftmax";
}
bool isNormalisation(const onnx::NodeProto &node) {
  return node.op_type() == "LayerNormalization" || node.op_type() == "InstanceNormalization";
}

const onnx::AttributeProto *attribute(const onnx::NodeProto &node, std::string_view name) {
  const auto position = std::ranges::find(node.attribute(), name, &onnx::AttributeProto::name);
  return position == node.attribute().end() ? nullptr : &*position;
}

int64_t product(std::span<const int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies());
}

Tensor errorsOfSoftmax(const onnx::NodeProto &node, const Tensor &rows) {
  const auto *axis = attribute(node, "axis");
  const auto rank = static_cast<int64_t>(rows.rank());
  const int64_t at = axis ? axis->i() : -1;
  const auto length = static_cast<double>(rows.shape()[static_cast<size_t>(at < 0 ? at + rank : at)]);
  const double additions = length * 0x1p-53;
  const bool isLogarithm = node.op_type() == "LogSoftmax";
  Tensor errors = rows;
  for (double &y : errors.mutableAs<double>())
    y = secondOrder * (isLogarithm ? 2 * halfUlpOfFloat + additions + halfUlpOfFloat * std::fabs(y)
                                   : (4 * halfUlpOfFloat + additions) * std::fabs(y)) +
        leastFloat;
  return errors;
}

struct RowStatistics {
  // Statistics of a row x: its number of elements, mean, mean of |x|, and variance.
  double count, mean = 0, magnitude = 0, variance = 0;

  explicit RowStatistics(std::span<const double> row) : count(static_cast<double>(row.size())) {
    for (const double x : row) {
      mean += x / count;
      magnitude += std::fabs(x) / count;
    }
    for (const double x : row)
      variance += (x - mean) * (x - mean) / count;
  }

  double errorOfMean() const { return (count + 1) * halfUlpOfFloat * magnitude + leastFloat; }
  // Bound of the relative error of 1 / sqrt(variance + epsilon).
  double errorOfInverse(double epsilon) const {
    const double dm = errorOfMean(), w = variance + epsilon;
    const double dv = (count + 4) * halfUlpOfFloat * variance + dm * dm +
                      2 * halfUlpOfFloat * dm * std::sqrt(variance) + leastFloat;
    const double r = secondOrder * (dv + halfUlpOfFloat * w) / w;
    if (count * std::max(magnitude, variance) >= overflowOfFloat / 2)
      return noBound;
    return r < 1 ? 1 / std::sqrt(1 - r) - 1 + 2 * halfUlpOfFloat : noBound;
  }
};

// Magnitude of the gain by which a normalisation multiplies an element. `gains` has a gain for each element
// of a row or, if `isForRow`, a gain for each row.
double gainAt(std::span<const double> gains, bool isForRow, size_t row, size_t element) {
  return std::fabs(gains[isForRow ? row % gains.size() : element % gains.size()]);
}

Result<Tensor> errorsOfNormalisation(const FloatForms &forms, const onnx::NodeProto &node, const Tensor &rows,
                                     const Operands &operands) {
  TILERIG_TRY(const Tensor computed, forms.compute(node.input(0), operands));
  TILERIG_TRY(const Tensor gain, forms.compute(node.input(1), operands));
  const Tensor input = asDoubles(computed), gains = asDoubles(gain);
  const bool isInstance = node.op_type() == "InstanceNormalization";
  const auto *axis = attribute(node, "axis"), *epsilon = attribute(node, "epsilon");
  const auto rank = static_cast<int64_t>(rows.rank());
  const int64_t at = isInstance ? 2 : axis ? axis->i() : -1;
  const auto length = static_cast<size_t>(
      product(std::span(rows.shape()).subspan(static_cast<size_t>(at < 0 ? at + rank : at))));
  const double added = epsilon ? static_cast<double>(epsilon->f()) : static_cast<double>(1e-5f);
  Tensor errors(DType::f64, rows.shape());
  const auto from = input.as<double>(), results = rows.as<double>();
  const auto out = errors.mutableAs<double>();
  for (size_t begin = 0; begin < out.size(); begin += length) {
    const RowStatistics row(from.subspan(begin, length));
    const double ofInverse = row.errorOfInverse(added), ofMean = row.errorOfMean();
    const double inverse = 1 / std::sqrt(row.variance + added);
    for (size_t i = 0; i < length; ++i) {
      const double d = std::fabs(from[begin + i] - row.mean), e = ofMean + halfUlpOfFloat * (d + ofMean);
      const double g = gainAt(gains.as<double>(), isInstance, begin / length, i);
      out[begin + i] = secondOrder * (g * inverse * (d * (ofInverse + halfUlpOfFloat) + e * (1 + ofInverse)) +
                                      halfUlpOfFloat * std::fabs(results[begin + i])) +
                       leastFloat * (1 + g);
      if (std::isnan(out[begin + i])) // 0 * infinity gives NaN, which means that the error has no bound
        out[begin + i] = noBound;
    }
  }
  return errors;
}

} // namespace

std::string rowsOn(const FloatForms &forms, const std::string &tensor, const Operands &operands) {
  return forms.firstOn(tensor, operands,
                       [](const onnx::NodeProto &node) { return isSoftmax(node) || isNormalisation(node); });
}

Result<Tensor> errorsOfRows(const FloatForms &forms, const std::string &tensor, const Tensor &rows,
                            const Operands &operands) {
  const onnx::NodeProto &node = *forms.maker(tensor);
  if (isSoftmax(node))
    return errorsOfSoftmax(node, rows);
  return errorsOfNormalisation(forms, node, rows, operands);
}

} // namespace tilerig::verify
