#include "verify/Evidence/Replays/Families.h"

namespace tilerig::verify {

static void tryReadings(Replayer &replayer, Feature family, const std::vector<Reading> &readings) {
  replayer.tryAll(family, readings.size(),
                  [&](size_t i, size_t member) { return replayer.wrong().sumWith(i, readings[member]); });
}

void moveInput(Replayer &replayer) {
  std::vector<Reading> moved, longer, shifted;
  for (size_t member = 0; member < 2 * farthest; ++member) {
    moved.emplace_back().address = moveOf(member);
    longer.emplace_back().pitch = moveOf(member);
  }
  for (int64_t rows = -2; rows <= 2; ++rows)
    for (int64_t columns = -2; columns <= 2; ++columns)
      if (rows != 0 || columns != 0)
        shifted.push_back({.rows = {.shift = rows}, .columns = {.shift = columns}});
  tryReadings(replayer, Feature::replayMovedInput, moved);
  if (replayer.wrong().product.inputSizes[1] > 1)
    tryReadings(replayer, Feature::replayLongerRows, longer);
  tryReadings(replayer, Feature::replayShiftedInput, shifted);
}

void changeWindow(Replayer &replayer) {
  const Product &product = replayer.wrong().product;
  std::vector<Reading> strides, dilations, cuts;
  for (const bool isRows : {true, false}) {
    const Product::Axis &axis = isRows ? product.rows : product.columns;
    const auto add = [&](std::vector<Reading> &readings, Reading::Axis change) {
      readings.emplace_back();
      (isRows ? readings.back().rows : readings.back().columns) = change;
    };
    for (const int64_t by : {-2, -1, 1, 2}) {
      if (axis.stride + by > 0)
        add(strides, {.stride = by});
      if (axis.dilation + by > 0)
        add(dilations, {.dilation = by});
    }
    for (const int64_t by : {1, 2}) {
      add(cuts, {.cutFront = by});
      add(cuts, {.cutBehind = by});
    }
  }
  tryReadings(replayer, Feature::replayStride, strides);
  if (product.weightSizes[1] * product.weightSizes[2] > 1)
    tryReadings(replayer, Feature::replayDilation, dilations);
  tryReadings(replayer, Feature::replayMorePadding, cuts);
}

} // namespace tilerig::verify
