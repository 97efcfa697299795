#include "verify/Evidence/Maps.h"

#include "verify/Evidence/ErrorMap.h"
#include "verify/Metrics/Element.h"

#include <algorithm>

namespace tilerig::verify {

Maps::Scale::Scale(size_t size) : size(std::max<size_t>(size, 1)), bins(std::min(this->size, evidenceSide)) {}

template <class Number>
void Maps::Grid::write(std::span<float> out, Number number) const {
  for (size_t row = 0; row < evidenceSide; ++row)
    for (size_t column = 0; column < evidenceSide; ++column)
      out[row * evidenceSide + column] =
          static_cast<float>(number(cells[down.binOfCell(row) * across.bins + across.binOfCell(column)]));
}

Maps::Maps(const Place &place, const Comparison &comparison)
    : width(place.width()),
      largest(comparison.largestReference > 0 ? comparison.largestReference : comparison.largestTarget),
      image(place.height(), place.width()), channels(place.channels(), place.height() * place.width()),
      lanes(std::min(place.channels(), evidenceSide),
            std::min(place.height() * place.width(), evidenceSide)) {}

void Maps::add(const Place::Of &at, double reference, double target, bool varies) {
  const size_t pixel = at.row * width + at.column;
  Cell &onImage = image.at(at.row, at.column);
  Cell &inChannel = channels.at(at.channel, pixel);
  Cell &inLane = lanes.at(at.channel % evidenceSide, pixel % evidenceSide);
  ++onImage.elements, ++inChannel.elements, ++inLane.elements;
  onImage.varying += varies;
  if (nonFiniteAgree(reference, target))
    return;
  ++onImage.different, ++inChannel.different, ++inLane.different;
  const double error = target - reference;
  const bool isFinite = std::isfinite(error);
  const Level level = isFinite ? levelOf(std::fabs(error), largest) : notFiniteLevel;
  onImage.level = std::max(onImage.level, level);
  if (isFinite && largest > 0)
    inChannel.error += error / largest;
}

void Maps::writeDifferingByImage(std::span<float> out) const {
  image.write(out, [](const Cell &cell) { return densityOf(cell.different, cell.elements); });
}
void Maps::writeDifferingByChannel(std::span<float> out) const {
  channels.write(out, [](const Cell &cell) { return densityOf(cell.different, cell.elements); });
}
void Maps::writeDifferingByLanes(std::span<float> out) const {
  lanes.write(out, [](const Cell &cell) { return densityOf(cell.different, cell.elements); });
}
void Maps::writeVaryingByImage(std::span<float> out) const {
  image.write(out, [](const Cell &cell) { return densityOf(cell.varying, cell.elements); });
}

void Maps::writeErrorByImage(std::span<float> out) const {
  image.write(out, [](const Cell &cell) { return static_cast<double>(cell.level) / notFiniteLevel; });
}

void Maps::writeErrorByChannel(std::span<float> out) const {
  auto meanOf = [](const Cell &cell) {
    return cell.elements ? cell.error / static_cast<double>(cell.elements) : 0;
  };
  double most = 0;
  for (const Cell &cell : channels.cells)
    most = std::max(most, std::fabs(meanOf(cell)));
  channels.write(out, [&](const Cell &cell) { return most > 0 ? (1 + meanOf(cell) / most) / 2 : 0.5; });
}

} // namespace tilerig::verify
