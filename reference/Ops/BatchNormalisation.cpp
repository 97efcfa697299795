// The operator BatchNormalization, with given statistics or with those of the batch.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Normalising.h"

namespace tilerig::reference {

namespace {

// A tensor viewed as batch × channels × plane, where a plane is one channel of one element of the batch.
struct Planes {
  int64_t images, channels, plane;
};

// Shape of the statistics, one per channel. Before opset 9, `spatial` = 0 makes every element of an image a
// channel of its own.
struct BatchShape {
  Planes planes;
  Shape parameters;
};

Result<BatchShape> batchShape(const OpContext &context) {
  const Shape &shape = context.input(0).shape();
  TILERIG_TRY(int64_t spatial, context.intAttribute("spatial", 1));
  if (shape.empty())
    return context.invalid("the input is a scalar, expected a tensor with a batch axis");
  if (context.opset() < 9 && !spatial) {
    Shape image(shape.begin() + 1, shape.end());
    return BatchShape{{shape[0], product(image), 1}, image};
  }
  if (shape.size() == 1)
    return BatchShape{{shape[0], 1, 1}, {1}};
  return BatchShape{{shape[0], shape[1], product(std::span(shape).subspan(2))}, {shape[1]}};
}

// Whether the statistics are those of the batch: from opset 14 on an attribute says so; from 7 on it depends
// on the requested outputs; before that on attribute is_test.
Result<bool> isTraining(const OpContext &context) {
  if (context.opset() >= 14) {
    TILERIG_TRY(int64_t training, context.intAttribute("training_mode", 0));
    return training != 0;
  }
  if (context.opset() < 7) {
    TILERIG_TRY(int64_t test, context.intAttribute("is_test", 0));
    return test == 0;
  }
  return context.wants(1) || context.wants(2) || context.wants(3) || context.wants(4);
}

template <class T>
std::vector<Moments> batchMoments(const Planes &shape, const T *x, Threads &threads) {
  std::vector<Moments> result(static_cast<size_t>(shape.channels));
  threads.forEach(shape.channels, grainOf(shape.images * shape.plane), [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c)
      result[static_cast<size_t>(c)] =
          momentsOf(Pieces<T>{x + c * shape.plane, shape.images, shape.channels * shape.plane, shape.plane});
  });
  return result;
}

// Stores a mean or variance as output number `output`, converted to the type of input number `like`.
template <class F>
void putStatistic(OpContext &context, size_t output, size_t like, size_t count, F valueAt) {
  if (!context.wants(output))
    return;
  DType type = context.input(like).dtype();
  Tensor tensor(type == DType::f64 ? DType::f64 : DType::f32, context.input(like).shape());
  for (size_t i = 0; i < count; ++i)
    if (type == DType::f64)
      tensor.mutableAs<double>()[i] = valueAt(i);
    else
      tensor.mutableAs<float>()[i] = static_cast<float>(valueAt(i));
  context.outputs[output] = narrow(std::move(tensor), type);
}

// Outputs the new running statistics, a mean of the old ones and those of the batch, weighted by the
// momentum; before opset 14, also outputs the statistics of the batch.
Status putStatistics(OpContext &context, const std::vector<Moments> &batch, const std::vector<double> &mean,
                     const std::vector<double> &variance) {
  TILERIG_TRY(float momentum, context.floatAttribute("momentum", 0.9f));
  auto moved = [=](double from, double to) {
    return from * static_cast<double>(momentum) + to * (1 - static_cast<double>(momentum));
  };
  putStatistic(context, 1, 3, batch.size(), [&](size_t i) { return moved(mean[i], batch[i].mean); });
  putStatistic(context, 2, 4, batch.size(), [&](size_t i) { return moved(variance[i], batch[i].variance); });
  if (context.opset() < 14) {
    putStatistic(context, 3, 3, batch.size(), [&](size_t i) { return batch[i].mean; });
    putStatistic(context, 4, 4, batch.size(), [&](size_t i) { return batch[i].variance; });
  }
  return success();
}

Status batchNormalisation(OpContext &context) {
  TILERIG_TRY(BatchShape shape, batchShape(context));
  TILERIG_TRY(float epsilon, context.floatAttribute("epsilon", 1e-5f));
  TILERIG_TRY(bool training, isTraining(context));
  TILERIG_TRY(std::vector<double> scale, parameters(context, 1, shape.parameters));
  TILERIG_TRY(std::vector<double> bias, parameters(context, 2, shape.parameters));
  TILERIG_TRY(std::vector<double> mean, parameters(context, 3, shape.parameters));
  TILERIG_TRY(std::vector<double> variance, parameters(context, 4, shape.parameters));
  if (!training && (context.wants(1) || context.wants(2)))
    return context.invalid("the outputs running_mean and running_var need attribute training_mode = 1");
  DType type = context.input(0).dtype();
  if (training && context.input(0).elementCount() == 0)
    return context.invalid("the batch is empty, so its mean and variance are not defined");
  if (passesEmpty(context))
    return success();
  const Planes &planes = shape.planes;
  Tensor x = wide(context.take(0)); // if no other node reads the input, the result overwrites it
  return withFloats(context, x, [&]<class T>() -> Status {
    T *elements = x.mutableAs<T>().data();
    std::vector<Moments> moments;
    if (training) {
      moments = batchMoments<T>(planes, elements, context.threads);
      TILERIG_CHECK_OK(putStatistics(context, moments, mean, variance));
    } else {
      for (size_t i = 0; i < mean.size(); ++i)
        moments.push_back({mean[i], variance[i]});
    }
    context.threads.forEach(planes.images * planes.channels, grainOf(planes.plane),
                            [&](int64_t begin, int64_t end) {
                              for (int64_t i = begin; i < end; ++i) {
                                auto c = static_cast<size_t>(i % planes.channels);
                                T *run = elements + i * planes.plane;
                                normaliseRun(run, planes.plane, moments[c].mean,
                                             scale[c] * moments[c].inverseDeviation(epsilon), bias[c], run);
                              }
                            });
    context.outputs[0] = narrow(std::move(x), type);
    return success();
  });
}

// Expresses a batch normalisation with constant statistics as a step that the operator before it can apply to
// its own results (operator fusion).
std::optional<FinishStep> batchNormalisationStep(const OpContext &context) {
  auto spatial = context.intAttribute("spatial", 1);
  auto epsilon = context.floatAttribute("epsilon", 1e-5f);
  auto training = isTraining(context);
  if (!spatial || !*spatial || !epsilon || !training || *training || context.wants(1) || context.wants(2))
    return std::nullopt;
  std::vector<std::vector<double>> values;
  for (size_t i = 1; i < 5; ++i) {
    auto of = parameters(context, i, {static_cast<int64_t>(context.input(1).elementCount())});
    if (!of)
      return std::nullopt;
    values.push_back(std::move(*of));
  }
  FinishStep step;
  for (size_t c = 0; c < values[0].size(); ++c) {
    const double factor = values[0][c] * Moments{values[2][c], values[3][c]}.inverseDeviation(*epsilon);
    step.channels.push_back(
        {static_cast<float>(values[2][c]), static_cast<float>(factor), static_cast<float>(values[1][c])});
  }
  return step;
}

} // namespace

std::span<const OpEntry> batchNormalisationOps() {
  static constexpr OpEntry entries[] = {
      {"BatchNormalization", 1, 5, 5, batchNormalisation, HalfFloats::native, {}, batchNormalisationStep},
  };
  return entries;
}

} // namespace tilerig::reference
