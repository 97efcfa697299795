#include "emulator/Memory/Box.h"

#include <algorithm>

namespace tilerig::emulator {

Box boxOf(const proto::Piece &piece) {
  return {piece.ddr() ? ddrMemory : ocmOf(piece.tile()),  piece.address(),
          {piece.begin().begin(), piece.begin().end()},   {piece.extent().begin(), piece.extent().end()},
          {piece.stride().begin(), piece.stride().end()}, piece.ready_at()};
}

int64_t elementsOf(const Box &box) {
  int64_t elements = 1;
  for (int64_t extent : box.extent)
    elements *= extent;
  return elements;
}

std::vector<Region> regionsOf(const Box &box, unsigned elementBytes) {
  std::vector<Steps> dims;
  for (size_t d = 0; d < box.extent.size(); ++d)
    if (box.extent[d] > 1)
      dims.push_back({box.stride[d], static_cast<uint64_t>(box.extent[d])});
  std::ranges::stable_sort(dims, std::ranges::greater(), &Steps::stride);
  // A region (set of bytes) can have fewer dimensions than a tensor, so there is one region for each index of
  // the outermost dimensions.
  std::vector<uint64_t> begins = {box.address};
  while (dims.size() > Region::maxRank) {
    std::vector<uint64_t> more;
    for (uint64_t begin : begins)
      for (uint64_t i = 0; i < dims.front().count; ++i)
        more.push_back(begin + i * dims.front().stride);
    begins = std::move(more);
    dims.erase(dims.begin());
  }
  std::vector<Region> regions;
  for (uint64_t begin : begins)
    appendRegions(begin, elementBytes, dims, regions);
  return regions;
}

namespace {

// The part of a box of elements that covers [begin, begin + extent) in dimension `dim`.
Box slice(const Box &box, size_t dim, int64_t begin, int64_t extent) {
  Box part = box;
  part.address += static_cast<uint64_t>(begin - box.begin[dim]) * box.stride[dim];
  part.begin[dim] = begin;
  part.extent[dim] = extent;
  return part;
}

// Whether two boxes, which are rectangular parts of a tensor, have a common element of the tensor.
bool meet(const Box &box, const Box &other) {
  for (size_t d = 0; d < box.begin.size(); ++d)
    if (other.begin[d] >= box.begin[d] + box.extent[d] || box.begin[d] >= other.begin[d] + other.extent[d])
      return false;
  return true;
}

// Appends to `rest` the part of `box` that is not in `other`, as at most two boxes for each dimension.
void subtract(Box box, const Box &other, std::vector<Box> &rest) {
  if (!meet(box, other)) {
    rest.push_back(std::move(box));
    return;
  }
  for (size_t d = 0; d < box.begin.size(); ++d) {
    const int64_t low = std::max(box.begin[d], other.begin[d]), boxEnd = box.begin[d] + box.extent[d];
    const int64_t high = std::min(boxEnd, other.begin[d] + other.extent[d]);
    if (low > box.begin[d])
      rest.push_back(slice(box, d, box.begin[d], low - box.begin[d]));
    if (high < boxEnd)
      rest.push_back(slice(box, d, high, boxEnd - high));
    box = slice(box, d, low, high - low);
  }
}

template <class Dims>
std::vector<StridedCopy::Dim> dimsOf(const Box &box, const Tensor &stored, Dims dim) {
  const uint64_t elementBytes = sizeBytes(stored.dtype());
  const std::vector<int64_t> strides = stored.strides();
  std::vector<StridedCopy::Dim> dims;
  for (size_t d = 0; d < box.extent.size(); ++d)
    dims.push_back(dim(static_cast<uint64_t>(box.extent[d]), static_cast<uint64_t>(strides[d]) * elementBytes,
                       box.stride[d]));
  return dims;
}

uint64_t offsetIn(const Tensor &stored, const Box &box) {
  const std::vector<int64_t> strides = stored.strides();
  int64_t offset = 0;
  for (size_t d = 0; d < box.begin.size(); ++d)
    offset += box.begin[d] * strides[d];
  return static_cast<uint64_t>(offset) * sizeBytes(stored.dtype());
}

} // namespace

std::vector<Box> disjointBoxes(const proto::Tensor &placement) {
  std::vector<Box> pieces, result;
  for (const proto::Piece &piece : placement.pieces()) {
    Box whole = boxOf(piece);
    std::vector<Box> left = {whole};
    for (const Box &earlier : pieces)
      if (meet(whole, earlier)) {
        std::vector<Box> rest;
        for (Box &box : left)
          subtract(std::move(box), earlier, rest);
        left = std::move(rest);
      }
    pieces.push_back(std::move(whole));
    std::ranges::move(left, std::back_inserter(result));
  }
  return result;
}

StridedCopy gathering(const Box &box, Tensor &stored, Memories &memories) {
  const unsigned elementBytes = static_cast<unsigned>(sizeBytes(stored.dtype()));
  uint64_t end = box.address + elementBytes;
  for (size_t d = 0; d < box.extent.size(); ++d)
    end += static_cast<uint64_t>(box.extent[d] - 1) * box.stride[d];
  return {stored.mutableBytes().data() + offsetIn(stored, box),
          memories.readable(box.memory, {box.address, end}), elementBytes,
          dimsOf(box, stored, [](uint64_t count, uint64_t dense, uint64_t stride) {
            return StridedCopy::Dim{count, dense, stride};
          })};
}

StridedCopy scattering(const Box &box, const Tensor &stored, Memories &memories) {
  return {memories.writable(box.memory, {box.address, box.address + 1}),
          stored.bytes().data() + offsetIn(stored, box), static_cast<unsigned>(sizeBytes(stored.dtype())),
          dimsOf(box, stored, [](uint64_t count, uint64_t dense, uint64_t stride) {
            return StridedCopy::Dim{count, stride, dense};
          })};
}

} // namespace tilerig::emulator
