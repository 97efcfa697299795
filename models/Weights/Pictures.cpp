#include "models/Weights/Pictures.h"

#include "models/Weights/Random.h"

#include <cmath>
#include <fmt/core.h>

namespace tilerig::models {

namespace {

// Smooth noise: the picture is divided into cells × cells squares; the corners of the squares have random
// values, which are interpolated bilinearly in between.
class SmoothNoise {
public:
  SmoothNoise(const RandomStream &stream, int64_t cells) : cells(cells) {
    for (int64_t i = 0; i < (cells + 1) * (cells + 1); ++i)
      knots.push_back(stream.bell(i));
  }

  // The noise at a position; y and x are in [0, 1).
  double at(double y, double x) const {
    double row = y * static_cast<double>(cells), column = x * static_cast<double>(cells);
    auto i = static_cast<int64_t>(row), j = static_cast<int64_t>(column);
    double down = row - static_cast<double>(i), right = column - static_cast<double>(j);
    const double *knot = knots.data() + i * (cells + 1) + j;
    double upper = knot[0] + right * (knot[1] - knot[0]);
    double lower = knot[cells + 1] + right * (knot[cells + 2] - knot[cells + 1]);
    return upper + down * (lower - upper);
  }

private:
  int64_t cells;
  std::vector<double> knots;
};

// Adds strength * noise to the three colour planes of a picture. The planes share most of the noise, as the
// colour channels of a photograph do.
void addOctave(std::span<double> planes, int64_t size, int64_t cells, double strength, uint64_t seed,
               const std::string &name) {
  SmoothNoise shared(RandomStream(seed, name), cells);
  for (int64_t plane = 0; plane < 3; ++plane) {
    SmoothNoise own(RandomStream(seed, fmt::format("{} plane {}", name, plane)), cells);
    for (int64_t i = 0; i < size * size; ++i) {
      double y = static_cast<double>(i / size) / static_cast<double>(size);
      double x = static_cast<double>(i % size) / static_cast<double>(size);
      planes[plane * size * size + i] += strength * (shared.at(y, x) + 0.4 * own.at(y, x));
    }
  }
}

void paint(std::span<double> planes, int64_t size, uint64_t seed, const std::string &name) {
  double strength = 1;
  for (int64_t cells = 2; cells <= size / 2; cells *= 2, strength *= 0.65)
    addOctave(planes, size, cells, strength, seed, fmt::format("{} octave {}", name, cells));
}

double settled(double value) {
  return std::nearbyint(std::min(3.0, std::max(-3.0, value)) * 0x1p10) * 0x1p-10;
}

} // namespace

Tensor pictures(int64_t count, int64_t size, uint64_t seed) {
  Tensor tensor(DType::f64, {count, 3, size, size});
  auto all = tensor.mutableAs<double>();
  int64_t each = 3 * size * size;
  for (int64_t picture = 0; picture < count; ++picture) {
    auto planes = all.subspan(static_cast<size_t>(picture * each), static_cast<size_t>(each));
    std::string name = fmt::format("picture {}", picture);
    RandomStream noise(seed, name);
    if (picture % 4 == 3)
      for (int64_t i = 0; i < each; ++i)
        planes[i] = noise.bell(i);
    else
      paint(planes, size, seed, name);
    for (double &pixel : planes)
      pixel = settled(pixel);
  }
  return tensor;
}

Tensor clips(int64_t count, int64_t frames, int64_t size, uint64_t seed) {
  const Tensor still = pictures(count, size, seed);
  const auto from = still.as<double>();
  Tensor moving(DType::f64, {count, 3, frames, size, size});
  size_t next = 0;
  const auto to = moving.mutableAs<double>();
  for (int64_t plane = 0; plane < 3 * count; ++plane)
    for (int64_t frame = 0; frame < frames; ++frame)
      for (int64_t row = 0; row < size; ++row)
        for (int64_t column = 0; column < size; ++column)
          to[next++] = from[static_cast<size_t>((plane * size + row) * size + (column + frame) % size)];
  return moving;
}

} // namespace tilerig::models
