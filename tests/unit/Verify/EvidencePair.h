// Fixture for tests of the classifier's features and maps: a reference of two channels of 4 x 8 with the
// distinct elements 1 to 64, and a target to compare with it.
#pragma once

#include "verify/Evidence/Channels.h"
#include "verify/Metrics/Compare.h"

#include <gtest/gtest.h>

namespace tilerig::verify::test {

class EvidencePair : public testing::Test {
protected:
  Tensor reference = Tensor(DType::f32, {1, 2, 4, 8}), target;
  Comparison comparison;
  FloatEvidence evidence;

  EvidencePair() {
    for (size_t i = 0; i < 64; ++i)
      reference.mutableAs<float>()[i] = static_cast<float>(i + 1);
    target = reference;
  }
  static size_t indexOf(size_t channel, size_t y, size_t x) { return channel * 32 + y * 8 + x; }
  float &at(size_t channel, size_t y, size_t x) { return target.mutableAs<float>()[indexOf(channel, y, x)]; }
  float due(size_t channel, size_t y, size_t x) const {
    return reference.as<float>()[indexOf(channel, y, x)];
  }
  void make(const Circumstances &known = {}) {
    comparison = compareTensors(reference, target);
    auto result = makeEvidence(reference, target, comparison, known);
    ASSERT_TRUE(result) << result.error().message();
    evidence = *std::move(result);
  }
  float cell(Channel channel, size_t row, size_t column) const {
    return evidence.channels.as<float>()[(static_cast<size_t>(channel) * 64 + row) * 64 + column];
  }
  float feature(Feature which) const { return evidence.features[static_cast<size_t>(which)]; }
  // Expects the map (channel) to hold `number` in the given rows and columns, and zero in all other cells.
  void expectOnly(Channel channel, size_t firstRow, size_t rows, size_t firstColumn, size_t columns,
                  float number) const {
    for (size_t row = 0; row < 64; ++row)
      for (size_t column = 0; column < 64; ++column) {
        const bool isThere = row - firstRow < rows && column - firstColumn < columns; // unsigned
        ASSERT_EQ(cell(channel, row, column), isThere ? number : 0) << row << ", " << column;
      }
  }
};

} // namespace tilerig::verify::test
