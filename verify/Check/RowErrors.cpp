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

// The axis along which a softmax adds up.
size_t axisOf(const onnx::NodeProto &node, const Tensor &rows) {
  const auto *axis = attribute(node, "axis");
  const int64_t at = axis ? axis->i() : -1;
  return static_cast<size_t>(at < 0 ? at + static_cast<int64_t>(rows.rank()) : at);
}

Tensor errorsOfSoftmax(const onnx::NodeProto &node, const Tensor &rows) {
  const auto length = static_cast<double>(rows.shape()[axisOf(node, rows)]);
  const double additions = length * 0x1p-53;
  const bool isLogarithm = node.op_type() == "LogSoftmax";
  Tensor errors = rows;
  for (double &y : errors.mutableAs<double>())
    y = secondOrder * (isLogarithm ? 2 * halfUlpOfFloat + additions + halfUlpOfFloat * std::fabs(y)
                                   : (4 * halfUlpOfFloat + additions) * std::fabs(y)) +
        leastFloat;
  return errors;
}

// Adds to the errors of a softmax those that roundings of its scores cause.
void addErrorsOfScores(const onnx::NodeProto &node, const Tensor &scores, const Tensor &rows,
                       Tensor &errors) {
  const size_t axis = axisOf(node, rows), length = static_cast<size_t>(rows.shape()[axis]);
  const auto inner = static_cast<size_t>(product(std::span(rows.shape()).subspan(axis + 1)));
  const bool isLogarithm = node.op_type() == "LogSoftmax";
  const auto from = scores.as<double>(), results = rows.as<double>();
  const auto out = errors.mutableAs<double>();
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t first = i / (inner * length) * inner * length + i % inner;
    double largest = 0;
    for (size_t k = 0; k < length; ++k)
      if (const double score = from[first + k * inner]; std::isfinite(score))
        largest = std::max(largest, std::fabs(score));
    // The score of the element and those of the sum may be off in opposite directions, in the model and in the layer.
    const double share = 4 * halfUlpOfFloat * largest;
    out[i] += isLogarithm ? share : std::expm1(share) * std::fabs(results[i]);
  }
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

// The number of elements that a normalisation normalises together.
size_t lengthOfRows(const onnx::NodeProto &node, const Tensor &input) {
  const auto *axis = attribute(node, "axis");
  const auto rank = static_cast<int64_t>(input.rank());
  const int64_t at = node.op_type() == "InstanceNormalization" ? 2 : axis ? axis->i() : -1;
  return static_cast<size_t>(
      product(std::span(input.shape()).subspan(static_cast<size_t>(at < 0 ? at + rank : at))));
}

double epsilonOf(const onnx::NodeProto &node) {
  const auto *epsilon = attribute(node, "epsilon");
  return epsilon ? static_cast<double>(epsilon->f()) : static_cast<double>(1e-5f);
}

// Whether the tensor has the means or the inverse deviations that a normalisation returns beside its rows.
bool isStatistic(const FloatForms &forms, const std::string &tensor) {
  const onnx::NodeProto *node = forms.maker(tensor);
  return node && node->op_type() == "LayerNormalization" && node->output(0) != tensor;
}

Result<Tensor> errorsOfStatistic(const FloatForms &forms, const std::string &tensor,
                                 const Operands &operands) {
  const onnx::NodeProto &node = *forms.maker(tensor);
  TILERIG_TRY(const Tensor computed, forms.compute(node.input(0), operands));
  TILERIG_TRY(Tensor errors, forms.compute(tensor, operands));
  const Tensor input = asDoubles(computed);
  const size_t length = lengthOfRows(node, input);
  const bool isMean = node.output(1) == tensor;
  errors = asDoubles(errors);
  size_t begin = 0;
  for (double &error : errors.mutableAs<double>()) {
    const RowStatistics row(input.as<double>().subspan(begin, length));
    error = secondOrder * (isMean ? row.errorOfMean() + halfUlpOfFloat * std::fabs(error)
                                  : (row.errorOfInverse(epsilonOf(node)) + halfUlpOfFloat) * error);
    begin += length;
  }
  return errors;
}

Result<Tensor> errorsOfNormalisation(const FloatForms &forms, const onnx::NodeProto &node, const Tensor &rows,
                                     const Operands &operands) {
  TILERIG_TRY(const Tensor computed, forms.compute(node.input(0), operands));
  TILERIG_TRY(const Tensor gain, forms.compute(node.input(1), operands));
  const Tensor input = asDoubles(computed), gains = asDoubles(gain);
  const bool isInstance = node.op_type() == "InstanceNormalization";
  const size_t length = lengthOfRows(node, input);
  const double added = epsilonOf(node);
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
  if (!isSoftmax(node))
    return errorsOfNormalisation(forms, node, rows, operands);
  Tensor errors = errorsOfSoftmax(node, rows);
  const bool computesScores = !operands.contains(node.input(0)) && forms.maker(node.input(0));
  if (computesScores) {
    TILERIG_TRY(const Tensor computed, forms.compute(node.input(0), operands));
    addErrorsOfScores(node, asDoubles(computed), rows, errors);
  }
  return errors;
}

namespace {

// If operators between two tensors may magnify errors, finite error bounds do not hold; only infinite ones are kept.
void keepInfinite(Tensor &errors) {
  for (double &x : errors.mutableAs<double>())
    x = std::isinf(x) ? x : 0;
}

// Error bounds of the result of a product one of whose operands, `input`, has errors.
Result<Tensor> errorsOfProduct(const FloatForms &forms, const onnx::NodeProto &node, const std::string &input,
                               Tensor errors, const Operands &operands) {
  const std::string &other = node.input(node.input(0) == input ? 1 : 0);
  TILERIG_TRY(const Tensor factor, forms.compute(other, operands));
  Tensor magnitudes = asDoubles(factor);
  for (double &x : magnitudes.mutableAs<double>())
    x = std::fabs(x);
  return forms.compute(node.output(0), {{input, std::move(errors)}, {other, std::move(magnitudes)}});
}

} // namespace

Result<std::optional<Tensor>> rowErrors(const FloatForms &forms, const std::string &tensor,
                                        const Operands &operands) {
  if (isStatistic(forms, tensor)) {
    TILERIG_TRY(Tensor errors, errorsOfStatistic(forms, tensor, operands));
    return std::optional(std::move(errors));
  }
  std::string from = rowsOn(forms, tensor, operands);
  if (from.empty())
    return std::optional<Tensor>();
  TILERIG_TRY(const Tensor values, forms.compute(from, operands));
  TILERIG_TRY(Tensor errors, errorsOfRows(forms, from, asDoubles(values), operands));
  std::string at = from;
  std::vector<const onnx::NodeProto *> path = forms.pathFrom(from, tensor, operands);
  std::ranges::reverse(path);
  for (const onnx::NodeProto *node : path) {
    if (node->op_type() == "MatMul") {
      if (!forms.keepsErrors(from, at, operands))
        keepInfinite(errors);
      TILERIG_TRY(Tensor moved, forms.moved(errors, from, at, operands));
      TILERIG_TRY(errors, errorsOfProduct(forms, *node, at, std::move(moved), operands));
      from = node->output(0);
    }
    at = node->output(0);
  }
  if (!forms.keepsErrors(from, tensor, operands))
    keepInfinite(errors);
  TILERIG_TRY(Tensor moved, forms.moved(errors, from, tensor, operands));
  return std::optional(std::move(moved));
}

} // namespace tilerig::verify
