// TfIdfVectorizer for integers: counts how often the n-grams of a pool occur in a row, with optional weights.
#include "reference/Ops/Families.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>

namespace tilerig::reference {

namespace {

using Gram = std::vector<int64_t>;

// What the operator outputs for an n-gram: how often the n-gram occurs, its weight if it occurs at all, or
// the number of occurrences times its weight.
enum class Weighting { count, presence, weightedCount };

struct Pool {
  struct Entry {
    int64_t output; // index of the output to which the n-gram's count is added
    float weight;
  };
  std::map<Gram, Entry> grams;
  std::vector<int64_t> lengths; // requested lengths of n-grams that occur in the pool, ascending
  int64_t mostSkipped = 0;
  int64_t outputs = 0;
  Weighting weighting = Weighting::count;
};

// The attributes that define the pool. starts[n - 1], from attribute ngram_counts, is the index in `elements`
// at which the n-grams of length n begin.
struct PoolAttributes {
  std::vector<int64_t> elements, starts, outputs;
  std::vector<float> weights;
  int64_t least = 0, most = 0, skipped = 0;
};

Result<PoolAttributes> readAttributes(const OpContext &context) {
  PoolAttributes read;
  if (context.hasAttribute("pool_strings"))
    return context.notSupported("attribute pool_strings is not supported");
  TILERIG_TRY(read.elements, context.intsAttribute("pool_int64s"));
  TILERIG_TRY(read.starts, context.intsAttribute("ngram_counts"));
  TILERIG_TRY(read.outputs, context.intsAttribute("ngram_indexes"));
  TILERIG_TRY(read.weights,
              context.floatsAttribute("weights", std::vector<float>(read.outputs.size(), 1.0f)));
  TILERIG_TRY(read.least, context.intAttribute("min_gram_length"));
  TILERIG_TRY(read.most, context.intAttribute("max_gram_length"));
  TILERIG_TRY(read.skipped, context.intAttribute("max_skip_count"));
  if (read.least < 1 || read.most < read.least || read.skipped < 0)
    return context.invalid(
        fmt::format("min_gram_length {}, max_gram_length {} and max_skip_count {} are not valid", read.least,
                    read.most, read.skipped));
  if (read.weights.size() != read.outputs.size())
    return context.invalid(fmt::format("attribute weights has {} numbers, but ngram_indexes has {}",
                                       read.weights.size(), read.outputs.size()));
  return read;
}

Result<Weighting> weightingOf(const OpContext &context) {
  TILERIG_TRY(std::string mode, context.textAttribute("mode"));
  if (mode == "TF")
    return Weighting::count;
  if (mode == "IDF")
    return Weighting::presence;
  if (mode == "TFIDF")
    return Weighting::weightedCount;
  return context.invalid(fmt::format("attribute mode is '{}', expected TF, IDF or TFIDF", mode));
}

Result<Pool> readPool(const OpContext &context) {
  TILERIG_TRY(PoolAttributes read, readAttributes(context));
  Pool pool;
  TILERIG_TRY(pool.weighting, weightingOf(context));
  pool.mostSkipped = read.skipped;
  auto size = static_cast<int64_t>(read.elements.size());
  size_t gram = 0;
  for (size_t i = 0; i < read.starts.size(); ++i) {
    int64_t length = static_cast<int64_t>(i) + 1;
    int64_t begin = read.starts[i], end = i + 1 < read.starts.size() ? read.starts[i + 1] : size;
    if (begin < 0 || end < begin || end > size || (end - begin) % length)
      return context.invalid(fmt::format(
          "ngram_counts: elements {} to {} of the pool cannot be divided into {}-grams", begin, end, length));
    if (begin < end && length >= read.least && length <= read.most)
      pool.lengths.push_back(length);
    for (int64_t at = begin; at < end; at += length, ++gram) {
      if (gram == read.outputs.size() || read.outputs[gram] < 0)
        return context.invalid(fmt::format("ngram_indexes has no valid index for n-gram {}", gram));
      Pool::Entry entry{read.outputs[gram], read.weights[gram]};
      if (!pool.grams.emplace(Gram(read.elements.begin() + at, read.elements.begin() + at + length), entry)
               .second)
        return context.invalid(fmt::format("n-gram {} occurs twice in the pool", gram));
      pool.outputs = std::max(pool.outputs, entry.output);
    }
  }
  if (gram == 0 || gram != read.outputs.size() || pool.outputs == INT64_MAX)
    return context.invalid(
        fmt::format("ngram_indexes has {} indices for {} n-grams", read.outputs.size(), gram));
  ++pool.outputs;
  return pool;
}

// Counts in `row` the n-grams of the pool that have `length` elements, taking elements that are `step` apart.
void countGrams(const Pool &pool, std::span<const int64_t> row, int64_t length, int64_t step, float *to) {
  Gram gram(static_cast<size_t>(length));
  auto size = static_cast<int64_t>(row.size());
  for (int64_t first = 0; first + (length - 1) * step < size; ++first) {
    for (int64_t i = 0; i < length; ++i)
      gram[i] = row[first + i * step];
    auto entry = pool.grams.find(gram);
    if (entry == pool.grams.end())
      continue;
    float &count = to[entry->second.output];
    if (pool.weighting == Weighting::presence)
      count = entry->second.weight;
    else
      count += pool.weighting == Weighting::count ? 1 : entry->second.weight;
  }
}

void countRow(const Pool &pool, std::span<const int64_t> row, float *to) {
  auto size = static_cast<int64_t>(row.size());
  for (int64_t length : pool.lengths) {
    // The largest number of elements that may be skipped between neighbouring elements of an n-gram. It is 0
    // for a 1-gram; longer n-grams must end within the row.
    int64_t most = length == 1 ? 0 : std::min(pool.mostSkipped, size / (length - 1));
    for (int64_t skipped = 0; skipped <= most; ++skipped)
      countGrams(pool, row, length, skipped + 1, to);
  }
}

Status tfIdfVectorizer(OpContext &context) {
  const Shape &shape = context.input(0).shape();
  if (shape.empty() || shape.size() > 2)
    return context.invalid(fmt::format("the input has shape {}, expected rank 1 or 2", showShape(shape)));
  TILERIG_TRY(Pool pool, readPool(context));
  TILERIG_TRY(std::vector<int64_t> elements, context.integers(0));
  int64_t rows = shape.size() == 2 ? shape[0] : 1, columns = shape.back();
  auto output = Tensor::make(DType::f32, shape.size() == 2 ? Shape{rows, pool.outputs} : Shape{pool.outputs});
  if (!output)
    return context.invalid(output.error().what);
  float *to = output->mutableAs<float>().data();
  if (!elements.empty())
    context.threads.forEach(rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        countRow(pool, std::span(elements).subspan(row * columns, columns), to + row * pool.outputs);
    });
  context.outputs[0] = *std::move(output);
  return success();
}

} // namespace

std::span<const OpEntry> ngramOps() {
  static constexpr OpEntry entries[] = {
      {"TfIdfVectorizer", 9, 1, 1, tfIdfVectorizer},
  };
  return entries;
}

} // namespace tilerig::reference
