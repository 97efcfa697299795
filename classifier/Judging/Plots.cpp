#include "classifier/Judging/Plots.h"

#include "isa/Base/Support/File.h"

#include <algorithm>
#include <numeric>

namespace tilerig::classifier {

namespace {

constexpr size_t plotWidth = 640, plotHeight = 320, cell = 20;

verify::Picture blank(size_t width, size_t height) {
  return {width, height, std::vector<uint8_t>(width * height * 3, 255)};
}

void fill(verify::Picture &picture, size_t x, size_t y, size_t size, verify::Colour colour) {
  for (size_t row = y; row < std::min(y + size, picture.height); ++row)
    for (size_t column = x; column < std::min(x + size, picture.width); ++column) {
      uint8_t *pixel = &picture.rgb[(row * picture.width + column) * 3];
      pixel[0] = colour.red, pixel[1] = colour.green, pixel[2] = colour.blue;
    }
}

void drawCurve(verify::Picture &picture, const std::vector<double> &values, double most,
               verify::Colour colour) {
  if (values.empty())
    return;
  for (size_t x = 0; x < plotWidth; ++x) {
    const double at = static_cast<double>(x) / (plotWidth - 1) * static_cast<double>(values.size() - 1);
    const auto left = static_cast<size_t>(at), right = std::min(left + 1, values.size() - 1);
    const double value = values[left] + (at - static_cast<double>(left)) * (values[right] - values[left]);
    const double height = std::clamp(1 - value / most, 0.0, 1.0) * (plotHeight - 3);
    fill(picture, x, static_cast<size_t>(height), 3, colour);
  }
}

} // namespace

verify::Picture drawLosses(const std::vector<double> &training, const std::vector<double> &checking) {
  verify::Picture picture = blank(plotWidth, plotHeight);
  double most = 1e-9;
  for (const auto *losses : {&training, &checking})
    for (double loss : *losses)
      most = std::max(most, loss);
  drawCurve(picture, training, most, verify::passedColour);
  drawCurve(picture, checking, most, verify::failedColour);
  return picture;
}

verify::Picture drawConfusion(const Confusion &confusion) {
  verify::Picture picture = blank(numBugClasses * cell, numBugClasses * cell);
  for (size_t i = 0; i < numBugClasses; ++i) {
    const size_t all = std::accumulate(confusion[i].begin(), confusion[i].end(), size_t{0});
    for (size_t j = 0; j < numBugClasses; ++j) {
      const double share = all ? static_cast<double>(confusion[i][j]) / static_cast<double>(all) : 0;
      const auto light = static_cast<uint8_t>(255 - 255 * share);
      fill(picture, j * cell, i * cell, cell - 1,
           i == j ? verify::Colour{light, light, 255} : verify::Colour{255, light, light});
    }
  }
  return picture;
}

Status writePicture(const std::string &path, const verify::Picture &picture) {
  TILERIG_TRY(const std::vector<std::byte> png, encodePng(picture));
  return writeText(path, {reinterpret_cast<const char *>(png.data()), png.size()});
}

} // namespace tilerig::classifier
