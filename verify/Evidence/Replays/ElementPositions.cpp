#include "verify/Evidence/Replays/ElementPositions.h"

namespace tilerig::verify {

namespace {

bool isIn(const TilePart &part, const std::vector<int64_t> &indices) {
  for (size_t axis = 0; axis < indices.size(); ++axis)
    if (indices[axis] < part.begin[axis] || indices[axis] >= part.begin[axis] + part.extent[axis])
      return false;
  return true;
}

} // namespace

ElementPositions::ElementPositions(const Shape &shape, const Circumstances &known)
    : shape(shape), known(known), strides(shape.size()) {
  const std::vector<size_t> &order = known.product->order;
  Shape ofResult(shape.size());
  for (size_t axis = 0; axis < shape.size(); ++axis)
    ofResult[order[axis]] = shape[axis];
  std::vector<size_t> stridesOfResult(shape.size(), 1);
  for (size_t axis = shape.size() - 1; axis-- > 0;)
    stridesOfResult[axis] = stridesOfResult[axis + 1] * static_cast<size_t>(ofResult[axis + 1]);
  for (size_t axis = 0; axis < shape.size(); ++axis)
    strides[axis] = stridesOfResult[order[axis]];
}

ElementPosition ElementPositions::of(const WrongElement &element) const {
  const std::vector<int64_t> indices = indicesOf(element.index);
  ElementPosition position = positionInResult(indexInResult(indices));
  position.reference = element.reference;
  position.target = element.target;
  if (known.parts)
    for (const TilePart &part : *known.parts)
      if (isIn(part, indices)) {
        const ElementPosition first = positionInResult(indexInResult(part.begin));
        position.firstRow = first.row, position.firstColumn = first.column;
        break;
      }
  return position;
}

std::vector<int64_t> ElementPositions::indicesOf(size_t index) const {
  std::vector<int64_t> indices(shape.size());
  for (size_t axis = indices.size(); axis-- > 0;) {
    const auto size = static_cast<size_t>(shape[axis]);
    indices[axis] = static_cast<int64_t>(index % size);
    index /= size;
  }
  return indices;
}

size_t ElementPositions::indexInResult(const std::vector<int64_t> &indices) const {
  size_t index = 0;
  for (size_t axis = 0; axis < indices.size(); ++axis)
    index += static_cast<size_t>(indices[axis]) * strides[axis];
  return index;
}

ElementPosition ElementPositions::positionInResult(size_t index) const {
  const Product::Sizes &sizes = known.product->resultSizes;
  ElementPosition position;
  position.output = index % sizes[3];
  position.place = index / sizes[3];
  position.column = static_cast<int64_t>(position.place % sizes[2]);
  position.row = static_cast<int64_t>(position.place / sizes[2] % sizes[1]);
  position.batch = static_cast<int64_t>(position.place / sizes[2] / sizes[1]);
  return position;
}

} // namespace tilerig::verify
