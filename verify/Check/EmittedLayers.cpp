#include "verify/Check/EmittedLayers.h"

#include "isa/Base/Support/Heap.h"
#include "reference/Model/Load.h"
#include "verify/Check/ConstantRoundings.h"
#include "verify/Check/GivenTensors.h"
#include "verify/Check/InnerRoundings.h"
#include "verify/Check/OriginalInDoubles.h"
#include "verify/Check/ReferenceRun.h"
#include "verify/Check/Rounding.h"
#include "verify/Check/RowErrors.h"
#include "verify/Check/SourceModel.h"
#include "verify/Check/StoredTensors.h"
#include "verify/Check/TensorSources.h"
#include "verify/Check/WidenHalves.h"
#include "verify/Metrics/Compare.h"
#include "verify/Metrics/Element.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <functional>
#include <map>

namespace tilerig::verify {

namespace {

// Accepted error of a layer computed in floats, as a fraction of the largest element of the original model's
// tensor. Reordered additions and fused multiply-adds cause smaller errors.
constexpr double floatTolerance = 1e-4;

// The emitted layers, without roundings to 16-bit floats. Their constants refer to the message of `compiled`.
Result<reference::Model> readLayers(const CompiledModel &compiled, const std::string &place) {
  const std::shared_ptr<const onnx::ModelProto> notOwned(std::shared_ptr<void>(), &compiled.layers);
  TILERIG_TRY(reference::Model read, reference::modelOf(notOwned, place, ""));
  widenHalves(read);
  return read;
}

// Returns those tensors of the emitted layers that the original model has, too, with the same type and shape.
// Their values are the original model's.
Result<TensorMap> commonTensors(reference::Model layers, const TensorMap &inputs, const TensorMap &truth,
                                reference::Threads &threads) {
  TILERIG_TRY(const ReferenceRun run,
              ReferenceRun::load(std::move(layers), reference::Arithmetic::machine, threads));
  TILERIG_TRY(const TensorMap values, run.run(inputs));
  TensorMap common;
  for (const NamedTensor &value : values) {
    const Tensor *there = inputs.find(value.name) ? nullptr : truth.find(value.name);
    if (there && there->dtype() == value.tensor.dtype() && there->shape() == value.tensor.shape())
      TILERIG_CHECK_OK(common.add(value.name, *there));
  }
  return common;
}

// The results of layers that are quantised with one scale for all elements, by the tensor's name.
using Quantised = std::map<std::string, const compiler::LayerTensor *>;
Quantised quantisedIn(const std::vector<compiler::DescribedLayer> &layers) {
  Quantised tensors;
  for (const compiler::DescribedLayer &layer : layers)
    for (const compiler::LayerTensor &output : layer.outputs)
      if (output.element.scales.size() == 1)
        tensors[output.name] = &output;
  return tensors;
}

bool isFloat(DType type) {
  return type == DType::f32 || type == DType::f64 || type == DType::f16 || type == DType::bf16;
}

// The largest accepted error of an element. 8-bit integers may be off by one, because a sum that is nearly
// halfway between two integers may be rounded to either.
double boundFor(const Tensor &truth, double largest, double step) {
  if (isFloat(truth.dtype()))
    return floatTolerance * largest + step;
  return truth.dtype() == DType::i8 || truth.dtype() == DType::u8 ? 1 : 0;
}

// Compares the result of an emitted layer with the same tensor of the original model (`truth`). `step` is the
// quantisation step if the emitted layer computes integers, else 0.
EmittedLayer judge(const std::string &name, const Tensor &truth, const Tensor &emitted, double step,
                   unsigned threads) {
  EmittedLayer layer{
      name, {}, compareTensors(truth, emitted, {.limits = {}, .acrossTypes = true, .threads = threads}), 0};
  Comparison &comparison = layer.comparison;
  const TensorStatus status = comparison.status;
  if (status == TensorStatus::shapeMismatch || status == TensorStatus::dtypeMismatch ||
      status == TensorStatus::nonFinite)
    return layer;
  layer.bound = boundFor(truth, comparison.largestReference, step);
  const bool isWithin = comparison.maxAbs <= layer.bound;
  comparison.status = isWithin ? TensorStatus::match : TensorStatus::mismatch;
  comparison.reason =
      isWithin
          ? ""
          : fmt::format("the emitted layer differs by up to {:.4g} from the original model; another order "
                        "of additions explains at most {:.4g}",
                        comparison.maxAbs, layer.bound);
  return layer;
}

// Judges once more a layer whose error exceeds its bound. The bound of each element is raised by an error
// that is known to be harmless (`errors`).
void excuse(const Tensor &truth, const Tensor &emitted, const Tensor &errors, EmittedLayer &layer) {
  const Tensor wanted = asDoubles(truth), actual = asDoubles(emitted), allowed = asDoubles(errors);
  if (allowed.shape() != wanted.shape() || actual.shape() != wanted.shape())
    return;
  const auto should = wanted.as<double>(), is = actual.as<double>(), may = allowed.as<double>();
  double magnitude = 0, largest = 0;
  for (size_t i = 0; i < should.size(); ++i)
    if (std::isfinite(should[i]) && std::isfinite(may[i]))
      magnitude = std::max(magnitude, std::fabs(should[i]));
  const double bound = boundFor(truth, magnitude, 0);
  for (size_t i = 0; i < should.size(); ++i) {
    if (std::isinf(may[i]) || nonFiniteAgree(should[i], is[i]))
      continue;
    if (!(std::fabs(should[i] - is[i]) <= bound + may[i]))
      return;
    largest = std::max(largest, may[i]);
  }
  layer.bound = bound + largest;
  layer.comparison.status = TensorStatus::match;
  layer.comparison.reason.clear();
}

// Computes a tensor that holds sums, but replaces each element that may overflow in fp32 (for some order of
// the additions) by the number `instead`.
Result<Tensor> sumUnlessItOverflows(const FloatForms &forms, const std::string &sum, const Operands &operands,
                                    double instead) {
  Operands magnitudes;
  double depth = 1;
  for (const std::string &input : forms.maker(sum)->input()) {
    TILERIG_TRY(const Tensor value,
                input.empty() ? Result<Tensor>(Tensor()) : forms.compute(input, operands));
    if (input.empty() || !isFloat(value.dtype()))
      continue;
    Tensor magnitude = asDoubles(value);
    for (double &x : magnitude.mutableAs<double>())
      x = std::fabs(x);
    depth = std::max(depth, static_cast<double>(magnitude.elementCount()));
    magnitudes[input] = std::move(magnitude);
  }
  TILERIG_TRY(const Tensor computed, forms.compute(sum, operands));
  TILERIG_TRY(const Tensor sums, forms.compute(sum, magnitudes));
  const std::string &kind = forms.maker(sum)->op_type();
  const bool isMean = kind == "ReduceMean" || kind == "AveragePool" || kind == "GlobalAveragePool";
  Tensor result = asDoubles(computed);
  std::ranges::transform(result.as<double>(), sums.as<double>(), result.mutableAs<double>().begin(),
                         [&](double x, double magnitude) {
                           return magnitude * (isMean ? depth : 1) < overflowOfFloat / 2 ? x : instead;
                         });
  return result;
}

// Error bound of each element of a tensor: infinite where the element depends on a sum that may overflow
// while its terms are added, else 0. Empty if there is no sum.
Result<std::optional<Tensor>> overflows(const FloatForms &forms, const std::string &tensor,
                                        const Operands &operands) {
  const std::vector<std::string> sums = forms.sumsOn(tensor, operands);
  if (sums.empty())
    return std::optional<Tensor>();
  TILERIG_TRY(const Tensor computed, forms.compute(tensor, operands));
  const Tensor usual = asDoubles(computed);
  Tensor errors(DType::f64, usual.shape());
  const auto infinite = errors.mutableAs<double>();
  for (const double instead : {HUGE_VAL, -HUGE_VAL, static_cast<double>(NAN)}) {
    Operands changedOperands = operands;
    for (const std::string &sum : sums) {
      TILERIG_TRY(changedOperands[sum], sumUnlessItOverflows(forms, sum, changedOperands, instead));
    }
    TILERIG_TRY(const Tensor other, forms.compute(tensor, changedOperands));
    const Tensor unusual = asDoubles(other);
    for (size_t i = 0; i < infinite.size(); ++i)
      if (!nonFiniteAgree(usual.as<double>()[i], unusual.as<double>()[i]))
        infinite[i] = HUGE_VAL;
  }
  return std::optional(std::move(errors));
}

// Error bound of each element of a layer with a function such as x * sigmoid(x). The bound is infinite where
// the original model computes -Inf * 0 = NaN, because the layer returns the function's limit there; elsewhere
// it is 0. Empty if the layer has no such function.
Result<std::optional<Tensor>> limits(const FloatForms &forms, const std::string &tensor,
                                     const Operands &operands) {
  static const std::set<std::string> functions = {"Gelu", "HardSwish", "Mish", "Swish"};
  const std::string gated = forms.firstOn(
      tensor, operands, [](const onnx::NodeProto &node) { return functions.contains(node.op_type()); });
  if (gated.empty())
    return std::optional<Tensor>();
  TILERIG_TRY(const Tensor input, forms.compute(forms.maker(gated)->input(0), operands));
  Tensor errors = asDoubles(input);
  for (double &x : errors.mutableAs<double>())
    x = std::fabs(x) >= overflowOfFloat / 8 ? HUGE_VAL : 0;
  TILERIG_TRY(Tensor moved, forms.moved(errors, gated, tensor, operands));
  return std::optional(std::move(moved));
}

bool isOff(const EmittedLayer &layer) {
  return layer.comparison.status == TensorStatus::mismatch ||
         layer.comparison.status == TensorStatus::nonFinite;
}

// Adds two error bounds of the same element. A bound that is NaN is ignored.
double bothErrors(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : a + b; }

// For a layer whose error exceeds its bound, allows the errors of known harmless causes, one cause after
// another, until the layer counts as right or no cause is left.
Status excuseKnown(const FloatForms &forms, const Operands &operands, const Tensor &truth,
                   const Tensor &emitted, EmittedLayer &layer) {
  std::optional<Tensor> sum; // sum of the error bounds of all known causes of errors
  for (const auto known : {constantRoundings, rowErrors, overflows, limits}) {
    if (!isOff(layer))
      return success();
    TILERIG_TRY(auto errors, known(forms, layer.name, operands));
    if (!errors)
      continue;
    Tensor more = asDoubles(*errors);
    if (sum && sum->shape() == more.shape())
      std::ranges::transform(sum->as<double>(), more.as<double>(), more.mutableAs<double>().begin(),
                             bothErrors);
    sum = std::move(more);
    excuse(truth, emitted, *sum, layer);
  }
  return success();
}

// The expected value of each element: the original model's value in fp32 or in fp64, whichever is nearer to
// the emitted layer's value. The value in fp64 is needed where the original model overflows in fp32 and the
// emitted layer does not, because the compiler folded a product into weights.
Tensor truthOrInDoubles(const Tensor &truth, const Tensor &inDoubles, const Tensor &emitted) {
  Tensor nearest = asDoubles(truth);
  const Tensor wideTensor = asDoubles(inDoubles), emittedTensor = asDoubles(emitted);
  const auto wide = wideTensor.as<double>(), actual = emittedTensor.as<double>();
  const auto expected = nearest.mutableAs<double>();
  for (size_t i = 0; i < expected.size(); ++i) {
    const double rounded = std::fabs(wide[i]) < overflowOfFloat ? wide[i] : wide[i] * HUGE_VAL;
    const bool isNearer =
        !std::isfinite(expected[i]) || std::fabs(rounded - actual[i]) < std::fabs(expected[i] - actual[i]);
    if (isNearer && !nonFiniteAgree(expected[i], actual[i]))
      expected[i] = rounded;
  }
  return nearest;
}

// Judges again the layers that count as wrong, with the original model's values in fp64. A layer that matches
// these values counts as right.
Status excuseOverflow(const FloatForms &forms, const std::function<Operands(const std::string &)> &operandsOf,
                      const TensorMap &truth, const TensorMap &inDoubles, const TensorMap &emitted,
                      unsigned threads, std::vector<EmittedLayer> &layers) {
  for (EmittedLayer &layer : layers) {
    const Tensor *should = truth.find(layer.name), *wide = inDoubles.find(layer.name);
    const Tensor &is = *emitted.find(layer.name);
    if (!isOff(layer) || !should || !wide || !isFloat(is.dtype()) || wide->shape() != should->shape() ||
        should->elementCount() != is.elementCount())
      continue;
    const Tensor nearest = truthOrInDoubles(paddedTo(*should, is.shape()), paddedTo(*wide, is.shape()), is);
    EmittedLayer other = judge(layer.name, nearest, is, 0, threads);
    TILERIG_CHECK_OK(excuseKnown(forms, operandsOf(layer.name), nearest, is, other));
    if (other.comparison.status != TensorStatus::match)
      continue;
    layer.bound = other.bound;
    layer.comparison.status = TensorStatus::match;
    layer.comparison.reason.clear();
  }
  return success();
}

// Compares integers that an emitted layer computes with real numbers of the original model, by converting the
// integers to the real numbers that they represent.
Result<EmittedLayer> judgeAs(const compiler::LayerTensor &described, const Tensor &truth,
                             const Tensor &integers, unsigned threads) {
  TILERIG_TRY(const Tensor inOrder, inLayerOrder(integers, described.order));
  TILERIG_TRY(const Tensor reals, inModelOrder(realsOf(inOrder, described.element), described.order));
  return judge(described.name, truth, reals, described.element.scales[0], threads);
}

// Runs the layers, each on the given tensors where it reads them.
Result<TensorMap> runOnGiven(reference::Model layers, TensorMap inputs, const TensorMap &given,
                             reference::Threads &threads) {
  TILERIG_TRY(const TensorMap read, readGiven(layers.graph, given));
  for (const NamedTensor &tensor : read)
    TILERIG_CHECK_OK(inputs.add(tensor.name, tensor.tensor));
  TILERIG_TRY(const ReferenceRun run,
              ReferenceRun::load(std::move(layers), reference::Arithmetic::machine, threads));
  return run.run(inputs);
}

} // namespace

Result<std::vector<EmittedLayer>> judgeEmitted(const CompiledModel &compiled, const SourceModel &source,
                                               const TensorMap &inputs, const TensorMap &truth,
                                               reference::Threads &threads) {
  const std::string place = source.name() + " (layers)";
  const onnx::ModelProto &layers = compiled.layers;
  const TensorMap reals = withoutHalves(inputs);
  TILERIG_TRY(const reference::Model model, readLayers(compiled, place));
  TILERIG_TRY(const TensorMap common, commonTensors(model, reals, truth, threads));
  TILERIG_TRY(const TensorMap emitted, runOnGiven(model, reals, common, threads));
  returnFreedMemory(); // of the two interpreters, which pack the weights
  std::set<std::string> names;
  for (const NamedTensor &tensor : common)
    names.insert(tensor.name);

  TILERIG_TRY(const FloatForms forms, FloatForms::of(layers, threads));
  const auto operandsOf = [&](const std::string &tensor) {
    Operands operands;
    for (const TensorMap *values : {&inputs, &common})
      for (const NamedTensor &value : *values)
        if (value.name != tensor)
          operands[value.name] = value.tensor;
    return operands;
  };

  TensorSources sources = sourcesOf(layers.graph(), names);
  const Quantised quantised = quantisedIn(compiled.floatLayers);
  std::vector<EmittedLayer> judged;
  for (const onnx::NodeProto &node : layers.graph().node())
    for (const std::string &output : node.output()) {
      const Tensor *should = truth.find(output), *is = emitted.find(output);
      if (!should || !is)
        continue;
      const auto integers = quantised.find(output);
      if (integers != quantised.end() && isFloat(should->dtype()) && !isFloat(is->dtype())) {
        TILERIG_TRY(EmittedLayer layer, judgeAs(*integers->second, *should, *is, threads.count()));
        judged.push_back(std::move(layer));
      } else {
        judged.push_back(judge(output, paddedTo(*should, is->shape()), *is, 0, threads.count()));
        if (isFloat(should->dtype())) {
          TILERIG_CHECK_OK(excuseKnown(forms, operandsOf(output), *should, *is, judged.back()));
        } else if (isOff(judged.back())) {
          TILERIG_TRY(const auto errors, innerRoundings(forms, output, operandsOf(output)));
          if (errors)
            excuse(*should, *is, *errors, judged.back());
        }
      }
      judged.back().sources = std::move(sources[output]);
    }
  if (std::ranges::any_of(judged, isOff)) {
    // Compares layers that count as wrong with the original model in fp64, unless fp64 needs too much memory
    // or an operator does not support it.
    if (const auto inDoubles = originalInDoubles(source, inputs, common, threads))
      TILERIG_CHECK_OK(
          excuseOverflow(forms, operandsOf, truth, *inDoubles, emitted, threads.count(), judged));
  }
  return judged;
}

} // namespace tilerig::verify
