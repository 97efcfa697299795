#include "verify/Check/RoundedLayers.h"

#include "verify/Check/FloatForms.h"
#include "verify/Check/Rounding.h"
#include "verify/Check/RowErrors.h"
#include "verify/Metrics/Element.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/core.h>
#include <limits>

namespace tilerig::verify {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Accepted error of results of a few fp32 operations on exact operands, as a fraction of the tensor's largest
// magnitude.
constexpr double arithmeticShare = 1e-5;

constexpr const char *scaleWasStated =
    "the compiler changed the scale of this tensor, which the original model specifies";

// The functions that are not monotonic, with their steepest slopes, by which errors are bounded. Every other
// function is monotonic, so errors follow from its values at the ends of an interval.
constexpr std::pair<std::string_view, double> turningFunctions[] = {
    {"abs", 1},    {"sin", 1},         {"cos", 1},          {"silu", 1.1},
    {"mish", 1.1}, {"gelu_erf", 1.13}, {"gelu_tanh", 1.13}, {"hard_swish", 1.5},
};

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// Combines two float64 tensors of equal shape element by element, by a given function.
template <class Make>
Tensor combined(const Tensor &a, const Tensor &b, Make make) {
  Tensor result(DType::f64, a.shape());
  const auto from = a.as<double>(), other = b.as<double>();
  std::ranges::transform(from, other, result.mutableAs<double>().begin(), make);
  return result;
}
template <class Make>
Tensor mapped(Tensor tensor, Make make) {
  for (double &x : tensor.mutableAs<double>())
    x = make(x);
  return tensor;
}

// The next larger number of a number that is at least 0; infinity stays infinity.
float nextAbove(float number) {
  return std::isinf(number) ? number : std::bit_cast<float>(std::bit_cast<uint32_t>(number) + 1);
}

Tensor asTruths(const Tensor &tensor) {
  const Tensor numbers = asDoubles(tensor);
  Tensor truths(DType::boolean, tensor.shape());
  std::ranges::transform(numbers.as<double>(), truths.mutableAs<bool>().begin(),
                         [](double x) { return x != 0; });
  return truths;
}

// Judges one layer of the emitted ONNX model, computed in its precision, by comparing it with the same layer
// in floats (`form`).
class RoundingJudge {
public:
  RoundingJudge(const compiler::DescribedLayer &emitted, const compiler::DescribedLayer &form,
                const FloatForms &forms, const TensorMap &oracle)
      : emitted(emitted), form(form), forms(forms), oracle(oracle), output(form.outputs[0].name),
        result(emitted.outputs[0].element), isProduct(isOneOf(emitted.kind, {"Conv", "MatMul"})),
        isOfIntegers(isProduct && !emitted.inputs[0].element.scales.empty()), middle(emitted.middle) {
    if (isOfIntegers && !middle && !result.scales.empty())
      middle = result;
  }

  Result<RoundedLayer> judge() {
    if (isStated())
      return judgeAsStated();
    if (emitted.outputs[0].element != form.outputs[0].element && !form.outputs[0].element.scales.empty())
      return unsupported(emitted.outputs[0].name, scaleWasStated);
    TILERIG_CHECK_OK(readOperands());
    sum = forms.sumOn(output, layerOperands);
    if (sum.empty()) {
      sum = rowsOn(forms, output, layerOperands);
      isOfRows = !sum.empty();
    }
    TILERIG_TRY(Tensor expected, sum.empty() ? exactly() : throughSum());
    TILERIG_TRY(expected, inLayerOrder(expected, form.outputs[0].order));
    if (const auto range = integerRange(result); range && !onlyMoves())
      expected = mapped(std::move(expected), [&](double x) { return range->bounded(x); });
    TILERIG_TRY(const Tensor got, stored(emitted.outputs[0]));
    return compare(expected, realsOf(got, result));
  }

private:
  static bool isRounded(const compiler::LayerTensor &tensor) {
    return !tensor.element.scales.empty() || isOneOf(tensor.element.type, {"float16", "bfloat16"});
  }

  // Whether the original model itself stated all types of the layer, so that the compiler decided no
  // precision for it.
  bool isStated() const {
    const auto areSame = [](const std::vector<compiler::LayerTensor> &a,
                            const std::vector<compiler::LayerTensor> &b) {
      return std::ranges::equal(a, b, {}, &compiler::LayerTensor::element, &compiler::LayerTensor::element);
    };
    return areSame(emitted.inputs, form.inputs) && areSame(emitted.outputs, form.outputs) &&
           emitted.middle == form.middle &&
           (std::ranges::any_of(form.inputs, isRounded) || std::ranges::any_of(form.outputs, isRounded));
  }

  // Judges a layer whose types the original model itself states. Rounding then explains no difference, so
  // every bit must be equal.
  Result<RoundedLayer> judgeAsStated() {
    for (size_t i = 0; i < form.inputs.size(); ++i) {
      if (form.inputs[i].isConstant)
        continue;
      TILERIG_TRY(const Tensor value, stored(emitted.inputs[i]));
      TILERIG_TRY(layerOperands[form.inputs[i].name], inModelOrder(value, form.inputs[i].order));
    }
    TILERIG_TRY(layerOperands, forms.completed(std::move(layerOperands)));
    TILERIG_TRY(Tensor expected, forms.computeAsStated(output, layerOperands));
    TILERIG_TRY(expected, inLayerOrder(expected, form.outputs[0].order));
    TILERIG_TRY(const Tensor got, stored(emitted.outputs[0]));
    deviation = Tensor(DType::f64, expected.shape());
    isExact = true;
    return compare(realsOf(expected, result), realsOf(got, result));
  }

  // The expected value of a tensor (the oracle's), with its axes in the layer's order.
  Result<Tensor> stored(const compiler::LayerTensor &tensor) const {
    const Tensor *value = oracle.find(tensor.name);
    if (!value)
      return internalError(tensor.name, "the emitted ONNX model does not compute this tensor");
    return inLayerOrder(*value, tensor.order);
  }

  // Makes the operands of the layer in floats: the oracle's inputs converted to floats, and the weights and
  // biases of the original model. The error bound accounts for the rounding of weights and biases.
  Status readOperands() {
    for (size_t i = 0; i < form.inputs.size(); ++i) {
      const compiler::LayerTensor &mine = emitted.inputs[i], &its = form.inputs[i];
      const bool wasRounded = isProduct && (its.role == "Weight" || its.role == "Bias");
      if (its.isConstant && (wasRounded || its.element == mine.element))
        continue;
      TILERIG_TRY(Tensor value, stored(mine));
      const bool standForReals = !mine.element.scales.empty() || HalfStep(mine.element)(1) > 0;
      if (its.element != mine.element && !its.element.scales.empty())
        return unsupported(mine.name, scaleWasStated);
      if (standForReals && its.element.scales.empty())
        value = realsOf(value, mine.element);
      // The program stores booleans as bytes.
      else if (its.element.type == "bool" && value.dtype() != DType::boolean)
        value = asTruths(value);
      TILERIG_TRY(layerOperands[its.name], inModelOrder(value, its.order));
    }
    TILERIG_TRY(layerOperands, forms.completed(std::move(layerOperands)));
    return success();
  }

  // The value of an operand. If it is computed from constants, as a transpose of one is, this computes it.
  Result<Tensor> operand(const compiler::LayerTensor &tensor) const {
    const auto entry = layerOperands.find(tensor.name);
    return entry == layerOperands.end() ? forms.compute(tensor.name, layerOperands) : entry->second;
  }

  // Whether the original model itself quantises the result tensor in an earlier layer, and not in this layer.
  bool isRoundedBefore() const {
    return form.outputs[0].element.scales.size() == 1 && !forms.endsInRounding(output);
  }
  Result<Tensor> resultOn(const Operands &operands) const {
    TILERIG_TRY(const Tensor value, forms.compute(output, operands));
    return isRoundedBefore() ? realsOf(value, form.outputs[0].element) : asDoubles(value);
  }

  Result<Tensor> exactly() {
    TILERIG_TRY(Tensor value, resultOn(layerOperands));
    deviation = Tensor(DType::f64, value.shape());
    return value;
  }

  Result<Tensor> tail(const Tensor &sums) const {
    Operands operands = layerOperands;
    operands[sum] = sums;
    return resultOn(operands);
  }

  Result<Tensor> throughSum() {
    TILERIG_TRY(const Tensor computed, forms.compute(sum, layerOperands));
    Tensor sums = asDoubles(computed);
    TILERIG_TRY(Tensor errors, isOfRows         ? errorsOfRows(forms, sum, sums, layerOperands)
                               : sumsIntegers() ? Result<Tensor>(errorsOfIntegers(sums))
                               : isProduct      ? errorsOfProducts()
                                                : errorsOfElements(sums));
    if (middle) {
      if (const auto range = integerRange(*middle))
        sums = mapped(std::move(sums), [&](double x) { return range->bounded(x); });
      errors = mapped(std::move(errors), [step = HalfStep(*middle)(0)](double x) { return x + step; });
    }
    if (roundsBeforeTable())
      errors = mapped(std::move(errors), [step = HalfStep(result)(0)](double x) { return x + step; });
    TILERIG_TRY(const Tensor expected, tail(sums));
    TILERIG_CHECK_OK(deviate(sums, errors, expected));
    return expected;
  }

  // Whether the original model itself quantises the operands of the layer, so that the layer sums integers.
  bool sumsIntegers() const { return isProduct && !form.inputs[0].element.scales.empty(); }
  // Error bound of each integer sum after its conversion to a real number. The integer sum is exact. The
  // product of the two scales and the multiplication by it are each rounded once.
  static Tensor errorsOfIntegers(const Tensor &sums) {
    return mapped(sums, [](double x) { return 3 * (2 * halfUlpOfFloat * std::fabs(x) + leastFloat); });
  }

  bool hasAddend() const {
    return std::ranges::any_of(emitted.inputs,
                               [](const compiler::LayerTensor &input) { return input.role == "Addend"; });
  }
  bool onlyBounds() const { return isOneOf(emitted.function, {"", "none", "relu", "clip"}); }
  bool hasFunction() const { return !isOneOf(emitted.function, {"", "none"}); }
  // Whether the layer stores the result of its addition as integers and then looks up the function's value
  // for each integer in a table.
  bool roundsBeforeTable() const {
    return isOfIntegers && hasAddend() && hasFunction() && !forms.endsInAddition(output);
  }

  // Bounds the error that errors of the layer's sums cause in its result. A monotonic function of the sums is
  // evaluated at both ends of their interval; for other functions, the errors of the sums are multiplied by
  // the function's steepest slope.
  Status deviate(const Tensor &sums, const Tensor &errors, const Tensor &expected) {
    const auto *turning =
        std::ranges::find(turningFunctions, emitted.function, &std::pair<std::string_view, double>::first);
    if (turning != std::end(turningFunctions)) {
      TILERIG_TRY(const Tensor moved, forms.moved(errors, sum, output, layerOperands));
      deviation = mapped(moved, [&](double x) { return x * turning->second; });
      return success();
    }
    TILERIG_TRY(const Tensor above, tail(combined(sums, errors, std::plus())));
    TILERIG_TRY(const Tensor below, tail(combined(sums, errors, std::minus())));
    const auto farther = [](double x, double y) {
      const double distance = std::fabs(x - y);
      return std::isnan(distance) ? infinity : distance;
    };
    deviation = combined(combined(above, expected, farther), combined(below, expected, farther),
                         [](double x, double y) { return std::max(x, y); });
    // A pole lies between both ends of the interval if tan is lower at the upper end, or reciprocal is higher
    // there. The error then has no bound.
    const bool rises = emitted.function == "tan", falls = emitted.function == "reciprocal";
    if (rises || falls)
      deviation =
          combined(deviation, combined(above, below, std::minus()), [&](double distance, double rise) {
            return (rises ? rise < 0 : rise > 0) ? infinity : distance;
          });
    return allowNaN(errors);
  }

  // Sets the error bound to infinity where a sum may be infinite, because the result may then be NaN.
  Status allowNaN(const Tensor &errors) {
    if (std::ranges::none_of(errors.as<double>(), [](double x) { return std::isinf(x); }))
      return success();
    TILERIG_TRY(const Tensor moved, forms.moved(errors, sum, output, layerOperands));
    deviation = combined(deviation, moved, [](double x, double y) { return std::isinf(y) ? infinity : x; });
    return success();
  }

  // Error bound of each sum of products: half a step of each weight and of the bias, and half a unit in the
  // last place for each product and addition. To compute the bound, the layer is run in floats on the
  // magnitudes of its inputs, with these errors as weights and bias.
  Result<Tensor> errorsOfProducts() const {
    const compiler::LayerTensor &x = form.inputs[0], &w = form.inputs[1];
    TILERIG_TRY(const Tensor weightsOfModel, operand(w));
    TILERIG_TRY(const Tensor inputOfModel, operand(x));
    TILERIG_TRY(const Tensor weights, inLayerOrder(weightsOfModel, w.order));
    TILERIG_TRY(const Tensor input, inLayerOrder(inputOfModel, x.order));
    const auto depth = static_cast<double>(
        emitted.kind == "Conv" ? weights.elementCount() / static_cast<size_t>(weights.shape()[0])
                               : static_cast<size_t>(input.shape().back()));
    Operands magnitudes;
    magnitudes[x.name] = mapped(asDoubles(inputOfModel), [](double v) { return std::fabs(v); });
    TILERIG_TRY(magnitudes[w.name], inModelOrder(errorsOfWeights(weights, w.isConstant, depth), w.order));
    for (size_t i = 2; i < form.inputs.size(); ++i)
      if (form.inputs[i].role == "Bias") {
        TILERIG_TRY(magnitudes[form.inputs[i].name], errorsOfBias(form.inputs[i], emitted.inputs[i], depth));
      }
    TILERIG_TRY(magnitudes, forms.completed(std::move(magnitudes)));
    TILERIG_TRY(const Tensor all, forms.compute(sum, magnitudes));
    // If the magnitudes may overflow in fp32 while they are added in some order, the error has no bound.
    const double overflow = depth * halfUlpOfFloat * overflowOfFloat;
    return isOfIntegers ? asDoubles(all) : mapped(asDoubles(all), [&](double x) {
      return x < overflow ? x + 2 * depth * leastFloat : infinity;
    });
  }

  // Error bound of each weight, stored as float because there may be very many weights, and therefore rounded
  // upwards.
  Tensor errorsOfWeights(const Tensor &weights, bool areConstant, double depth) const {
    const compiler::LayerElement &type = emitted.inputs[1].element;
    const bool areRounded = areConstant && type != form.inputs[1].element;
    Tensor errors(DType::f32, weights.shape());
    const Tensor wide = weights.dtype() == DType::f32 ? weights : asDoubles(weights);
    const auto out = errors.mutableAs<float>();
    const HalfStep step(type);
    const double overflow = overflowOf(type);
    const auto fill = [&](auto from) {
      forEachChannel(type, weights.shape(), [&](size_t begin, size_t end, size_t channel) {
        for (size_t i = begin; i < end; ++i) {
          const auto real = static_cast<double>(from[i]);
          const double rounding = !areRounded                   ? 0
                                  : std::fabs(real) >= overflow ? infinity
                                                                : step(real, channel);
          const double error = rounding + 2 * depth * halfUlpOfFloat * std::fabs(real);
          out[i] = error > 0 ? nextAbove(static_cast<float>(error)) : 0;
        }
      });
    };
    if (wide.dtype() == DType::f32)
      fill(wide.as<float>());
    else
      fill(wide.as<double>());
    return errors;
  }

  Result<Tensor> errorsOfBias(const compiler::LayerTensor &its, const compiler::LayerTensor &mine,
                              double depth) const {
    TILERIG_TRY(const Tensor bias, operand(its));
    Tensor errors = asDoubles(bias);
    const compiler::LayerElement &x = emitted.inputs[0].element, &w = emitted.inputs[1].element;
    const auto of = errors.mutableAs<double>();
    const bool isRounded = mine.element != its.element;
    const HalfStep step(mine.element);
    for (size_t i = 0; i < of.size(); ++i) {
      double rounding = isRounded ? step(of[i]) : 0;
      if (isOfIntegers) // the real number that half a unit of the integer sum represents
        rounding = x.scales[0] * w.scales[w.scales.size() == 1 ? 0 : i] / 2;
      of[i] = rounding + depth * halfUlpOfFloat * std::fabs(of[i]);
    }
    return errors;
  }

  Result<Tensor> errorsOfElements(const Tensor &sums) const {
    Operands magnitudes = layerOperands;
    size_t count = 0;
    for (auto &[name, value] : magnitudes)
      if (value.dtype() <= DType::f64) {
        value = mapped(asDoubles(value), [](double v) { return std::fabs(v); });
        count = std::max(count, value.elementCount());
      }
    TILERIG_TRY(const Tensor all, forms.compute(sum, magnitudes));
    const double depth =
        std::max(static_cast<double>(count) / static_cast<double>(std::max<size_t>(sums.elementCount(), 1)),
                 windowSize());
    return mapped(asDoubles(all), [&](double x) {
      // `x` is the sum (or mean) of the magnitudes of the terms, `depth` the number of terms. No partial sum
      // is larger than x * depth.
      return x * depth < overflowOfFloat ? 2 * depth * (halfUlpOfFloat * std::fabs(x) + leastFloat)
                                         : infinity;
    });
  }

  // Number of elements that each window of a pooling layer adds; 1 for other layers.
  double windowSize() const {
    double size = 1;
    for (const onnx::AttributeProto &attribute : forms.maker(sum)->attribute())
      if (attribute.name() == "kernel_shape")
        for (const int64_t length : attribute.ints())
          size *= static_cast<double>(length);
    return size;
  }

  bool onlyMoves() const {
    return isOneOf(emitted.kind,
                   {"Reshape", "Transpose", "Expand", "Slice", "Gather", "Dilate", "MaxPool"}) &&
           onlyBounds() && emitted.inputs[0].element == result;
  }

  // The half steps whose sum is the error of rounding the result: of its stored type, unless the sum was already
  // rounded to that type.
  std::vector<HalfStep> roundingsOfResult() const {
    const bool isDone = isOfIntegers && !sum.empty() && !hasAddend() && middle == result && onlyBounds();
    const bool addsToRounded = isOfIntegers && hasAddend() && hasFunction() && forms.endsInAddition(output);
    std::vector<HalfStep> steps;
    if (isRoundedBefore())
      steps.emplace_back(form.outputs[0].element);
    if (!isDone)
      steps.emplace_back(result);
    if (addsToRounded)
      steps.emplace_back(*middle);
    return steps;
  }

  Result<RoundedLayer> compare(const Tensor &expected, const Tensor &got) const {
    RoundedLayer layer;
    layer.name = emitted.outputs[0].name;
    layer.kind = emitted.kind;
    layer.elements = expected.elementCount();
    if (expected.shape() != got.shape()) {
      layer.status = TensorStatus::shapeMismatch;
      layer.reason = fmt::format("the layer has shape {} in floats, but {} in its precision",
                                 showShape(expected.shape()), showShape(got.shape()));
      return layer;
    }
    TILERIG_TRY(const Tensor deviations, inLayerOrder(deviation, form.outputs[0].order));
    const auto should = expected.as<double>(), is = got.as<double>(), may = deviations.as<double>();
    double largest = 0;
    for (const double x : should)
      largest = std::isfinite(x) ? std::max(largest, std::fabs(x)) : largest;
    const bool exact = isExact || onlyMoves();
    const double ofArithmetic =
        // RowErrors.h has already bounded all errors of softmax and normalisation.
        isOfRows && onlyBounds() ? 0 : arithmeticShare * largest;
    const std::vector<HalfStep> roundings = roundingsOfResult();
    for (size_t i = 0; i < should.size(); ++i) {
      double bound = 0;
      if (!exact) {
        for (const HalfStep &step : roundings)
          bound += step(should[i]);
        bound = std::isinf(may[i]) ? infinity : may[i] + ofArithmetic + bound;
      }
      weigh(i, should[i], is[i], bound, layer);
    }
    if (layer.worst > 0)
      settle(should[layer.index], is[layer.index], layer);
    return layer;
  }

  void weigh(size_t index, double should, double is, double bound, RoundedLayer &layer) const {
    const bool overflows = std::isinf(is) && std::fabs(should) + bound >= overflowOf(result);
    if (nonFiniteAgree(should, is) || should == is || overflows || std::isinf(bound))
      return;
    const double error = std::isnan(should - is) ? infinity : std::fabs(should - is);
    const double share = bound > 0 ? error / bound : infinity;
    if (share <= layer.worst)
      return;
    layer.worst = share;
    layer.error = error, layer.bound = bound, layer.index = index;
  }

  void settle(double should, double is, RoundedLayer &layer) const {
    if (layer.worst <= 1)
      return;
    layer.status = TensorStatus::mismatch;
    if (!std::isfinite(is) && std::isfinite(should)) {
      layer.reason =
          fmt::format("element {} is {}; the same layer, computed in floats on the same operands, gives "
                      "{:.4g}",
                      layer.index,
                      std::isnan(is) ? "NaN"
                      : is > 0       ? "infinite"
                                     : "minus infinite",
                      should);
      return;
    }
    layer.reason =
        fmt::format("element {} differs by {:.4g} from the same layer, computed in floats on the same "
                    "operands; the layer's rounding points allow {:.4g}",
                    layer.index, layer.error, layer.bound);
  }

  const compiler::DescribedLayer &emitted, &form;
  const FloatForms &forms;
  const TensorMap &oracle;
  const std::string output; // name of the layer's result in the model of the layers in floats
  const compiler::LayerElement result;
  const bool isProduct, isOfIntegers;
  std::optional<compiler::LayerElement> middle;
  Operands layerOperands;
  bool isExact = false;
  // name of the tensor, in the layer's float model, that holds its sums or its softmax or normalisation; or
  // empty
  std::string sum;
  bool isOfRows = false;
  Tensor deviation; // bound of the result's error due to rounding of the sums
};

// The emitted layers in floats, by a key that identifies a layer in every precision.
class Forms {
public:
  explicit Forms(const std::vector<compiler::DescribedLayer> &layers) {
    for (const compiler::DescribedLayer &layer : layers)
      byKey[layer.key].push_back(&layer);
  }
  // Finds a given layer in the list of layers in floats, by its key, removes it from the list, and returns
  // it; null if it is not found. Layers of one node, such as the steps of an LSTM, can have the same key, in
  // different orders; a layer whose operands have the same roles and are constant alike is preferred.
  const compiler::DescribedLayer *take(const compiler::DescribedLayer &layer) {
    auto &all = byKey[layer.key];
    auto entry = std::ranges::find_if(
        all, [&](const compiler::DescribedLayer *form) { return haveLikeOperands(*form, layer); });
    if (entry == all.end())
      entry = all.begin();
    if (entry == all.end())
      return nullptr;
    const compiler::DescribedLayer *form = *entry;
    all.erase(entry);
    return form;
  }

private:
  static bool haveLikeOperands(const compiler::DescribedLayer &a, const compiler::DescribedLayer &b) {
    return std::ranges::equal(a.inputs, b.inputs,
                              [](const compiler::LayerTensor &left, const compiler::LayerTensor &right) {
                                return left.role == right.role && left.isConstant == right.isConstant;
                              });
  }

  std::map<std::string, std::vector<const compiler::DescribedLayer *>> byKey;
};

RoundedLayer refused(const compiler::DescribedLayer &layer, std::string reason) {
  RoundedLayer judged;
  judged.name = layer.outputs[0].name;
  judged.kind = layer.kind;
  judged.status = TensorStatus::missing;
  judged.reason = std::move(reason);
  return judged;
}

} // namespace

Result<std::vector<RoundedLayer>> judgeRounded(const CompiledModel &compiled, const std::string &name,
                                               const Expectation &expectation, reference::Threads &threads) {
  auto forms = FloatForms::of(compiled.layers, threads);
  if (!forms)
    return std::move(forms).error().within(name);
  Forms known(compiled.floatLayers);
  std::vector<RoundedLayer> judged;
  for (const compiler::DescribedLayer &layer : compiled.oracleLayers) {
    const compiler::DescribedLayer *form = known.take(layer);
    if (layer.onHost || (!form && layer.kind == "Convert"))
      continue;
    if (!form || form->inputs.size() != layer.inputs.size()) {
      judged.push_back(refused(layer, "the model compiled in floats has no corresponding layer"));
      continue;
    }
    auto one = RoundingJudge(layer, *form, *forms, expectation.oracle).judge();
    if (!one && one.error().kind != ErrorKind::unsupported)
      return std::move(one).error().within(name);
    judged.push_back(one ? *std::move(one) : refused(layer, one.error().message()));
  }
  return judged;
}

} // namespace tilerig::verify
