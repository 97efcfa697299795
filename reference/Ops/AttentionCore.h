// Scaled dot-product attention, shared by all operators that compute it. Scores, softmax and weighted sums are
// computed in double, in ascending order, and rounded once to the type of the tensors.
#pragma once

#include "reference/Run/Operator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

namespace tilerig::reference {

// `heads` query heads share `keyHeads` heads of keys and values, each of which serves heads / keyHeads neighbours.
struct AttentionShape {
  int64_t batch, heads, keyHeads, queries, keys, headSize, valueSize;
};

// The vectors of all heads of a tensor, wherever the heads are in it. Strides are in elements.
template <class T>
struct HeadVectors {
  T *data;
  int64_t batchStride, headStride, rowStride;

  T *at(int64_t batch, int64_t head, int64_t row) const {
    return data + batch * batchStride + head * headStride + row * rowStride;
  }
  // A tensor of the shape batch × heads × rows × size.
  static HeadVectors headsFirst(T *data, int64_t heads, int64_t rows, int64_t size) {
    return {data, heads * rows * size, rows * size, size};
  }
  // A tensor of the shape batch × rows × (heads · size).
  static HeadVectors headsInside(T *data, int64_t heads, int64_t rows, int64_t size) {
    return {data, rows * heads * size, size, heads * size};
  }
};

// What attention can return besides its result.
enum class ScoreStage { product, capped, biased, weights };

// How scores become weights. The bias of a query is the list of the addends of its scores, minus infinity for a
// key that it does not attend to; a query whose bias is minus infinity throughout has zero weights.
struct ScoreRules {
  double scale;
  double softcap = 0; // 0: none; else scores become softcap * tanh(score / softcap) before the bias is added
  std::function<void(int64_t batch, int64_t head, int64_t query, std::span<double> bias)> fillBias;
  // For each head the logarithm of an addend of the softmax's denominator; empty if there is none.
  std::vector<double> sinks = {};
  ScoreStage stage = ScoreStage::product; // what is stored in `scores` of attend()
};

// Replaces the scores by their softmax; `sink` is the logarithm of an addend of the denominator.
inline void softmaxWithSink(std::span<double> scores, double sink) {
  double most = sink, sum = 0;
  for (const double score : scores)
    most = score > most || std::isnan(score) ? score : most;
  for (double &score : scores)
    sum += score = std::exp(score - most);
  sum += std::exp(sink - most);
  for (double &score : scores)
    score /= sum;
}

// Computes the scores of one query and, from them, its weights, which replace `scores`. `stored`, unless null,
// receives them in the stage that the rules state.
template <class T>
void weigh(const ScoreRules &rules, std::span<const double> bias, double sink, std::span<double> scores,
           T *stored) {
  const auto store = [&](ScoreStage stage) {
    if (stored && rules.stage == stage)
      std::transform(scores.begin(), scores.end(), stored,
                     [](double score) { return static_cast<T>(score); });
  };
  store(ScoreStage::product);
  if (rules.softcap != 0)
    for (double &score : scores)
      score = rules.softcap * std::tanh(score / rules.softcap);
  store(ScoreStage::capped);
  for (size_t i = 0; i < scores.size(); ++i)
    scores[i] += bias[i];
  store(ScoreStage::biased);
  if (std::all_of(bias.begin(), bias.end(), [](double addend) { return addend == -INFINITY; }))
    std::fill(scores.begin(), scores.end(), 0.0);
  else
    softmaxWithSink(scores, sink);
  store(ScoreStage::weights);
}

// Computes y = softmax(scale * q · k + bias) · v for all heads. `scores`, unless null, receives the scores or weights
// as a tensor of the shape batch × heads × queries × keys.
template <class T>
void attend(const AttentionShape &shape, const ScoreRules &rules, HeadVectors<const T> q,
            HeadVectors<const T> k, HeadVectors<const T> v, HeadVectors<T> y, T *scores, Threads &threads) {
  const int64_t shared = shape.heads / std::max<int64_t>(1, shape.keyHeads), keys = shape.keys;
  threads.forEach(shape.batch * shape.heads, 1, [&](int64_t begin, int64_t end) {
    std::vector<double> row(static_cast<size_t>(keys)), bias(row.size()),
        sums(static_cast<size_t>(shape.valueSize));
    for (int64_t index = begin; index < end; ++index) {
      const int64_t batch = index / shape.heads, head = index % shape.heads;
      const double sink = rules.sinks.empty() ? -INFINITY : rules.sinks[static_cast<size_t>(head)];
      for (int64_t query = 0; query < shape.queries; ++query) {
        const T *const from = q.at(batch, head, query);
        for (int64_t key = 0; key < keys; ++key) {
          const T *const to = k.at(batch, head / shared, key);
          double sum = 0;
          for (int64_t i = 0; i < shape.headSize; ++i)
            sum += static_cast<double>(from[i]) * static_cast<double>(to[i]);
          row[static_cast<size_t>(key)] = sum * rules.scale;
        }
        std::fill(bias.begin(), bias.end(), 0.0);
        rules.fillBias(batch, head, query, bias);
        weigh(rules, bias, sink, row, scores ? scores + (index * shape.queries + query) * keys : nullptr);
        std::fill(sums.begin(), sums.end(), 0.0);
        for (int64_t key = 0; key < keys; ++key)
          for (int64_t i = 0; i < shape.valueSize; ++i)
            sums[static_cast<size_t>(i)] +=
                row[static_cast<size_t>(key)] * static_cast<double>(v.at(batch, head / shared, key)[i]);
        std::transform(sums.begin(), sums.end(), y.at(batch, head, query),
                       [](double sum) { return static_cast<T>(sum); });
      }
    }
  });
}

// Copies `rows` vectors of `size` elements of every head to the rows from `first` on.
template <class T>
void copyHeads(HeadVectors<const T> from, HeadVectors<T> to, int64_t batch, int64_t heads, int64_t rows,
               int64_t size, int64_t first) {
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t row = 0; row < rows; ++row)
        std::copy_n(from.at(b, head, row), size, to.at(b, head, first + row));
}

// An additive or boolean mask that broadcasts to batch × heads × queries × keys.
class BroadcastMask {
public:
  // Reads input `index`, of which the last axis may be shorter than the number of keys if `mayBeShorter`; missing
  // elements are minus infinity.
  static Result<BroadcastMask> read(const OpContext &context, size_t index, const AttentionShape &shape,
                                    bool mayBeShorter);
  void addTo(std::span<double> bias, int64_t batch, int64_t head, int64_t query) const;

private:
  std::vector<double> addends;
  int64_t columns = 0;            // size of the last axis
  int64_t strides[3] = {0, 0, 0}; // of batch, heads and queries; 0 where the mask broadcasts
  bool repeatsColumn = false;     // whether the single column stands for all keys
};

} // namespace tilerig::reference
