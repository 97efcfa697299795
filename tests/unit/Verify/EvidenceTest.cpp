// Tests of the picture of the error grid, and of the maps (channels) of an error for the classifier, in which
// cells count elements.
#include "tests/support/RandomTensor.h"
#include "verify/Evidence/Channels.h"
#include "verify/Evidence/Picture.h"
#include "verify/Metrics/Compare.h"

#include <gtest/gtest.h>
#include <png.h>

namespace tilerig::verify {
namespace {

class EvidenceOfPair : public testing::Test {
protected:
  // Tensors of two channels of 4 x 8.
  Tensor reference = Tensor(DType::f32, {1, 2, 4, 8}), target;
  Comparison comparison;
  Tensor channels;
  Features features{};

  EvidenceOfPair() {
    for (size_t i = 0; i < 64; ++i)
      reference.mutableAs<float>()[i] = static_cast<float>(i % 7 + 1) * (i % 2 ? 1.f : -1.f);
    target = reference;
  }
  float &at(size_t channel, size_t y, size_t x) {
    return target.mutableAs<float>()[channel * 32 + y * 8 + x];
  }
  void make(const Seams &seams = {}) {
    Circumstances known;
    known.seams = seams;
    makeKnowing(known);
  }
  void makeKnowing(const Circumstances &known) {
    comparison = compareTensors(reference, target);
    const FloatEvidence evidence = *makeEvidence(reference, target, comparison, known);
    channels = evidence.channels;
    features = evidence.features;
  }
  // The number of elements in a cell of a map, decoded from the logarithmic value that the map stores.
  uint64_t count(Channel channel, size_t row, size_t column) {
    const size_t index = (static_cast<size_t>(channel) * 64 + row) * 64 + column;
    const double share = static_cast<double>(channels.as<float>()[index]);
    return static_cast<uint64_t>(std::lround(std::pow(65.0, share) - 1)); // of 64 elements
  }
  uint64_t countRow(Channel channel, size_t row) {
    uint64_t sum = 0;
    for (size_t column = 0; column < 64; ++column)
      sum += count(channel, row, column);
    return sum;
  }
};

constexpr size_t equalLine = 31, undefinedLine = 63;

TEST_F(EvidenceOfPair, EveryElementIsInEveryChannelThatKnowsIt) {
  at(0, 1, 1) *= 1.5f;
  at(1, 3, 7) = 0;
  make({{}, {}, {2}, {4}});
  EXPECT_EQ(channels.dtype(), DType::f32);
  EXPECT_EQ(channels.shape(), (Shape{19, 64, 64}));
  for (size_t channel = 0; channel <= static_cast<size_t>(Channel::sortedBySorted); ++channel) {
    SCOPED_TRACE(nameOf(static_cast<Channel>(channel)));
    uint64_t sum = 0;
    for (size_t row = 0; row < 64; ++row)
      sum += countRow(static_cast<Channel>(channel), row);
    EXPECT_EQ(sum, channel == static_cast<size_t>(Channel::zeroReference) ? 0u : 64u);
  }
}

TEST_F(EvidenceOfPair, RowsAreRelativeErrors) {
  EXPECT_EQ(evidenceRow(0), equalLine);
  EXPECT_EQ(evidenceRow(std::numeric_limits<double>::quiet_NaN()), undefinedLine);
  EXPECT_EQ(evidenceRow(1e9), 62u);
  EXPECT_EQ(evidenceRow(-1e9), 0u);
  EXPECT_EQ(evidenceRow(1e-9), 32u);
  EXPECT_EQ(evidenceRow(-1e-9), 30u);
  make();
  EXPECT_EQ(countRow(Channel::relativeByOom, equalLine), 64u);
  // Nine reference elements have the largest magnitude, 7.
  EXPECT_EQ(count(Channel::relativeByOom, equalLine, 0), 9u);
}

TEST_F(EvidenceOfPair, AnOffsetKeepsItsSignByGainAndAGainByRelative) {
  for (float &x : target.mutableAs<float>())
    x += 0.5f;
  make();
  uint64_t above = 0, relativeAbove = 0;
  for (size_t row = 32; row < 63; ++row) {
    above += countRow(Channel::gainByOom, row);
    relativeAbove += countRow(Channel::relativeByOom, row);
  }
  EXPECT_EQ(above, 64u);
  EXPECT_EQ(relativeAbove, 32u); // the other half of the reference elements is negative
}

TEST_F(EvidenceOfPair, PlacesOfAnError) {
  at(1, 2, 3) += 10;
  make({{}, {}, {2}, {4}});
  const size_t row = evidenceRow(comparison.worst.at(0).absolute / comparison.worst[0].reference * 100);
  ASSERT_NE(row, equalLine);
  EXPECT_EQ(countRow(Channel::relativeByBorder, row), 1u);
  // The wrong element is in row 2: one row lies between it and the image's border.
  EXPECT_EQ(count(Channel::relativeByBorder, row, 1), 1u);
  EXPECT_EQ(count(Channel::relativeBySeam, row, 0), 1u); // the part that one tile computes begins at row 2
  EXPECT_EQ(count(Channel::relativeByChannel, row, 32), 1u);
  EXPECT_EQ(count(Channel::relativeByLane, row, 1), 1u);
  EXPECT_EQ(count(Channel::relativeByPosition, row, 32 + 2 * 8 + 3), 1u);
  make();
  // Without a program it is unknown which part of the tensor each tile computes.
  EXPECT_EQ(countRow(Channel::relativeBySeam, row), 0u);
}

TEST_F(EvidenceOfPair, ZerosOnlyInTheReference) {
  reference.mutableAs<float>()[5] = 0;
  make();
  EXPECT_EQ(countRow(Channel::relativeByOom, undefinedLine), 1u);
  uint64_t sum = 0;
  for (size_t row = 0; row < 64; ++row)
    sum += count(Channel::zeroReference, row, 5);
  EXPECT_EQ(sum, 1u);
}

TEST_F(EvidenceOfPair, WhatIsNotFiniteStandsApart) {
  at(0, 0, 0) = std::numeric_limits<float>::quiet_NaN();
  make();
  EXPECT_EQ(count(Channel::relativeByOom, undefinedLine, 63), 1u);
}

TEST_F(EvidenceOfPair, MovedValuesLieOnTheDiagonalOfSorted) {
  std::reverse(target.mutableAs<float>().begin(), target.mutableAs<float>().end());
  make();
  EXPECT_GT(comparison.different, 30u);
  for (size_t row = 0; row < 64; ++row)
    for (size_t column = 0; column < 64; ++column)
      if (row != column) {
        EXPECT_EQ(count(Channel::sortedBySorted, row, column), 0u) << row << " " << column;
      }
  at(0, 2, 2) = -7;
  at(0, 2, 4) = -7;
  make();
  uint64_t beside = 0;
  for (size_t row = 0; row < 64; ++row)
    for (size_t column = 0; column < 64; ++column)
      beside += row != column ? count(Channel::sortedBySorted, row, column) : 0;
  EXPECT_GT(beside, 0u);
}

TEST_F(EvidenceOfPair, FilesSayTheirVersion) {
  make();
  TensorMap file = evidenceFile({channels, features}, comparison);
  EXPECT_TRUE(identical(**file.get("version"), Tensor::scalar<int64_t>(4)));
  EXPECT_EQ((*file.get("features"))->shape(), (Shape{static_cast<int64_t>(numFeatures)}));
  EXPECT_TRUE(identical(**file.get("limits"), Tensor::of<double>({3}, {100, 3, 1})));
  EXPECT_TRUE(identical(**file.get("elements"), Tensor::scalar<uint64_t>(64)));
  EXPECT_TRUE(identical(**file.get("channels"), channels));
}

using Pixel = std::array<int, 3>;
constexpr Pixel white = {255, 255, 255}, black = {0, 0, 0};

Pixel pixelAt(const Picture &picture, size_t x, size_t y) {
  const uint8_t *pixel = &picture.rgb[(y * picture.width + x) * 3];
  return {pixel[0], pixel[1], pixel[2]};
}

// A pixel in the left part of a cell of the picture, by default at half the height of the cell; rows count
// from the top of the picture.
Pixel inCell(const Picture &picture, size_t row, size_t column, size_t y = 1) {
  return pixelAt(picture, plotLeft + column * cellWidth + 2, plotTop + (gridRows - 1 - row) * cellHeight + y);
}
bool isRed(const Pixel &pixel) { return pixel[0] > pixel[2]; }
bool isBlue(const Pixel &pixel) { return pixel[2] > pixel[0]; }

TEST(PictureOfElements, ColoursAndLines) {
  // Three elements: the largest, which is right; one that is 4 times smaller and 12.5 % off; and one that is
  // 1000 times smaller and 100 % off.
  auto r = Tensor::of<float>({3}, {4000, 1000, 4});
  auto t = Tensor::of<float>({3}, {4000, 1125, 8});
  Picture picture = drawPicture(compareTensors(r, t));
  const Pixel passed = inCell(picture, 72, 0), failed = inCell(picture, 73 + 41, 6),
              discarded = inCell(picture, 73 + 50, 30);
  EXPECT_TRUE(isBlue(passed));
  EXPECT_TRUE(isRed(failed));
  EXPECT_EQ(discarded[0], discarded[1]); // grey
  EXPECT_NE(discarded, white);
  EXPECT_EQ(inCell(picture, 80, 40), white);
  // The picture of the error grid has lines at the limits. Elements may be at most 100 times smaller than the
  // largest: a line to the right of the column for 80 to 100. Relative errors may be at most 3 %: lines at
  // the outer edges of the rows for 2.5 to 3 %, above and below zero.
  EXPECT_EQ(pixelAt(picture, plotLeft + 21 * cellWidth, plotTop + 5), black);
  EXPECT_EQ(pixelAt(picture, plotLeft + 21 * cellWidth - 1, plotTop + 5), white);
  EXPECT_EQ(inCell(picture, 73 + 36, 40, cellHeight - 1), black);
  EXPECT_EQ(inCell(picture, 71 - 36, 40, 0), black);
}

// The row of the picture in which the line for the limit of errors above zero lies: that of the uppermost
// black pixel in a column of pixels without elements.
size_t upperLine(const Picture &picture) {
  size_t y = plotTop;
  while (pixelAt(picture, plotLeft + 40 * cellWidth + 1, y) != black)
    ++y;
  return y;
}

TEST(PictureOfElements, LimitsStandAtAnyNumber) {
  auto r = Tensor::of<float>({1}, {1});
  std::vector<size_t> lines;
  for (double limit : {6.0, 7.0, 8.0, 20.0, 22.0, 25.0, 300.0, 330.0, 400.0, 480.0, 500.0, 1e5}) {
    CompareOptions options;
    options.limits.relativePercent = limit;
    lines.push_back(upperLine(drawPicture(compareTensors(r, r, options))));
  }
  // A larger limit gives a higher line in the picture, and no two lines coincide.
  EXPECT_EQ(std::ranges::adjacent_find(lines, std::less_equal()), lines.end());
}

// Errors of 6.5 % and 7.5 % lie in the same cell of the grid. The line of a limit of 7 % cuts the cell in
// two, and each part has the colour of the error on its side.
TEST(PictureOfElements, ACutCellShowsBothSides) {
  auto r = Tensor::of<double>({2}, {1, 1}), t = Tensor::of<double>({2}, {1.065, 1.075});
  CompareOptions options;
  options.limits.relativePercent = 7;
  const Picture picture = drawPicture(compareTensors(r, t, options));
  constexpr size_t row = 73 + 39; // the row of the error grid for errors above 6 and up to 8 %
  EXPECT_TRUE(isRed(inCell(picture, row, 0, 0)));
  EXPECT_TRUE(isBlue(inCell(picture, row, 0, cellHeight - 1)));
}

// The picture of the error grid has labels left of, below and above the plot, and beside the lines of limits.
TEST(PictureOfElements, HasAxes) {
  auto r = Tensor::of<float>({3}, {4000, 1000, 4});
  const Picture picture = drawPicture(compareTensors(r, r));
  const size_t right = plotLeft + gridColumns * cellWidth, bottom = plotTop + gridRows * cellHeight;
  auto ink = [&](size_t left, size_t top, size_t end, size_t below) {
    size_t count = 0;
    for (size_t y = top; y < below; ++y)
      for (size_t x = left; x < end; ++x)
        count += pixelAt(picture, x, y) != white;
    return count;
  };
  EXPECT_GT(ink(0, plotTop, plotLeft - 1, bottom), 500u);
  EXPECT_GT(ink(plotLeft, bottom + 1, right, picture.height), 500u);
  EXPECT_GT(ink(plotLeft, 0, right, plotTop - 1), 200u);
  EXPECT_GT(ink(right + 1, plotTop, picture.width, bottom), 50u);
}

// The encoded PNG as read by libpng.
TEST(PictureOfElements, AsPng) {
  auto r = Tensor::of<float>({3}, {4000, 1000, 4});
  Picture picture = drawPicture(compareTensors(r, r));
  auto bytes = encodePng(picture);
  ASSERT_TRUE(bytes);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_memory(&image, bytes->data(), bytes->size()));
  image.format = PNG_FORMAT_RGB;
  std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(image));
  ASSERT_TRUE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr));
  EXPECT_EQ(image.width, picture.width);
  EXPECT_EQ(image.height, picture.height);
  EXPECT_EQ(pixels, picture.rgb);
}

} // namespace
} // namespace tilerig::verify
