// ONNX Runtime's normalisations that add several tensors first: SkipLayerNormalization,
// SkipSimplifiedLayerNormalization and EmbedLayerNormalization. Statistics are computed in double; sums and results
// are rounded to the type of the tensor.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Normalising.h"
#include "reference/Run/Scratch.h"

#include <optional>

namespace tilerig::reference {

namespace {

// Normalises rows of one size and scales them; a null `shift` means none.
template <class T>
struct RowNorm {
  int64_t size;
  double epsilon;
  bool centred;
  const T *gain, *shift;

  Moments apply(const T *x, T *y) const {
    const Pieces<T> elements{x, 1, 0, size};
    const Moments moments = centred ? momentsOf(elements) : squareMomentsOf(elements);
    const double inverse = inverseOf(moments);
    for (int64_t i = 0; i < size; ++i) {
      const double normalised = (static_cast<double>(x[i]) - moments.mean) * inverse;
      y[i] = static_cast<T>(normalised * static_cast<double>(gain[i]) +
                            (shift ? static_cast<double>(shift[i]) : 0.0));
    }
    return moments;
  }
  double inverseOf(const Moments &moments) const { return 1 / std::sqrt(moments.variance + epsilon); }
};

Status checkVector(const OpContext &context, size_t index, int64_t size) {
  const Tensor &tensor = context.input(index);
  if (tensor.shape() != Shape{size})
    return context.invalid(
        fmt::format("input {} has shape {}, expected [{}], the size of the last axis of input 0", index,
                    showShape(tensor.shape()), size));
  return success();
}

Status checkTypes(const OpContext &context, size_t first, std::initializer_list<size_t> others) {
  for (const size_t index : others)
    if (context.has(index) && context.input(index).dtype() != context.input(first).dtype())
      return context.invalid(fmt::format("input {} has type {}, but input {} has type {}", index,
                                         nameOf(context.input(index).dtype()), first,
                                         nameOf(context.input(first).dtype())));
  return success();
}

// The optional results of a normalisation of rows: mean and inverse deviation of each row, and the rows.
struct RowResults {
  Tensor y, means, inverses, sums;

  static Result<RowResults> make(DType type, const Shape &shape) {
    Shape statistics = shape;
    statistics.back() = 1;
    RowResults results;
    TILERIG_TRY(results.y, Tensor::makeUninitialised(type, shape));
    TILERIG_TRY(results.sums, Tensor::makeUninitialised(type, shape));
    TILERIG_TRY(results.means, Tensor::make(DType::f32, statistics));
    TILERIG_TRY(results.inverses, Tensor::make(DType::f32, statistics));
    return results;
  }
};

// The inputs of SkipLayerNormalization by their numbers; the simplified operator has no beta.
struct SkipInputs {
  bool centred;
  size_t gamma = 2;
  std::optional<size_t> beta;
  size_t bias;
};

// Whether `skip` has the shape of the input, of which it may lack the first axis or have 1 there.
bool fitsSkip(const Shape &input, const Shape &skip) {
  if (skip == input)
    return true;
  if (input.size() != 3)
    return false;
  const Shape rest(input.begin() + 1, input.end());
  return skip == rest || skip == Shape{1, rest[0], rest[1]};
}

// 16-bit floats are widened here, as mean and inverse deviation are float32 whatever the type of the input is.
Status skipNormalisation(OpContext &context, const SkipInputs &inputs) {
  const auto floats = [&](std::optional<size_t> index) {
    return index && context.has(*index) ? wide(context.input(*index)) : Tensor();
  };
  const DType type = context.input(0).dtype();
  const Tensor x = floats(0), skip = floats(1), gamma = floats(inputs.gamma), beta = floats(inputs.beta),
               addends = floats(inputs.bias);
  const Shape &shape = x.shape();
  if (shape.size() != 2 && shape.size() != 3)
    return context.invalid(fmt::format("the input has shape {}, expected rank 2 or 3", showShape(shape)));
  if (!fitsSkip(shape, skip.shape()))
    return context.invalid(fmt::format("the skip has shape {}, which does not match the input of shape {}",
                                       showShape(skip.shape()), showShape(shape)));
  TILERIG_CHECK_OK(checkTypes(context, 0, {1, 2, 3, 4}));
  TILERIG_CHECK_OK(checkVector(context, inputs.gamma, shape.back()));
  const bool hasBeta = inputs.beta && context.has(*inputs.beta), hasBias = context.has(inputs.bias);
  if (hasBeta)
    TILERIG_CHECK_OK(checkVector(context, *inputs.beta, shape.back()));
  if (hasBias)
    TILERIG_CHECK_OK(checkVector(context, inputs.bias, shape.back()));
  TILERIG_TRY(const float epsilon, context.floatAttribute("epsilon", 1e-12f));
  return withFloats(context, x, [&]<class T>() -> Status {
    TILERIG_TRY(RowResults results, RowResults::make(x.dtype(), shape));
    const int64_t size = shape.back(), rows = size ? static_cast<int64_t>(x.elementCount()) / size : 0;
    const int64_t skipRows = size ? static_cast<int64_t>(skip.elementCount()) / size : 0;
    const T *from = x.as<T>().data(), *skipped = skip.as<T>().data();
    const T *bias = hasBias ? addends.as<T>().data() : nullptr;
    T *sums = results.sums.template mutableAs<T>().data(), *y = results.y.template mutableAs<T>().data();
    float *means = results.means.mutableAs<float>().data(),
          *inverses = results.inverses.mutableAs<float>().data();
    const RowNorm<T> norm{size, static_cast<double>(epsilon), inputs.centred, gamma.as<T>().data(),
                          hasBeta ? beta.as<T>().data() : nullptr};
    context.threads.forEach(rows, grainOf(size), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        T *sum = sums + row * size;
        for (int64_t i = 0; i < size; ++i)
          sum[i] = from[row * size + i] + skipped[row % skipRows * size + i];
        for (int64_t i = 0; bias && i < size; ++i)
          sum[i] += bias[i];
        const Moments moments = norm.apply(sum, y + row * size);
        means[row] = static_cast<float>(moments.mean);
        inverses[row] = static_cast<float>(norm.inverseOf(moments));
      }
    });
    results.y = narrow(std::move(results.y), type);
    results.sums = narrow(std::move(results.sums), type);
    Tensor *const tensors[] = {&results.y, &results.means, &results.inverses, &results.sums};
    for (size_t i = 0; i < std::size(tensors); ++i)
      if (context.wants(i))
        context.outputs[i] = std::move(*tensors[i]);
    return success();
  });
}

Status skipLayerNormalisation(OpContext &context) {
  return skipNormalisation(context, {.centred = true, .beta = 3, .bias = 4});
}
Status skipRmsNormalisation(OpContext &context) {
  return skipNormalisation(context, {.centred = false, .beta = {}, .bias = 3});
}

// --- EmbedLayerNormalization ---

// A table of embeddings, one row for each id, and the ids of all tokens.
template <class T>
struct Embedding {
  const T *table = nullptr;
  std::vector<int64_t> ids;
};

// Reads the table `tableInput` and the ids `idInput`, which broadcast along the batch to `tokens` ids.
template <class T>
Result<Embedding<T>> embeddingOf(const OpContext &context, size_t tableInput, std::vector<int64_t> ids,
                                 int64_t hidden) {
  const Tensor &table = context.input(tableInput);
  if (table.rank() != 2 || table.shape()[1] != hidden)
    return context.invalid(fmt::format("input {} has shape {}, expected a matrix with {} columns", tableInput,
                                       showShape(table.shape()), hidden));
  for (const int64_t id : ids)
    if (id < 0 || id >= table.shape()[0])
      return context.invalid(
          fmt::format("an id is {}, but input {} has {} rows", id, tableInput, table.shape()[0]));
  return Embedding<T>{table.as<T>().data(), std::move(ids)};
}

// The numbers of the positions: an input of one row or one row for each element of the batch, or 0, 1, 2, …
Result<std::vector<int64_t>> positionsOf(const OpContext &context, const Shape &tokens) {
  constexpr size_t input = 8;
  const auto count = static_cast<size_t>(product(tokens)), length = static_cast<size_t>(tokens[1]);
  std::vector<int64_t> given, positions(count);
  if (context.has(input)) {
    const Shape &shape = context.input(input).shape();
    if (shape != tokens && shape != Shape{1, tokens[1]})
      return context.invalid(fmt::format("the position ids have shape {}, expected {} or [1, {}]",
                                         showShape(shape), showShape(tokens), tokens[1]));
    TILERIG_TRY(given, context.integers(input));
  }
  for (size_t i = 0; i < count; ++i)
    positions[i] = given.empty() ? static_cast<int64_t>(i % length) : given[i % given.size()];
  return positions;
}

// For each element of the batch, the number of ones in its mask; 0 without a mask.
Result<Tensor> maskLengths(const OpContext &context, const Shape &tokens) {
  constexpr size_t input = 7;
  TILERIG_TRY(Tensor lengths, Tensor::make(DType::i32, {tokens[0]}));
  if (!context.has(input))
    return lengths;
  if (context.input(input).shape() != tokens)
    return context.invalid(fmt::format("the mask has shape {}, expected {}",
                                       showShape(context.input(input).shape()), showShape(tokens)));
  TILERIG_TRY(const std::vector<int64_t> mask, context.integers(input));
  const auto counts = lengths.mutableAs<int32_t>();
  for (size_t i = 0; i < mask.size(); ++i)
    counts[i / static_cast<size_t>(tokens[1])] += mask[i] == 1;
  return lengths;
}

Status embedNormalisation(OpContext &context) {
  constexpr size_t words = 2, places = 3, segments = 4, gamma = 5, beta = 6;
  const Shape &tokens = context.input(0).shape();
  if (tokens.size() != 2 || (context.has(1) && context.input(1).shape() != tokens))
    return context.invalid("the input ids and segment ids must be matrices of the same shape");
  if (context.has(1) != context.has(segments))
    return context.invalid("segment ids and segment embedding must be given together");
  for (const size_t index : {words, places, gamma, beta})
    if (!context.has(index))
      return context.invalid(fmt::format("input {} is missing", index));
  TILERIG_CHECK_OK(checkTypes(context, words, {places, segments, gamma, beta}));
  const Shape &table = context.input(words).shape();
  const int64_t hidden = table.empty() ? 0 : table.back();
  TILERIG_CHECK_OK(checkVector(context, gamma, hidden));
  TILERIG_CHECK_OK(checkVector(context, beta, hidden));
  TILERIG_TRY(const float epsilon, context.floatAttribute("epsilon", 1e-12f));
  TILERIG_TRY(Tensor lengths, maskLengths(context, tokens));
  TILERIG_TRY(const std::vector<int64_t> wordIds, context.integers(0));
  TILERIG_TRY(const std::vector<int64_t> positionIds, positionsOf(context, tokens));
  std::vector<int64_t> segmentIds;
  if (context.has(1)) {
    TILERIG_TRY(segmentIds, context.integers(1));
  }
  return withFloats(context, context.input(words), [&]<class T>() -> Status {
    TILERIG_TRY(const Embedding<T> word, embeddingOf<T>(context, words, wordIds, hidden));
    TILERIG_TRY(const Embedding<T> position, embeddingOf<T>(context, places, positionIds, hidden));
    Embedding<T> segment;
    if (context.has(1)) {
      TILERIG_TRY(segment, embeddingOf<T>(context, segments, segmentIds, hidden));
    }
    TILERIG_TRY(RowResults results,
                RowResults::make(context.input(words).dtype(), {tokens[0], tokens[1], hidden}));
    T *sums = results.sums.template mutableAs<T>().data(), *y = results.y.template mutableAs<T>().data();
    const RowNorm<T> norm{hidden, static_cast<double>(epsilon), true, context.input(gamma).as<T>().data(),
                          context.input(beta).as<T>().data()};
    context.threads.forEach(product(tokens), grainOf(hidden), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const auto token = static_cast<size_t>(row);
        T *sum = sums + row * hidden;
        for (int64_t i = 0; i < hidden; ++i)
          sum[i] =
              word.table[word.ids[token] * hidden + i] + position.table[position.ids[token] * hidden + i];
        for (int64_t i = 0; segment.table && i < hidden; ++i)
          sum[i] += segment.table[segment.ids[token] * hidden + i];
        norm.apply(sum, y + row * hidden);
      }
    });
    context.outputs[0] = std::move(results.y);
    if (context.wants(1))
      context.outputs[1] = std::move(lengths);
    if (context.wants(2))
      context.outputs[2] = std::move(results.sums);
    return success();
  });
}

} // namespace

std::span<const OpEntry> fusedNormalisationOps() {
  static constexpr OpEntry entries[] = {
      {"EmbedLayerNormalization", 1, 1, 9, embedNormalisation, HalfFloats::widened, "com.microsoft"},
      {"SkipLayerNormalization", 1, 3, 5, skipLayerNormalisation, HalfFloats::native, "com.microsoft"},
      {"SkipSimplifiedLayerNormalization", 1, 3, 4, skipRmsNormalisation, HalfFloats::native,
       "com.microsoft"},
  };
  return entries;
}

} // namespace tilerig::reference
