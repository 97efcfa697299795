#include "verify/Evidence/Place.h"

#include <algorithm>

namespace tilerig::verify {

// Distance of each index of an axis to the nearest seam between tiles; 0 for the elements on both sides of a
// seam.
static std::vector<size_t> distancesTo(const std::vector<int64_t> &seams, size_t size) {
  std::vector<size_t> distances;
  for (size_t i = 0; i < size && !seams.empty(); ++i) {
    size_t nearest = size;
    for (int64_t seam : seams) {
      const auto at = static_cast<size_t>(seam);
      nearest = std::min(nearest, i >= at ? i - at : at - 1 - i);
    }
    distances.push_back(nearest);
  }
  return distances;
}

static std::vector<size_t> countersOf(size_t index, std::span<const size_t> dims) {
  std::vector<size_t> counters(dims.size());
  for (size_t axis = dims.size(); axis-- > 0;) {
    const size_t size = std::max<size_t>(dims[axis], 1); // an empty tensor must not cause a division by zero
    counters[axis] = index % size;
    index /= size;
  }
  return counters;
}

Place::Place(Shape shape, uint64_t elements, const Seams &seams) : dims(shape.begin(), shape.end()) {
  channel = dims.size() > 1 ? 1 : 0;
  image = dims.size() > 2 ? 2 : channel;
  imageEnd = dims.size();
  size_t count = 1;
  for (size_t size : dims)
    count *= size;
  if (count != elements)
    dims.push_back(2);
  for (size_t axis = 0; axis < dims.size(); ++axis)
    seamDistance.push_back(
        distancesTo(axis < seams.size() ? seams[axis] : std::vector<int64_t>(), dims[axis]));
}

Place::Axis Place::axis(size_t which) const {
  if (which >= dims.size())
    return {};
  Axis axis{dims[which], 1};
  for (size_t inner = which + 1; inner < dims.size(); ++inner)
    axis.stride *= dims[inner];
  return axis;
}

size_t Place::height() const {
  size_t height = 1;
  for (size_t axis = image; axis + 1 < imageEnd; ++axis)
    height *= dims[axis];
  return height;
}

Place::Of Place::of(size_t index) const { return at(countersOf(index, dims)); }

Place::Of Place::at(std::span<const size_t> counters) const {
  Of place;
  size_t rowStep = 1;
  size_t border = SIZE_MAX, seam = SIZE_MAX;
  for (size_t axis = dims.size(); axis-- > 0;) {
    const size_t at = counters[axis];
    if (axis == channel)
      place.channel = at;
    if (axis + 1 == imageEnd && axis >= image) {
      place.column = at;
    } else if (axis >= image && axis < imageEnd) {
      place.row += at * rowStep;
      rowStep *= dims[axis];
    }
    if (axis >= image && axis < imageEnd)
      border = std::min({border, at, dims[axis] - 1 - at});
    if (!seamDistance[axis].empty())
      seam = std::min(seam, seamDistance[axis][at]);
  }
  place.border = border == SIZE_MAX ? 0 : border;
  if (seam != SIZE_MAX)
    place.seam = seam;
  return place;
}

PlaceWalk::PlaceWalk(const Place &place, size_t begin)
    : place(place), counters(countersOf(begin, place.dims)) {}

Place::Of PlaceWalk::next() {
  const Place::Of here = place.at(counters);
  for (size_t axis = counters.size(); axis-- > 0;) {
    if (++counters[axis] < place.dims[axis])
      break;
    counters[axis] = 0;
  }
  return here;
}

} // namespace tilerig::verify
