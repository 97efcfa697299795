// Injects every bug of the catalogue into a layer that it can change. Given correct inputs, the layer must be
// wrong in the way that is characteristic of the bug's class (the signature).
#include "isa/Bugs/Catalogue.h"
#include "tests/support/TemporaryFolder.h"
#include "tests/unit/Verify/Mutants.h"
#include "tests/unit/Verify/PlainConv.h"

#include "isa/Base/Tensor/TensorFiles.h"

#include <fmt/core.h>
#include <numeric>

namespace tilerig::verify::test {
namespace {

const SmallNetwork &images() {
  static const std::unique_ptr<SmallNetwork> network = imageNetwork();
  return *network;
}
const SmallNetwork &productOfTwo() {
  static const std::unique_ptr<SmallNetwork> network = productNetwork();
  return *network;
}
// A folder with calibration data a third as large as the real inputs, so that results saturate.
const std::string &timidCalibration() {
  static const TemporaryFolder folder;
  static const std::string path = [&] {
    TensorMap inputs = inputsOf(SourceModel::of("small", images().model.bytes()));
    for (float &element : inputs.find("x")->mutableAs<float>())
      element /= 3;
    const std::string written = folder.path("timid.npz");
    EXPECT_TRUE(writeTensors(written, inputs));
    return written;
  }();
  return path;
}
const MutantMaker &makerFor(const std::string &setUp) {
  static std::map<std::string, std::unique_ptr<MutantMaker>> makers;
  std::unique_ptr<MutantMaker> &maker = makers[setUp];
  if (!maker && setUp == "product")
    maker = std::make_unique<MutantMaker>(productOfTwo(), "fp32", 1, "tiny");
  else if (!maker && setUp == "timid")
    maker = std::make_unique<MutantMaker>(images(), "int8", 4, "tr64", timidCalibration());
  else if (!maker && setUp == "bytes")
    maker = std::make_unique<MutantMaker>(*byteNetwork(), "fp32", 4);
  else if (!maker && setUp == "many tiles")
    maker = std::make_unique<MutantMaker>(images(), "fp32", 16);
  else if (!maker)
    maker = std::make_unique<MutantMaker>(images(), setUp, 4);
  return *maker;
}

// The functions below compare the result of a layer with an injected bug with the clean result.

struct Seen {
  const MutantMaker &maker;
  const RunMutant &mutant;
  LayerEvidence layer;
  bool isQuantised = false;

  int64_t of(const char *parameter) const { return mutant.parameter(parameter); }
  // Tolerance for numbers that the test computes in another way: two quantisation steps, or rounding in fp32.
  double tolerance() const { return isQuantised ? 2.01 * layer.step : 1e-4 * layer.largest(); }
  bool isAtRail(size_t i) const {
    const auto [low, high] = std::ranges::minmax(layer.clean);
    return layer.clean[i] == low || layer.clean[i] == high;
  }
};

template <class Visit>
void forEachPixel(const LayerEvidence &layer, Visit visit) {
  for (int64_t c = 0; c < layer.channels(); ++c)
    for (int64_t h = 0; h < layer.rows(); ++h)
      for (int64_t w = 0; w < layer.columns(); ++w)
        visit(c, h, w, layer.at(c, h, w));
}

// Expects wrong elements only at positions for which `isThere` returns true.
template <class IsThere>
void expectErrorsOnly(const Seen &seen, IsThere isThere) {
  size_t elsewhere = 0;
  forEachPixel(seen.layer, [&](int64_t c, int64_t h, int64_t w, size_t i) {
    elsewhere += seen.layer.differs(i) && !isThere(c, h, w);
  });
  EXPECT_EQ(elsewhere, 0u);
}

std::vector<double> doublesOf(const Tensor &tensor) {
  return {tensor.as<float>().begin(), tensor.as<float>().end()};
}
std::vector<double> constantOf(const std::string &name) { return doublesOf(images().constants.at(name)); }

// Expects the error of every element of output channel c to be due(c).
void expectErrorByOutput(const Seen &seen, const std::function<double(size_t output)> &due) {
  size_t wrong = 0;
  forEachPixel(seen.layer, [&](int64_t c, int64_t, int64_t, size_t i) {
    wrong += std::abs(seen.layer.error(i) - due(static_cast<size_t>(c))) > seen.tolerance() &&
             !(seen.isQuantised && seen.isAtRail(i));
  });
  // In quantised tensors, a few saturated elements may deviate.
  EXPECT_LE(wrong, seen.isQuantised ? seen.layer.size() / 50 : 0);
}

PlainConv plainOf(const char *layer) {
  PlainConv conv;
  conv.weights = constantOf(std::string(layer) + ".w");
  conv.bias = constantOf(std::string(layer) + ".b");
  conv.outputs = static_cast<int64_t>(conv.bias.size());
  return conv;
}
// The input of the layer `plain` of the image network, in fp32.
PlainImage imageBefore(const Seen &seen) {
  const Tensor *tensor = seen.maker.checked().expectation().oracle.find("pool");
  return {tensor->shape()[1], tensor->shape()[2], tensor->shape()[3], doublesOf(*tensor)};
}

void expectPlain(const Seen &seen, const PlainConv &conv, const PlainImage &x) {
  const PlainImage due = conv.of(x, seen.layer.rows(), seen.layer.columns());
  ASSERT_EQ(due.values.size(), seen.layer.size());
  size_t wrong = 0;
  for (size_t i = 0; i < due.values.size(); ++i)
    wrong += std::abs(due.values[i] - seen.layer.wrong[i]) > seen.tolerance();
  EXPECT_EQ(wrong, 0u);
}

// A signature is a function that checks the errors that are characteristic of a bug.

using Signature = void (*)(const Seen &);

struct Injected {
  const char *bug; // text of the bug and its parameters, as given to --inject
  const char *layer;
  const char *setUp; // the precision of the image network, or the name of another network
  Signature signature;
};
void PrintTo(const Injected &injected, std::ostream *out) {
  *out << injected.bug << "@" << injected.layer << " in " << injected.setUp;
}

void isPadAmount(const Seen &seen) {
  const std::string side = seen.mutant.word("side");
  const int64_t amount = seen.of("amount"), rows = seen.layer.rows(), columns = seen.layer.columns();
  expectErrorsOnly(seen, [&](int64_t, int64_t h, int64_t w) {
    const int64_t distance = side == "top"      ? h
                             : side == "left"   ? w
                             : side == "bottom" ? rows - 1 - h
                                                : columns - 1 - w;
    return distance <= amount;
  });
}
void isPadValue(const Seen &seen) {
  expectErrorsOnly(seen, [&](int64_t, int64_t h, int64_t w) {
    return h == 0 || w == 0 || h == seen.layer.rows() - 1 || w == seen.layer.columns() - 1;
  });
}
// Checks that the whole result is the correct image, shifted.
void isPadSide(const Seen &seen) {
  const int64_t by = seen.of("amount");
  const bool isRows = seen.mutant.word("axis") == "rows";
  size_t wrong = 0, compared = 0;
  forEachPixel(seen.layer, [&](int64_t c, int64_t h, int64_t w, size_t i) {
    const int64_t row = isRows ? h + by : h, column = isRows ? w : w + by;
    if (row < 0 || column < 0 || row >= seen.layer.rows() || column >= seen.layer.columns())
      return;
    ++compared;
    wrong += seen.layer.wrong[i] != seen.layer.clean[seen.layer.at(c, row, column)];
  });
  EXPECT_GT(compared, seen.layer.size() / 2);
  EXPECT_EQ(wrong, 0u);
}

void isBiasMissing(const Seen &seen) {
  const auto bias = constantOf("plain.b");
  expectErrorByOutput(seen, [&](size_t o) { return -bias[o]; });
}
void isBiasShifted(const Seen &seen) {
  const auto bias = constantOf("plain.b");
  const auto by = static_cast<size_t>(seen.of("by"));
  expectErrorByOutput(seen, [&](size_t o) { return bias[(o + by) % bias.size()] - bias[o]; });
}
void isBiasStale(const Seen &seen) { // the stale bias is the one of conv2, the layer before
  const auto bias = constantOf("plain.b"), before = constantOf("conv2.b");
  expectErrorByOutput(seen, [&](size_t o) { return before[o % before.size()] - bias[o]; });
}
void isBiasScale(const Seen &seen) {
  const auto bias = constantOf("plain.b");
  const double factor = std::ldexp(1, static_cast<int>(seen.of("power"))) - 1;
  expectErrorByOutput(seen, [&](size_t o) { return factor * bias[o]; });
}
void isBiasBroadcast(const Seen &seen) {
  const auto bias = constantOf("plain.b");
  expectErrorByOutput(seen, [&](size_t o) { return bias[0] - bias[o]; });
}
void isBiasShort(const Seen &seen) {
  const auto bias = constantOf("plain.b");
  const auto from = bias.size() - static_cast<size_t>(seen.of("outputs"));
  expectErrorByOutput(seen, [&](size_t o) { return o < from ? 0 : -bias[o]; });
}

// Checks that each output channel `o` is computed with the weights of the channel `from(o)`.
void expectOutputsFrom(const Seen &seen, const std::function<size_t(size_t)> &from) {
  PlainConv conv = plainOf("plain");
  const std::vector<double> clean = conv.weights;
  const size_t row = clean.size() / static_cast<size_t>(conv.outputs);
  for (size_t o = 0; o < static_cast<size_t>(conv.outputs); ++o)
    std::copy_n(clean.begin() + static_cast<ptrdiff_t>(from(o) * row), row,
                conv.weights.begin() + static_cast<ptrdiff_t>(o * row));
  expectPlain(seen, conv, imageBefore(seen));
}
void isRowsSwapped(const Seen &seen) {
  const auto first = static_cast<size_t>(seen.of("first")), second = static_cast<size_t>(seen.of("second"));
  expectOutputsFrom(seen, [&](size_t o) { return o == first ? second : o == second ? first : o; });
}
void isBlocksSwapped(const Seen &seen) {
  const auto first = static_cast<size_t>(seen.of("first")), second = static_cast<size_t>(seen.of("second"));
  expectOutputsFrom(seen, [&](size_t o) {
    const size_t block = o / 16;
    return (block == first ? second : block == second ? first : block) * 16 + o % 16;
  });
}
void isWeightsStale(const Seen &seen) {
  expectErrorsOnly(seen, [&](int64_t c, int64_t, int64_t) { return c < seen.of("outputs"); });
}
void isWeightsShort(const Seen &seen) {
  PlainConv conv = plainOf("plain");
  const auto row = static_cast<ptrdiff_t>(conv.weights.size()) / conv.outputs;
  std::fill(conv.weights.end() - seen.of("outputs") * row, conv.weights.end(), 0);
  expectPlain(seen, conv, imageBefore(seen));
}
// Permutes weights that are in device order: outputs, rows, columns, channels.
std::vector<double> permuted(const std::vector<double> &values, std::array<int64_t, 4> sizes,
                             std::array<size_t, 4> perm) {
  std::array<int64_t, 4> strides = {sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1};
  std::vector<double> moved;
  std::array<int64_t, 4> i{};
  for (i[0] = 0; i[0] < sizes[perm[0]]; ++i[0])
    for (i[1] = 0; i[1] < sizes[perm[1]]; ++i[1])
      for (i[2] = 0; i[2] < sizes[perm[2]]; ++i[2])
        for (i[3] = 0; i[3] < sizes[perm[3]]; ++i[3]) {
          int64_t at = 0;
          for (size_t d = 0; d < 4; ++d)
            at += i[d] * strides[perm[d]];
          moved.push_back(values[static_cast<size_t>(at)]);
        }
  return moved;
}
constexpr std::array<int64_t, 4> fileSizes = {48, 32, 3, 3}, deviceSizes = {48, 3, 3, 32};
std::vector<double> asOnDevice(const std::vector<double> &file) {
  return permuted(file, fileSizes, {0, 2, 3, 1});
}
std::vector<double> asInFile(const std::vector<double> &device) {
  return permuted(device, deviceSizes, {0, 3, 1, 2});
}

void isWeightsShifted(const Seen &seen) {
  PlainConv conv = plainOf("plain");
  const std::vector<double> device = asOnDevice(conv.weights);
  std::vector<double> shifted(device.size());
  for (int64_t i = 0; i < std::ssize(device); ++i)
    if (const int64_t from = i + seen.of("elements"); from >= 0 && from < std::ssize(device))
      shifted[static_cast<size_t>(i)] = device[static_cast<size_t>(from)];
  conv.weights = asInFile(shifted);
  expectPlain(seen, conv, imageBefore(seen));
}
// The weights are stored as in the ONNX file but read in the device's order.
void isWeightsOrder(const Seen &seen) {
  PlainConv conv = plainOf("plain");
  conv.weights = asInFile(conv.weights);
  expectPlain(seen, conv, imageBefore(seen));
}
void isWeightsFlipped(const Seen &seen) {
  PlainConv conv = plainOf("plain");
  const PlainConv clean = conv;
  const std::string axes = seen.mutant.word("axes");
  size_t at = 0;
  for (int64_t o = 0; o < 48; ++o)
    for (int64_t c = 0; c < 32; ++c)
      for (int64_t i = 0; i < 3; ++i)
        for (int64_t j = 0; j < 3; ++j)
          conv.weights[at++] =
              clean.weight(32, o, c, axes == "columns" ? i : 2 - i, axes == "rows" ? j : 2 - j);
  expectPlain(seen, conv, imageBefore(seen));
}
void isWeightsTransposed(const Seen &seen) {
  PlainConv conv = plainOf("plain");
  conv.weights = permuted(conv.weights, fileSizes, {0, 1, 3, 2});
  expectPlain(seen, conv, imageBefore(seen));
}
// Checks that exactly the outputs of one tile are wrong.
void isOfOneTile(const Seen &seen) {
  std::set<int64_t> outputs;
  forEachPixel(seen.layer, [&](int64_t c, int64_t, int64_t, size_t i) {
    if (seen.layer.differs(i))
      outputs.insert(c);
  });
  ASSERT_FALSE(outputs.empty());
  EXPECT_LE(*outputs.rbegin() - *outputs.begin(), seen.layer.channels() / 2);
}

void expectSameValues(const Seen &seen) {
  std::vector<float> clean = seen.layer.clean, wrong = seen.layer.wrong;
  std::ranges::sort(clean);
  std::ranges::sort(wrong);
  EXPECT_EQ(clean, wrong);
}
void isOutputTransposed(const Seen &seen) {
  expectSameValues(seen);
  size_t wrong = 0;
  forEachPixel(seen.layer, [&](int64_t c, int64_t h, int64_t w, size_t i) {
    wrong += seen.layer.wrong[i] != seen.layer.clean[seen.layer.at(c, w, h)];
  });
  EXPECT_EQ(wrong, 0u);
}
void isChannelsFirst(const Seen &seen) { // channels-first data are read as if they were channels-last
  expectSameValues(seen);
  size_t wrong = 0, next = 0;
  for (int64_t h = 0; h < seen.layer.rows(); ++h)
    for (int64_t w = 0; w < seen.layer.columns(); ++w)
      for (int64_t c = 0; c < seen.layer.channels(); ++c)
        wrong += seen.layer.wrong[seen.layer.at(c, h, w)] != seen.layer.clean[next++];
  EXPECT_EQ(wrong, 0u);
}

// Checks that wrong elements were saturated in the clean result and have wrapped around to the other end of
// the type.
void hasWrapped(const Seen &seen) {
  const auto [low, high] = std::ranges::minmax(seen.layer.clean);
  size_t elsewhere = 0;
  for (size_t i = 0; i < seen.layer.size(); ++i)
    elsewhere += seen.layer.differs(i) && !seen.isAtRail(i);
  EXPECT_EQ(elsewhere, 0u);
  double largest = 0;
  for (size_t i = 0; i < seen.layer.size(); ++i)
    largest = std::max(largest, std::abs(seen.layer.error(i)));
  EXPECT_GT(largest, (high - low) / 4);
}
void isBounded(const Seen &seen) {
  std::set<float> ends;
  for (size_t i = 0; i < seen.layer.size(); ++i)
    if (seen.layer.differs(i))
      ends.insert(seen.layer.wrong[i]);
  ASSERT_EQ(ends.size(), 1u);
  const bool isLow = seen.mutant.word("bound") == "low";
  size_t onTheOtherSide = 0;
  for (size_t i = 0; i < seen.layer.size(); ++i)
    onTheOtherSide += seen.layer.differs(i) && (seen.layer.clean[i] < *ends.begin()) != isLow;
  EXPECT_EQ(onTheOtherSide, 0u);
}

void isReluDropped(const Seen &seen) {
  for (size_t i = 0; i < seen.layer.size(); ++i)
    ASSERT_TRUE(!seen.layer.differs(i) || (seen.layer.clean[i] == 0 && seen.layer.wrong[i] < 0)) << i;
}
// The results are compared only where the ReLU passes the input unchanged.
void isAnotherFunction(const Seen &seen) {
  const std::string word = seen.mutant.word("function");
  for (size_t i = 0; i < seen.layer.size(); ++i) {
    const double x = seen.layer.clean[i];
    if (x <= 0)
      continue;
    const double due = word == "neg"       ? -x
                       : word == "sigmoid" ? 1 / (1 + std::exp(-x))
                       : word == "tanh"    ? std::tanh(x)
                                           : x;
    ASSERT_NEAR(seen.layer.wrong[i], due, seen.tolerance()) << i;
  }
}
void isReluTooEarly(const Seen &seen) { // negative values are cut off before the addend is added
  size_t smaller = 0;
  for (size_t i = 0; i < seen.layer.size(); ++i)
    smaller += seen.layer.error(i) < -seen.tolerance();
  EXPECT_EQ(smaller, 0u);
}

// Checks a layer whose weights are read as unsigned: negative weights become large, and the inputs are not
// negative, so no result becomes smaller.
void isWeightsUnsigned(const Seen &seen) {
  size_t smaller = 0;
  for (size_t i = 0; i < seen.layer.size(); ++i)
    smaller += seen.layer.error(i) < 0;
  EXPECT_EQ(smaller, 0u);
}
void isMostlyWrong(const Seen &seen) { EXPECT_GT(seen.layer.numDifferent(), seen.layer.size() / 4); }
// Checks that all unsaturated elements are shifted by the same number of steps.
void isZeroPointOff(const Seen &seen) {
  const double due = static_cast<double>(seen.of("by")) * seen.layer.step;
  size_t inside = 0, wrong = 0;
  const auto [low, high] = std::ranges::minmax(seen.layer.wrong);
  for (size_t i = 0; i < seen.layer.size(); ++i) {
    if (seen.layer.wrong[i] == low || seen.layer.wrong[i] == high)
      continue;
    ++inside;
    wrong += std::abs(seen.layer.error(i) - due) > seen.layer.step / 2;
  }
  EXPECT_GT(inside, seen.layer.size() / 4);
  EXPECT_EQ(wrong, 0u);
}
// Checks that the error is constant in each output, away from the border.
void isInputZeroOff(const Seen &seen) {
  size_t uneven = 0;
  for (int64_t c = 0; c < seen.layer.channels(); ++c) {
    std::vector<double> errors;
    for (int64_t h = 1; h + 1 < seen.layer.rows(); ++h)
      for (int64_t w = 1; w + 1 < seen.layer.columns(); ++w)
        if (const size_t i = seen.layer.at(c, h, w); !seen.isAtRail(i))
          errors.push_back(seen.layer.error(i));
    std::ranges::sort(errors);
    if (!errors.empty())
      for (const double error : errors)
        uneven += std::abs(error - errors[errors.size() / 2]) > 1.01 * seen.layer.step;
  }
  EXPECT_LE(uneven, seen.layer.size() / 10); // a few saturated elements may deviate
}

void expectGain(const Seen &seen, const std::function<double(size_t output)> &gain) {
  size_t wrong = 0, compared = 0;
  const auto [low, high] = std::ranges::minmax(seen.layer.wrong);
  forEachPixel(seen.layer, [&](int64_t c, int64_t, int64_t, size_t i) {
    if (seen.layer.wrong[i] == low || seen.layer.wrong[i] == high || seen.isAtRail(i))
      return;
    ++compared;
    const double factor = gain(static_cast<size_t>(c));
    wrong += std::abs(seen.layer.wrong[i] - factor * seen.layer.clean[i]) > (1 + factor) * seen.layer.step;
  });
  EXPECT_GT(compared, seen.layer.size() / 10);
  EXPECT_EQ(wrong, 0u);
}
void isScaledByPower(const Seen &seen) {
  expectGain(seen, [&](size_t) { return std::ldexp(1, static_cast<int>(seen.of("power"))); });
}
// The scale of the weights of each output, from their largest magnitude.
std::vector<double> weightScales() {
  const auto weights = constantOf("plain.w");
  const size_t row = weights.size() / 48;
  std::vector<double> scales(48);
  for (size_t i = 0; i < weights.size(); ++i)
    scales[i / row] = std::max(scales[i / row], std::abs(weights[i]));
  return scales;
}
void isScaleShifted(const Seen &seen) {
  const auto scales = weightScales();
  expectGain(seen, [&](size_t o) {
    return scales[(o + static_cast<size_t>(seen.of("by"))) % scales.size()] / scales[o];
  });
}
void isScaleBroadcast(const Seen &seen) {
  const auto scales = weightScales();
  expectGain(seen, [&](size_t o) { return scales[0] / scales[o]; });
}

void isRoundedOtherwise(const Seen &seen) {
  for (size_t i = 0; i < seen.layer.size(); ++i)
    ASSERT_LE(std::abs(seen.layer.error(i)), 1.01 * seen.layer.step);
}

void isTailLost(const Seen &seen) {
  PlainConv conv = plainOf("plain");
  conv.channelsUsed = 32 - seen.of("products");
  expectPlain(seen, conv, imageBefore(seen));
}

// Expects that some elements are right, since the bug changes only the part of one tile and the parts that
// are computed from it.
void isOfAPart(const Seen &seen) { EXPECT_LT(seen.layer.numDifferent(), seen.layer.size()); }

void hasZeros(const Seen &seen) { // elements that a tile should have written are zero
  EXPECT_GE(std::ranges::count(seen.layer.wrong, 0.0F), std::ssize(seen.layer.wrong) / 8);
}
void isStrided(const Seen &seen) {
  const bool isRows = seen.mutant.word("axis") == "rows";
  PlainConv conv = plainOf("plain");
  (isRows ? conv.strideH : conv.strideW) += seen.of("by");
  expectPlain(seen, conv, imageBefore(seen));
}
void isDilated(const Seen &seen) {
  PlainConv conv = plainOf("plain");
  (seen.mutant.word("axis") == "rows" ? conv.dilationH : conv.dilationW) += seen.of("by");
  expectPlain(seen, conv, imageBefore(seen));
}
void isAnything(const Seen &) {}

const Injected injects[] = {
    {"pad-amount", "relu1", "fp32", isPadAmount},
    {"pad-amount", "relu1", "int8", isPadAmount},
    {"pad-amount", "pool", "fp32", isAnything},
    {"pad-side", "relu1", "fp32", isPadSide},
    {"pad-side", "plain", "int8", isPadSide},
    {"pad-value", "relu1", "fp32", isPadValue},
    {"pad-value", "plain", "int8", isPadValue},
    {"bias-missing", "plain", "fp32", isBiasMissing},
    {"bias-missing", "plain", "int8", isBiasMissing},
    {"bias-shifted", "plain", "fp32", isBiasShifted},
    {"bias-shifted", "plain", "int8", isBiasShifted},
    {"bias-stale", "plain", "fp32", isBiasStale},
    {"bias-scale", "plain", "fp32", isBiasScale},
    {"bias-scale:power=-1", "plain", "int8", isBiasScale},
    {"bias-broadcast", "plain", "fp32", isBiasBroadcast},
    {"bias-short", "plain", "fp32", isBiasShort},
    {"weights-rows-swapped", "plain", "fp32", isRowsSwapped},
    {"weights-blocks-swapped", "plain", "fp32", isBlocksSwapped},
    {"weights-stale", "plain", "fp32", isWeightsStale},
    {"weights-short", "plain", "fp32", isWeightsShort},
    {"weights-shifted", "plain", "fp32", isWeightsShifted},
    {"weights-shifted", "plain", "int8", isMostlyWrong},
    {"weights-wrong-tile", "fc", "fp32", isOfOneTile},
    {"weights-order", "plain", "fp32", isWeightsOrder},
    {"weights-flipped", "plain", "fp32", isWeightsFlipped},
    {"weights-transposed", "plain", "fp32", isWeightsTransposed},
    {"weights-transposed", "fc", "int8", isMostlyWrong},
    {"output-transposed", "plain", "fp32", isOutputTransposed},
    {"output-transposed", "pool", "int8", isOutputTransposed},
    {"output-channels-first", "plain", "fp32", isChannelsFirst},
    {"clip-missing", "", "bytes", hasWrapped},
    {"clip-bound", "plain", "int8", isBounded},
    {"activation-dropped", "relu1", "fp32", isReluDropped},
    {"activation-dropped", "soft", "int8", isMostlyWrong},
    {"activation-wrong", "relu1", "fp32", isAnotherFunction},
    {"activation-wrong", "soft", "int8", isMostlyWrong},
    {"activation-order", "relu2", "fp32", isReluTooEarly},
    {"input-type", "plain", "int8", isMostlyWrong},
    {"weights-type", "plain", "int8", isWeightsUnsigned},
    {"input-zero-point:by=3", "plain", "int8", isInputZeroOff},
    {"output-zero-point:by=7", "plain", "int8", isZeroPointOff},
    {"scale-power:power=-2", "plain", "int8", isScaledByPower},
    {"scale-shifted", "plain", "int8", isScaleShifted},
    {"scale-broadcast", "plain", "int8", isScaleBroadcast},
    {"wrap", "plain", "timid", hasWrapped},
    {"accumulator-narrow:bits=12", "plain", "int8", isOfAPart},
    {"rounding-mode", "plain", "int8", isRoundedOtherwise},
    {"depth-tail-lost", "plain", "fp32", isTailLost},
    {"partial-lost", "product", "product", isOfAPart},
    {"partial-doubled", "product", "product", isOfAPart},
    {"last-part-shifted", "plain", "fp32", isOfAPart},
    {"stride-wrong:axis=rows,by=1", "plain", "fp32", isStrided},
    {"dilation-wrong:axis=rows,by=1", "plain", "fp32", isDilated},
    {"base-shifted", "plain", "fp32", isMostlyWrong},
    {"pitch-wrong", "plain", "fp32", isMostlyWrong},
    {"dma-wrong-source", "plain", "fp32", isAnything},
    {"table-entry", "soft", "int8", isOfAPart},
    {"table-segment", "soft", "int8", isOfAPart},
    {"stuck-bit:bit=30,value=1", "plain", "fp32", isOfAPart},
    {"dead-lane", "plain", "fp32", isOfAPart},
    {"dead-tile", "plain", "fp32", hasZeros},
    {"flipped-bit:bit=6", "plain", "fp32", isAnything},
};

// Seeds tried per bug, because some random parameters change nothing.
constexpr uint64_t mostSeeds = 12;

std::string nameOfCase(const Injected &injected) {
  std::string name = fmt::format("{}_{}_{}", injected.bug, injected.layer, injected.setUp);
  for (char &character : name)
    if (!isalnum(character))
      character = '_';
  return name;
}

std::string textOf(const Injected &injected) {
  return *injected.layer ? fmt::format("{}@{}", injected.bug, injected.layer) : std::string(injected.bug);
}
bool isQuantised(const std::string &setUp) { return setUp == "int8" || setUp == "timid" || setUp == "bytes"; }

class Injection : public testing::TestWithParam<Injected> {};

TEST_P(Injection, ShowsTheSignatureOfItsBug) {
  const Injected &injected = GetParam();
  const MutantMaker &maker = makerFor(injected.setUp);
  for (uint64_t seed = 0; seed < mostSeeds; ++seed) {
    auto mutant = maker.inject(textOf(injected), seed);
    ASSERT_TRUE(mutant) << mutant.error().message();
    const RunMutant ran = maker.run(*std::move(mutant));
    SCOPED_TRACE(printBugChoice(ran.mutant.bug.choice) + " " + ran.caught.message);
    ASSERT_TRUE(ran.run.accumulated.ended);
    if (ran.equivalent)
      continue;
    ASSERT_TRUE(ran.run.isolated) << ran.run.notIsolated;
    EXPECT_TRUE(maker.isWrongFromRightInputs(ran));
    Seen seen{maker, ran, maker.evidence(ran), isQuantised(injected.setUp)};
    ASSERT_GT(seen.layer.numDifferent(), 0u);
    injected.signature(seen);
    return;
  }
  FAIL() << "no seed changes a bit";
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Injection, testing::ValuesIn(injects),
                         [](const auto &info) { return nameOfCase(info.param); });

// The bug can also be injected into the other precisions of the same kind (floats or 8-bit integers).
TEST_P(Injection, ChangesOtherPrecisions) {
  const Injected &injected = GetParam();
  const std::map<std::string, std::vector<const char *>> others = {{"fp32", {"fp16", "bf16"}},
                                                                   {"int8", {"uint8"}}};
  const auto entry = others.find(injected.setUp);
  if (entry == others.end())
    return;
  for (const char *precision : entry->second) {
    SCOPED_TRACE(precision);
    bool isChanged = false;
    for (uint64_t seed = 0; seed < mostSeeds && !isChanged; ++seed) {
      auto mutant = makerFor(precision).inject(textOf(injected), seed);
      ASSERT_TRUE(mutant) << mutant.error().message();
      isChanged = !makerFor(precision).run(*std::move(mutant)).equivalent;
    }
    EXPECT_TRUE(isChanged);
  }
}

// Bugs that do not change the result of their own layer. They show only in the layers that read this result,
// or as a finding of the analyser or a run-time trap.
const Injected noticed[] = {
    {"part-copied-twice", "", "many tiles", isAnything},
    {"halo-shifted", "", "fp32", isAnything},
    {"halo-lost", "", "fp32", isAnything},
    {"dma-short", "", "fp32", isAnything},
    {"store-wrong-tensor", "", "product", isAnything},
    {"buffers-overlap", "", "fp32", isAnything},
    {"wait-deleted", "", "fp32", isAnything},
    {"wait-late", "", "fp32", isAnything},
    {"wait-phase", "", "fp32", isAnything},
    {"wait-semaphore", "", "fp32", isAnything},
    {"signal-deleted", "", "fp32", isAnything},
    {"signal-early", "", "fp32", isAnything},
    {"sync-deleted", "", "fp32", isAnything},
    {"instructions-swapped", "", "fp32", isAnything},
    {"lost-signal", "", "fp32", isAnything},
    {"wrong-destination", "", "many tiles", isAnything},
};

class Noticed : public testing::TestWithParam<Injected> {};

// Injects the bug with several seeds. With each seed, the analyser or a trap reports it, or it changes
// numbers, or it is harmless. It must not be harmless with all seeds.
TEST_P(Noticed, ByNumbersOrByTheAnalyser) {
  const Injected &injected = GetParam();
  const MutantMaker &maker = makerFor(injected.setUp);
  size_t changed = 0, caught = 0;
  for (uint64_t seed = 0; seed < mostSeeds; ++seed) {
    auto mutant = maker.inject(injected.bug, seed);
    ASSERT_TRUE(mutant) << mutant.error().message();
    const RunMutant ran = maker.run(*std::move(mutant));
    SCOPED_TRACE(printBugChoice(ran.mutant.bug.choice) + " " + ran.caught.message);
    changed += !ran.equivalent;
    caught += !ran.caught.by.empty();
    EXPECT_TRUE(ran.run.accumulated.ended || !ran.caught.by.empty());
    const BugClass bugClass = ran.mutant.bug.choice.bug->bugClass;
    if (bugClass == BugClass::synchronisation) { // a race that nothing reports must not change the results
      EXPECT_TRUE(ran.equivalent || !ran.caught.by.empty());
    }
  }
  EXPECT_GT(changed + caught, 0u);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Noticed, testing::ValuesIn(noticed),
                         [](const auto &info) { return nameOfCase(info.param); });

// Whether a missing wait changes numbers depends on timing. With random delays (jitter), some runs must show
// it.
TEST(InjectionRules, AMissingWaitIsSeenUnderSomeJitter) {
  const MutantMaker &maker = makerFor("many tiles");
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const RunMutant ran = maker.run(valueOf(maker.inject("wait-deleted", seed)), seed);
    ASSERT_EQ(ran.caught.by, "analyser");
    if (!ran.equivalent)
      return;
  }
  FAIL() << "under no jitter";
}

// A late transfer changes no result if all its readers wait for it.
TEST(InjectionRules, ALateTransferIsNotNoticed) {
  const RunMutant ran = makerFor("fp32").run("delayed-dma", 1);
  EXPECT_TRUE(ran.equivalent);
  EXPECT_EQ(ran.caught.by, "");
  EXPECT_EQ(ran.run.accumulated.byBeats, "the effect of the hardware fault depends on time");
}

TEST(InjectionRules, TriesEveryBugOfTheCatalogue) {
  std::set<std::string_view> tried = {"none", "delayed-dma"};
  for (const std::span<const Injected> all :
       {std::span<const Injected>(injects), std::span<const Injected>(noticed)})
    for (const Injected &injected : all)
      tried.insert(parseBugChoice(injected.bug)->bug->id);
  for (const Bug &bug : bugCatalogue())
    EXPECT_TRUE(bug.isInPass() || tried.contains(bug.id)) << bug.id; // of passes: PassCheckTest.cpp
}

} // namespace
} // namespace tilerig::verify::test
