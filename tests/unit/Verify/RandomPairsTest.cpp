// For pairs of random tensors of every type, the comparison gives the same metrics as a naive implementation.
#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/Npz.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/TemporaryFolder.h"
#include "tests/unit/Verify/PlainComparison.h"
#include "verify/Metrics/Chunks.h"
#include "verify/Metrics/Compare.h"

#include <hwy/targets.h>

namespace tilerig::verify {
namespace {

std::vector<DType> realTypes() {
  std::vector<DType> types = allDTypes();
  types.resize(types.size() - 2); // all types but the last two, which are complex
  return types;
}

// A random tensor: arbitrary bits, or, if tame, numbers between -4 and 4 with many zeros.
Tensor someReference(DType type, size_t count, bool tame, Random &random) {
  Tensor tensor = randomTensor(type, {static_cast<int64_t>(count)}, random);
  if (tame && type == DType::f32)
    for (float &x : tensor.mutableAs<float>())
      x = random.below(5) ? static_cast<float>(static_cast<double>(random.next() >> 11) * 0x1p-50 - 4) : 0;
  if (tame && type == DType::f64)
    for (double &x : tensor.mutableAs<double>())
      x = random.below(5) ? static_cast<double>(random.next() >> 11) * 0x1p-50 - 4 : 0;
  return tensor;
}

// A copy of the reference in which some elements are a few bits off, some zero and some arbitrary.
Tensor someTarget(const Tensor &reference, Random &random) {
  Tensor target = reference;
  const size_t size = sizeBytes(reference.dtype());
  std::span<std::byte> bytes = target.mutableBytes();
  const bool boolean = reference.dtype() == DType::boolean;
  for (size_t i = 0; i < reference.elementCount(); ++i) {
    std::span<std::byte> element = bytes.subspan(i * size, size);
    switch (random.below(8)) {
    case 0:
      element[0] ^= std::byte(boolean ? 1 : random.below(4));
      break;
    case 1:
      element[random.below(size)] ^= std::byte(boolean ? 1 : 1u << random.below(8));
      break;
    case 2:
      std::ranges::fill(element, std::byte(0));
      break;
    default:
      break;
    }
  }
  return target;
}

void expectNear(double actual, long double expected, const char *statistic) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual)) << statistic << " " << actual;
    return;
  }
  if (std::isinf(expected)) {
    EXPECT_EQ(actual, static_cast<double>(expected)) << statistic;
    return;
  }
  const long double bound = 1e-10L * std::max(std::fabs(expected), 1e-300L);
  EXPECT_LE(std::fabs(actual - expected), bound)
      << statistic << " " << actual << " " << static_cast<double>(expected);
}

UlpHistogram histogramOf(const std::vector<uint64_t> &distances) {
  UlpHistogram histogram{};
  for (uint64_t distance : distances) {
    size_t bin = 0;
    for (long double upper = 0; upper<distance; upper = upper> 0 ? upper * 2 : 1)
      ++bin;
    ++histogram[bin];
  }
  return histogram;
}

// Calls visit.operator()<kind>(key, a, b) for each metric of Metrics.def, where a and b are the values of the
// metric in `one` and `other`.
template <class One, class Other, class Visit>
void forMetrics(const One &one, const Other &other, Visit visit) {
#define METRIC(field, kind, key, heading, tables)                                                            \
  visit.template operator()<MetricKind::kind>(key, one.field, other.field);
#include "verify/Metrics/Metrics.def"
}

void expectSame(const Comparison &comparison, const PlainComparison &plain) {
  forMetrics(comparison, plain, []<MetricKind kind>(const char *key, auto actual, auto expected) {
    if constexpr (kind == MetricKind::count) {
      EXPECT_EQ(actual, expected) << key;
    }
  });
  EXPECT_EQ(comparison.discarded + comparison.passed + comparison.failed, comparison.elements);
  EXPECT_EQ(comparison.buckets, plain.buckets);
  EXPECT_EQ(comparison.bucketsInLimit, plain.inLimit);
  expectNear(comparison.anchor, plain.anchor, "anchor");
  EXPECT_EQ(comparison.maxAbs, static_cast<double>(plain.maxAbs));
  ASSERT_EQ(comparison.worst.size(), plain.worst.size());
  for (size_t i = 0; i < comparison.worst.size(); ++i)
    EXPECT_EQ(comparison.worst[i].index, plain.worst[i].index) << i;
  if (comparison.ulps) {
    const UlpHistogram expected = histogramOf(plain.ulps);
    for (size_t bin = 0; bin < ulpBins; ++bin)
      EXPECT_EQ((*comparison.ulps)[bin], expected[bin]) << bin;
  }
  if (comparison.targetRails) {
    EXPECT_EQ(comparison.targetRails->low, plain.railsLow);
    EXPECT_EQ(comparison.targetRails->high, plain.railsHigh);
  }
}

// Compares the metrics that are computed from sums. Not for floats with random bits: a single huge element
// would decide their sums.
void expectSameSums(const Comparison &comparison, const PlainComparison &plain) {
  forMetrics(comparison, plain, []<MetricKind kind>(const char *key, auto actual, auto expected) {
    if constexpr (kind != MetricKind::count)
      expectNear(actual, expected, key);
  });
}

TEST(RandomPairs, EveryTypeAsThePlainLoop) {
  Random random(1);
  for (DType type : realTypes())
    for (size_t count : {1, 7, 8, 511, 512, 513, 2000})
      for (size_t round = 0; round < 4; ++round) {
        SCOPED_TRACE(testing::Message() << nameOf(type) << " " << count << " round " << round);
        const bool tame = round % 2;
        Tensor reference = someReference(type, count, tame, random), target = someTarget(reference, random);
        CompareOptions options;
        options.limits.oom = random.below(2) ? 100 : 37.5;
        options.limits.relativePercent = random.below(2) ? 3 : 0.77;
        options.limits.anchor = static_cast<Anchor>(round % 3);
        // The anchor is the value relative to which elements count as small. Squares of arbitrary floats
        // overflow in both implementations, so the anchor cannot be their rms.
        if (options.limits.anchor == Anchor::rms && !tame && (type == DType::f64 || type == DType::f32))
          options.limits.anchor = Anchor::largest;
        options.limits.eightBit = static_cast<EightBit>(random.below(3));
        Comparison comparison = compareTensors(reference, target, options);
        PlainComparison plain = comparePlainly(reference, target, comparison.limits);
        expectSame(comparison, plain);
        if (tame && sizeBytes(type) >= 4 && type <= DType::f64)
          expectSameSums(comparison, plain);
      }
}

TEST(RandomPairs, SumsOfManyChunks) {
  Random random(2);
  Tensor reference = someReference(DType::f32, 3 * chunkElements + 777, true, random);
  Tensor target = reference;
  for (float &x : target.mutableAs<float>())
    x += static_cast<float>(random.below(1000)) * 1e-5f;
  Comparison comparison = compareTensors(reference, target);
  PlainComparison plain = comparePlainly(reference, target, comparison.limits);
  expectSame(comparison, plain);
  expectSameSums(comparison, plain);
}

void expectIdentical(const Comparison &one, const Comparison &other) {
  forMetrics(one, other,
             []<MetricKind>(const char *key, auto left, auto right) { EXPECT_EQ(left, right) << key; });
  EXPECT_EQ(one.largestReference, other.largestReference);
  EXPECT_EQ(one.largestTarget, other.largestTarget);
  EXPECT_EQ(one.anchor, other.anchor);
  EXPECT_EQ(one.plane.counts, other.plane.counts);
  EXPECT_EQ(one.ulps, other.ulps);
  ASSERT_EQ(one.worst.size(), other.worst.size());
  for (size_t i = 0; i < one.worst.size(); ++i)
    EXPECT_EQ(one.worst[i].index, other.worst[i].index);
}

TEST(RandomPairs, NothingDependsOnThreadsOrProcessor) {
  Random random(3);
  Tensor reference = someReference(DType::f32, 4 * chunkElements + 13, true, random);
  Tensor target = someTarget(reference, random);
  CompareOptions options;
  const Comparison alone = compareTensors(reference, target, options);
  EXPECT_GT(alone.nonFiniteDiffering, 0u); // the tensors must differ in non-finite elements
  for (unsigned threads : {2u, 3u, 8u, 100u}) {
    SCOPED_TRACE(threads);
    options.threads = threads;
    expectIdentical(compareTensors(reference, target, options), alone);
  }
  for (const int64_t vectors : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(vectors));
    hwy::SetSupportedTargetsForTest(vectors);
    hwy::GetChosenTarget().Update(vectors);
    expectIdentical(compareTensors(reference, target, options), alone);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

// A stream of the tensor from an npz archive in memory that begins at an odd address, so that nothing is
// aligned.
Result<TensorStream> streamOf(const Tensor &tensor, bool deflate) {
  const TemporaryFolder folder;
  const std::string path = folder.path("x.npz");
  TensorMap tensors;
  TILERIG_CHECK_OK(tensors.add("x", tensor));
  TILERIG_CHECK_OK(writeNpz(path, tensors, {deflate}));
  TILERIG_TRY(const std::string bytes, readText(path));
  const auto held = std::make_shared<std::string>(" " + bytes);
  TILERIG_TRY(const NpzReader reader,
              NpzReader::parse(std::as_bytes(std::span(*held)).subspan(1), held, path));
  return reader.stream("x");
}

TEST(RandomPairs, StreamsAreComparedAsTensorsAre) {
  Random random(4);
  for (DType type : {DType::f32, DType::f16, DType::i64, DType::c64}) {
    const Tensor reference = someReference(type, 2 * chunkElements + 77, true, random);
    const Tensor target = someTarget(reference, random);
    const Comparison inMemory = compareTensors(reference, target);
    EXPECT_GT(inMemory.different, 0u);
    for (bool deflate : {false, true})
      for (unsigned threads : {1u, 3u}) {
        SCOPED_TRACE(testing::Message() << nameOf(type) << deflate << threads);
        auto comparison = compareStreams(*streamOf(reference, deflate), *streamOf(target, deflate),
                                         {.limits = {}, .threads = threads});
        ASSERT_TRUE(comparison);
        expectIdentical(*comparison, inMemory);
      }
  }
}

} // namespace
} // namespace tilerig::verify
