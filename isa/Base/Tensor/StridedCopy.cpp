#include "isa/Base/Tensor/StridedCopy.h"

#include <algorithm>
#include <cstring>

namespace tilerig {

static int64_t signedOf(uint64_t steps) { return static_cast<int64_t>(steps); }

StridedCopy::StridedCopy(std::byte *to, const std::byte *from, unsigned elementBytes, std::vector<Dim> dims)
    : to(to), from(from), unit(elementBytes), dims(std::move(dims)) {
  simplify();
}

// Merges neighbouring dimensions of the copy that have no gap between them in source and destination. If the
// innermost dimension is contiguous, it becomes part of `unit`, the number of bytes that are copied at once.
void StridedCopy::simplify() {
  std::erase_if(dims, [](const Dim &dim) { return dim.count == 1; });
  std::ranges::stable_sort(dims, std::ranges::greater(), &Dim::to);
  std::vector<Dim> merged;
  for (const Dim &dim : dims) {
    if (!merged.empty() && merged.back().to == dim.to * dim.count &&
        merged.back().from == dim.from * dim.count)
      merged.back() = {merged.back().count * dim.count, dim.to, dim.from};
    else
      merged.push_back(dim);
  }
  dims = std::move(merged);
  if (!dims.empty() && dims.back().to == unit && dims.back().from == unit) {
    unit *= dims.back().count;
    dims.pop_back();
  }
  if (dims.size() < 2 || (unit != 1 && unit != 2 && unit != 4))
    return;
  // Move the dimension that is contiguous in the source to the last but one place, as transpose() requires.
  const auto nearest = std::ranges::min_element(dims, {}, &Dim::from);
  transposes = nearest != dims.end() - 1 && nearest->from == unit;
  if (transposes)
    std::rotate(nearest, nearest + 1, dims.end() - 1);
}

void StridedCopy::run() const { copyFrom(0, to, from); }

void StridedCopy::copyFrom(size_t dim, std::byte *to, const std::byte *from) const {
  if (dim == dims.size()) {
    std::memcpy(to, from, unit);
    return;
  }
  if (transposes && dim + 2 == dims.size())
    return transpose(to, from);
  for (uint64_t i = 0; i < dims[dim].count; ++i)
    copyFrom(dim + 1, to + i * dims[dim].to, from + signedOf(i * dims[dim].from));
}

namespace {

// Transposes a block of `rows` times `columns` elements; rows of the source are `rowFrom` bytes apart,
// columns of the destination `columnTo` bytes.
template <class T>
void transposeBlock(T *to, uint64_t columnTo, const std::byte *from, int64_t rowFrom, uint64_t rows,
                    uint64_t columns) {
  for (uint64_t column = 0; column < columns; ++column) {
    T *row = reinterpret_cast<T *>(reinterpret_cast<std::byte *>(to) + column * columnTo);
    const std::byte *at = from + column * sizeof(T);
    for (uint64_t i = 0; i < rows; ++i)
      std::memcpy(row + i, at + static_cast<int64_t>(i) * rowFrom, sizeof(T));
  }
}

template <class T>
void transposeAll(std::byte *to, const std::byte *from, const StridedCopy::Dim &columns,
                  const StridedCopy::Dim &rows) {
  constexpr uint64_t blockRows = 32, blockColumns = 64 / sizeof(T);
  for (uint64_t row = 0; row < rows.count; row += blockRows)
    for (uint64_t column = 0; column < columns.count; column += blockColumns)
      transposeBlock(reinterpret_cast<T *>(to + row * rows.to + column * columns.to), columns.to,
                     from + signedOf(row * rows.from + column * columns.from), signedOf(rows.from),
                     std::min(blockRows, rows.count - row), std::min(blockColumns, columns.count - column));
}

} // namespace

void StridedCopy::transpose(std::byte *to, const std::byte *from) const {
  const Dim &columns = dims[dims.size() - 2], &rows = dims.back();
  // If the destination has gaps along the last dimension, elements are copied one by one.
  if (rows.to != unit) {
    for (uint64_t i = 0; i < rows.count; ++i)
      for (uint64_t j = 0; j < columns.count; ++j)
        std::memcpy(to + i * rows.to + j * columns.to, from + signedOf(i * rows.from + j * columns.from),
                    unit);
    return;
  }
  if (unit == 1)
    transposeAll<uint8_t>(to, from, columns, rows);
  else if (unit == 2)
    transposeAll<uint16_t>(to, from, columns, rows);
  else
    transposeAll<uint32_t>(to, from, columns, rows);
}

} // namespace tilerig
