// Normalisation operators with mean and variance over an instance, a group of channels, a layer, or any axes.
//
// Statistics are computed in double (Moments.h) and rounded once to the type of the tensor; each element then
// becomes (x - mean) * factor + bias. For rows, the machine has a formula of its own (Functions.h).
#include "reference/Functions/Functions.h"
#include "reference/Ops/Axes.h"
#include "reference/Ops/Broadcast.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Normalising.h"
#include "reference/Ops/StridedCopy.h"
#include "reference/Run/Scratch.h"

#include <algorithm>
#include <optional>

namespace tilerig::reference {

namespace {

// A tensor viewed as images (elements of the batch) × channels (in groups) × elements of a channel.
struct Groups {
  int64_t images, channels, plane, groups;
};

// Normalises every group of every image (element of the batch) by the machine's formula; `gain` and `shift`
// have a factor and an addend for every element of an image.
void normaliseGroupsByMachine(const Groups &shape, float epsilon, const Scratch<float> &gain,
                              const Scratch<float> &shift, const float *x, float *y, Threads &threads) {
  int64_t size = shape.channels / shape.groups * shape.plane;
  threads.forEach(shape.groups, grainOf(size), [&](int64_t begin, int64_t end) {
    for (int64_t image = 0; image < shape.images; ++image) {
      int64_t at = (image * shape.groups + begin) * size;
      normaliseRows({size,
                     epsilon,
                     true,
                     {gain.data() + begin * size, size, 1},
                     {shift.data() + begin * size, size, 1}},
                    x + at, y + at, end - begin, nullptr, nullptr);
    }
  });
}

// Repeats `numbers`, of which there is one for each channel or each group, to one number for every element of
// an image (an element of the batch).
Scratch<float> forEachElement(const std::vector<double> &numbers, int64_t channels, int64_t plane) {
  Scratch<float> result(channels * plane);
  int64_t run = channels * plane / static_cast<int64_t>(numbers.size());
  for (int64_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<float>(numbers[static_cast<size_t>(i / run)]);
  return result;
}

// Normalises the groups of each image (element of the batch); a group is one of `groups` equal parts of the
// channels and, since its channels are contiguous, one run of elements. Scale and bias are per channel or
// else per group.
Status normaliseGroups(OpContext &context, int64_t groups, bool perChannel) {
  const Tensor &x = context.input(0);
  int64_t images = x.shape()[0], channels = x.shape()[1], plane = product(std::span(x.shape()).subspan(2));
  TILERIG_TRY(float epsilon, context.floatAttribute("epsilon", 1e-5f));
  TILERIG_TRY(std::vector<double> scale, parameters(context, 1, {perChannel ? channels : groups}));
  TILERIG_TRY(std::vector<double> bias, parameters(context, 2, {perChannel ? channels : groups}));
  int64_t members = channels / groups;
  if (passesEmpty(context))
    return success();
  return withFloats(context, [&]<class T>() -> Status {
    TILERIG_TRY(Tensor y, Tensor::makeUninitialised(x.dtype(), x.shape()));
    const T *from = x.as<T>().data();
    T *to = y.template mutableAs<T>().data();
    if constexpr (std::is_same_v<T, float>)
      if (context.arithmetic == Arithmetic::machine) {
        normaliseGroupsByMachine({images, channels, plane, groups}, epsilon,
                                 forEachElement(scale, channels, plane),
                                 forEachElement(bias, channels, plane), from, to, context.threads);
        context.outputs[0] = std::move(y);
        return success();
      }
    context.threads.forEach(images * groups, grainOf(members * plane), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Moments moments = momentsOf(Pieces<T>{from + i * members * plane, 1, 0, members * plane});
        double inverse = moments.inverseDeviation(epsilon);
        for (int64_t member = 0; member < members; ++member) {
          int64_t group = i % groups, at = (i * members + member) * plane;
          auto p = static_cast<size_t>(perChannel ? group * members + member : group);
          normaliseRun(from + at, plane, moments.mean, scale[p] * inverse, bias[p], to + at);
        }
      }
    });
    context.outputs[0] = std::move(y);
    return success();
  });
}

Status instanceNormalisation(OpContext &context) {
  const Shape &shape = context.input(0).shape();
  if (shape.size() < 3 || shape[1] == 0)
    return context.invalid(
        fmt::format("the input has shape {}, expected at least rank 3 and one channel", showShape(shape)));
  return normaliseGroups(context, shape[1], true);
}

// The operator GroupNormalization: scale and bias are per group in opset 18, and per channel since opset 21.
Status groupNormalisation(OpContext &context) {
  const Shape &shape = context.input(0).shape();
  TILERIG_TRY(int64_t groups, context.intAttribute("num_groups"));
  TILERIG_TRY(int64_t stash, context.intAttribute("stash_type", onnxNumber(DType::f32)));
  if (stash != onnxNumber(DType::f32))
    return context.notSupported(fmt::format("stash_type {} is not supported", stash),
                                "use stash_type 1, which is float32");
  if (shape.size() < 3 || groups < 1 || shape[1] == 0 || shape[1] % groups)
    return context.invalid(fmt::format("the channels of input shape {} cannot be divided into {} groups",
                                       showShape(shape), groups));
  return normaliseGroups(context, groups, context.opset() >= 21);
}

// Scale or bias of a layer normalisation, broadcast to the shape of the normalised axes or, if it varies
// along other axes, to the whole shape of the input.
struct Spread {
  Tensor tensor;
  bool perRow; // whether each normalised row has its own scales or biases; if false, all rows share them
};

Result<Spread> spreadOver(const OpContext &context, size_t index, const Shape &shape, size_t axis) {
  Tensor tensor = wide(context.input(index));
  if (tensor.dtype() != wide(context.input(0)).dtype())
    return context.invalid(fmt::format("input {} has type {}, but input 0 has type {}", index,
                                       nameOf(tensor.dtype()), nameOf(context.input(0).dtype())));
  Shape own = tensor.shape();
  bool perRow = false;
  for (size_t d = 0; d + (shape.size() - axis) < own.size(); ++d)
    perRow |= own[d] != 1;
  while (!perRow && own.size() > shape.size() - axis)
    own.erase(own.begin());
  Shape target(shape.begin() + (perRow ? 0 : static_cast<int64_t>(axis)), shape.end());
  TILERIG_TRY(Shape common, broadcastShape(context, std::array{target, own}));
  if (common != target)
    return context.invalid(fmt::format("input {} of shape {} cannot be broadcast to {}", index,
                                       showShape(context.input(index).shape()), showShape(shape)));
  TILERIG_TRY(tensor, tensor.reshaped(own));
  StridedView view{target, std::vector<int64_t>(target.size(), 0)};
  auto strides = tensor.strides();
  for (size_t d = 0; d < own.size(); ++d)
    if (own[d] != 1)
      view.strides[target.size() - own.size() + d] = strides[d];
  TILERIG_TRY(Tensor spread, stridedCopy(tensor, view, context.threads));
  return Spread{std::move(spread), perRow};
}

// The operators LayerNormalization, with `centred`, and RMSNormalization without, which subtracts no mean.
Status normaliseLayers(OpContext &context, bool centred) {
  const Shape &shape = context.input(0).shape();
  TILERIG_TRY(int64_t rawAxis, context.intAttribute("axis", -1));
  TILERIG_TRY(size_t axis, context.axis(rawAxis, shape.size()));
  TILERIG_TRY(float epsilon, context.floatAttribute("epsilon", 1e-5f));
  TILERIG_TRY(int64_t stash, context.intAttribute("stash_type", onnxNumber(DType::f32)));
  if (stash != onnxNumber(DType::f32))
    return context.notSupported(fmt::format("stash_type {} is not supported", stash),
                                "use stash_type 1, which is float32");
  TILERIG_TRY(Spread scale, spreadOver(context, 1, shape, axis));
  std::optional<Spread> bias;
  if (context.has(2)) {
    TILERIG_TRY(bias, spreadOver(context, 2, shape, axis));
  }
  const size_t inverse = centred ? 2 : 1; // the output with the inverse deviation
  if ((context.wants(1) || context.wants(2)) && context.input(0).elementCount() == 0)
    return context.invalid("the input has no elements, so its mean and deviation are not defined");
  if (passesEmpty(context))
    return success();
  int64_t rows = product(std::span(shape).first(axis)), size = product(std::span(shape).subspan(axis));
  Shape statistics = shape;
  std::fill(statistics.begin() + static_cast<int64_t>(axis), statistics.end(), 1);
  TILERIG_TRY(Tensor means, Tensor::make(DType::f32, statistics));
  TILERIG_TRY(Tensor inverses, Tensor::make(DType::f32, statistics));
  float *meanOf = means.mutableAs<float>().data(), *inverseOf = inverses.mutableAs<float>().data();
  DType type = context.input(0).dtype();
  Tensor x = wide(context.input(0));
  TILERIG_CHECK_OK(withFloats(context, x, [&]<class T>() -> Status {
    TILERIG_TRY(Tensor y, Tensor::makeUninitialised(x.dtype(), shape));
    const T *from = x.as<T>().data(), *factors = scale.tensor.as<T>().data();
    const T *addends = bias ? bias->tensor.template as<T>().data() : nullptr;
    T *to = y.template mutableAs<T>().data();
    context.threads.forEach(rows, grainOf(size), [&](int64_t begin, int64_t end) {
      if constexpr (std::is_same_v<T, float>)
        if (context.arithmetic == Arithmetic::machine) {
          RowNormalisation how{size, epsilon, centred, {factors, scale.perRow ? size : 0, 1}, {}};
          if (bias)
            how.shift = {addends, bias->perRow ? size : 0, 1};
          how.gain.data += begin * how.gain.rowStep;
          how.shift.data += begin * how.shift.rowStep;
          return normaliseRows(how, from + begin * size, to + begin * size, end - begin, meanOf + begin,
                               inverseOf + begin);
        }
      for (int64_t row = begin; row < end; ++row) {
        const Pieces<T> elements{from + row * size, 1, 0, size};
        const Moments moments = centred ? momentsOf(elements) : squareMomentsOf(elements);
        const double factorOfRow = moments.inverseDeviation(epsilon);
        meanOf[row] = static_cast<float>(moments.mean);
        inverseOf[row] = static_cast<float>(factorOfRow);
        normaliseRun<T>(from + row * size, size, moments.mean, factorOfRow, 0, to + row * size);
        const T *factor = factors + (scale.perRow ? row * size : 0);
        for (int64_t i = 0; i < size; ++i)
          to[row * size + i] *= factor[i];
        if (!bias)
          continue;
        const T *addend = addends + (bias->perRow ? row * size : 0);
        for (int64_t i = 0; i < size; ++i)
          to[row * size + i] += addend[i];
      }
    });
    context.outputs[0] = narrow(std::move(y), type);
    return success();
  }));
  if (centred && context.wants(1))
    context.outputs[1] = std::move(means);
  if (context.wants(inverse))
    context.outputs[inverse] = std::move(inverses);
  return success();
}

Status layerNormalisation(OpContext &context) { return normaliseLayers(context, true); }
Status rmsNormalisation(OpContext &context) { return normaliseLayers(context, false); }

// The operator MeanVarianceNormalization: (x - mean) / (deviation + 1e-9), both taken over the given axes.
Status meanVarianceNormalisation(OpContext &context) {
  const Tensor &x = context.input(0);
  TILERIG_TRY(std::vector<int64_t> axes, context.intsAttribute("axes", std::vector<int64_t>{0, 2, 3}));
  std::vector<bool> reduced(x.rank(), false);
  for (int64_t raw : axes) {
    TILERIG_TRY(size_t axis, context.axis(raw, x.rank()));
    reduced[axis] = true;
  }
  ReductionShape shape(x.shape(), reduced);
  if (passesEmpty(context))
    return success();
  return withFloats(context, [&]<class T>() -> Status {
    TILERIG_TRY(Tensor y, Tensor::makeUninitialised(x.dtype(), x.shape()));
    const T *from = x.as<T>().data();
    T *to = y.template mutableAs<T>().data();
    context.threads.forEach(
        shape.kept, grainOf(shape.reduced * shape.inner), [&](int64_t begin, int64_t end) {
          Scratch<double> means(shape.inner), squares(shape.inner);
          // Calls each(i, offset) for the elements of the input that belong to index `kept` along the outer
          // axes, over which no mean is taken. Here, `i` is the index of the element's mean in `means`, and
          // `offset` is the index of the element in the input.
          auto forAll = [&](int64_t kept, auto each) {
            for (int64_t r = 0; r < shape.reduced; ++r) {
              int64_t at = shape.keptOffset(kept) + shape.reducedOffset(r);
              for (int64_t i = 0; i < shape.inner; ++i)
                each(i, at + i);
            }
          };
          auto count = static_cast<double>(shape.reduced);
          for (int64_t kept = begin; kept < end; ++kept) {
            std::fill(means.begin(), means.end(), 0);
            std::fill(squares.begin(), squares.end(), 0);
            forAll(kept, [&](int64_t i, int64_t at) { means[i] += static_cast<double>(from[at]) / count; });
            forAll(kept, [&](int64_t i, int64_t at) {
              double away = static_cast<double>(from[at]) - means[i];
              squares[i] += away * away;
            });
            forAll(kept, [&](int64_t i, int64_t at) {
              double away = static_cast<double>(from[at]) - means[i];
              to[at] = static_cast<T>(away / (std::sqrt(squares[i] / count) + 1e-9));
            });
          }
        });
    context.outputs[0] = std::move(y);
    return success();
  });
}

// The operator LpNormalization: x divided by the norm along an axis, or 0 where the norm is 0.
Status lpNormalisation(OpContext &context) {
  const Tensor &x = context.input(0);
  TILERIG_TRY(int64_t rawAxis, context.intAttribute("axis", -1));
  TILERIG_TRY(int64_t p, context.intAttribute("p", 2));
  TILERIG_TRY(size_t axis, context.axis(rawAxis, x.rank()));
  if (p != 1 && p != 2)
    return context.invalid(fmt::format("attribute p is {}, expected 1 or 2", p));
  AxisSplit split(x.shape(), axis);
  if (passesEmpty(context))
    return success();
  return withFloats(context, [&]<class T>() -> Status {
    TILERIG_TRY(Tensor y, Tensor::makeUninitialised(x.dtype(), x.shape()));
    const T *from = x.as<T>().data();
    T *to = y.template mutableAs<T>().data();
    context.threads.forEach(split.outer, grainOf(split.size * split.inner), [&](int64_t begin, int64_t end) {
      std::vector<double> norms(static_cast<size_t>(split.inner));
      for (int64_t outer = begin; outer < end; ++outer) {
        const T *first = from + outer * split.size * split.inner;
        T *result = to + outer * split.size * split.inner;
        std::fill(norms.begin(), norms.end(), 0);
        for (int64_t i = 0; i < split.size * split.inner; ++i) {
          auto element = static_cast<double>(first[i]);
          norms[static_cast<size_t>(i % split.inner)] += p == 1 ? std::abs(element) : element * element;
        }
        for (double &norm : norms)
          norm = p == 1 ? norm : std::sqrt(norm);
        for (int64_t i = 0; i < split.size * split.inner; ++i) {
          double norm = norms[static_cast<size_t>(i % split.inner)];
          result[i] = norm == 0 ? T(0) : static_cast<T>(static_cast<double>(first[i]) / norm);
        }
      }
    });
    context.outputs[0] = std::move(y);
    return success();
  });
}

} // namespace

std::span<const OpEntry> normalisationOps() {
  static constexpr OpEntry entries[] = {
      {"InstanceNormalization", 1, 3, 3, instanceNormalisation},
      {"GroupNormalization", 18, 3, 3, groupNormalisation},
      {"LayerNormalization", 17, 2, 3, layerNormalisation, HalfFloats::native},
      {"MeanVarianceNormalization", 9, 1, 1, meanVarianceNormalisation},
      {"LpNormalization", 1, 1, 1, lpNormalisation},
      {"RMSNormalization", 23, 2, 2, rmsNormalisation, HalfFloats::native},
      // ONNX Runtime's optimiser writes this operator in ONNX's own domain.
      {"SimplifiedLayerNormalization", 1, 2, 2, rmsNormalisation, HalfFloats::native},
      {"SimplifiedLayerNormalization", 1, 2, 2, rmsNormalisation, HalfFloats::native, "com.microsoft"},
  };
  return entries;
}

} // namespace tilerig::reference
