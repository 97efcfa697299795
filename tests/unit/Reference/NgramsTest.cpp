// Tests of TfIdfVectorizer against brute-force counting.
#include "tests/support/Random.h"
#include "tests/unit/Reference/SingleOp.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace tilerig::reference {
namespace {

using test::Random;
using Ints = std::vector<int64_t>;

struct NgramsCase {
  int64_t least, most, skipped, rows, columns;
  Ints elements, pool, starts, places;
  std::vector<Ints> grams;
  std::vector<float> weights;
};

NgramsCase randomCase(Random &random) {
  NgramsCase k;
  k.least = random.between(1, 3), k.most = random.between(k.least, 3), k.skipped = random.between(0, 3);
  k.rows = random.between(1, 3), k.columns = random.between(0, 9);
  for (int64_t i = 0; i < k.rows * k.columns; ++i)
    k.elements.push_back(random.between(0, 2));
  for (int64_t length = 1; length <= 3; ++length) {
    k.starts.push_back(static_cast<int64_t>(k.pool.size()));
    std::set<Ints> chosen;
    for (int64_t i = random.between(1, 3); i > 0; --i) {
      Ints gram;
      for (int64_t j = 0; j < length; ++j)
        gram.push_back(random.between(0, 2));
      if (chosen.insert(gram).second) {
        k.grams.push_back(gram);
        k.pool.insert(k.pool.end(), gram.begin(), gram.end());
      }
    }
  }
  for (size_t i = 0; i < k.grams.size(); ++i) {
    k.places.push_back(static_cast<int64_t>(i));
    k.weights.push_back(static_cast<float>(random.between(1, 9)));
  }
  random.shuffle(k.places);
  return k;
}

// Counts how often an n-gram occurs in a row: for every start, and for every permitted number of elements
// that are skipped between neighbouring elements of the n-gram.
int64_t occurrences(const NgramsCase &k, int64_t row, const Ints &gram) {
  auto length = static_cast<int64_t>(gram.size());
  int64_t count = 0;
  for (int64_t skip = 0; skip <= (length == 1 ? 0 : k.skipped); ++skip)
    for (int64_t first = 0; first < k.columns; ++first) {
      bool equal = true;
      for (int64_t i = 0; equal && i < length; ++i) {
        int64_t at = first + i * (skip + 1);
        equal = at < k.columns && k.elements[row * k.columns + at] == gram[i];
      }
      count += equal;
    }
  return count;
}

SingleOp nodeOf(const NgramsCase &k, const std::string &mode) {
  return {"TfIdfVectorizer",
          {{"mode", mode},
           {"min_gram_length", k.least},
           {"max_gram_length", k.most},
           {"max_skip_count", k.skipped},
           {"ngram_counts", k.starts},
           {"ngram_indexes", k.places},
           {"pool_int64s", k.pool},
           {"weights", k.weights}}};
}

TEST(TfIdfVectorizer, CountsAndWeighs) {
  for (uint64_t seed = 0; seed < 300; ++seed)
    for (const char *mode : {"TF", "IDF", "TFIDF"}) {
      SCOPED_TRACE(std::to_string(seed) + mode);
      Random random(seed);
      NgramsCase k = randomCase(random);
      Tensor input(DType::i64, {k.rows, k.columns});
      std::copy(k.elements.begin(), k.elements.end(), input.mutableAs<int64_t>().begin());
      auto results = nodeOf(k, mode).run({input});
      ASSERT_TRUE(results) << results.error().message();
      auto outputs = static_cast<int64_t>(k.grams.size());
      ASSERT_EQ((*results)[0].shape(), (Shape{k.rows, outputs}));
      for (int64_t row = 0; row < k.rows; ++row)
        for (size_t i = 0; i < k.grams.size(); ++i) {
          auto length = static_cast<int64_t>(k.grams[i].size());
          int64_t count = length >= k.least && length <= k.most ? occurrences(k, row, k.grams[i]) : 0;
          float wanted = std::string(mode) == "TF"    ? static_cast<float>(count)
                         : std::string(mode) == "IDF" ? (count ? k.weights[i] : 0)
                                                      : static_cast<float>(count) * k.weights[i];
          EXPECT_EQ((*results)[0].as<float>()[row * outputs + k.places[i]], wanted);
        }
    }
}

TEST(TfIdfVectorizer, RefusesWhatDoesNotFit) {
  NgramsCase k{1, 2, 0, 1, 3, {}, {5, 6, 5, 6}, {0, 2}, {0, 1, 2}, {}, {1, 1, 1}};
  Tensor row = Tensor::of<int64_t>({3}, {5, 6, 7});
  ASSERT_TRUE(nodeOf(k, "TF").run({row}));
  const std::pair<const char *, Attribute> wrong[] = {{"mode", std::string("IDFTF")},
                                                      {"min_gram_length", int64_t{0}},
                                                      {"max_gram_length", int64_t{0}},
                                                      {"max_skip_count", int64_t{-1}},
                                                      {"ngram_counts", Ints{0, 3}},
                                                      {"ngram_counts", Ints{0, 5}},
                                                      {"ngram_counts", Ints{-1, 2}},
                                                      {"ngram_counts", Ints{2, 0}},
                                                      {"ngram_counts", Ints{INT64_MIN, 4}},
                                                      {"ngram_counts", Ints{4, INT64_MIN}},
                                                      {"ngram_indexes", Ints{0, 1}},
                                                      {"ngram_indexes", Ints{0, 1, -2}},
                                                      {"ngram_indexes", Ints{0, 1, 2, 3}},
                                                      {"ngram_indexes", Ints{0, 1, INT64_MAX}},
                                                      {"pool_int64s", Ints{5, 5, 5, 6}},
                                                      {"weights", std::vector<float>{1}},
                                                      {"ngram_indexes", Ints{0, 1, int64_t{1} << 61}},
                                                      {"pool_strings", std::vector<std::string>{"a"}}};
  for (const auto &[name, value] : wrong) {
    SCOPED_TRACE(name);
    SingleOp node = nodeOf(k, "TF");
    node.attributes.insert_or_assign(name, value);
    EXPECT_FALSE(node.run({row}));
  }
  EXPECT_FALSE(nodeOf(k, "TF").run({Tensor::of<float>({1}, {5})}));
  EXPECT_FALSE(nodeOf(k, "TF").run({Tensor::scalar(int64_t{5})}));
}

} // namespace
} // namespace tilerig::reference
