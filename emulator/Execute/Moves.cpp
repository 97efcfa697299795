// Instructions that move elements, with at most a type conversion: DMA transfers, copy, flatten, fill.
#include "emulator/Execute/Families.h"
#include "emulator/Execute/Rows.h"
#include "isa/Numerics/Quantise.h"

#include <cstring>
#include <fmt/core.h>

namespace tilerig::emulator {

namespace {

// Merges dimensions of two views (strided operands) that are contiguous in both, to make rows as long as
// possible. The views have the same sizes.
void joinDimensions(View &from, View &to) {
  // Index of the dimension into which the next outer dimension may be merged.
  unsigned at = 4;
  for (unsigned d = 4; d-- > 0;) {
    const uint32_t size = to.size(d);
    if (size == 1)
      continue;
    Dimension &innerFrom = from.dims[at], &innerTo = to.dims[at];
    const uint64_t joined = uint64_t{size} * innerTo.size;
    const bool isFirst = innerTo.size == 1;
    if (isFirst) {
      innerFrom = from.dims[d];
      innerTo = to.dims[d];
    } else if (joined <= UINT32_MAX && from.dims[d].stride == uint64_t{innerFrom.size} * innerFrom.stride &&
               to.dims[d].stride == uint64_t{innerTo.size} * innerTo.stride) {
      innerFrom.size = innerTo.size = static_cast<uint32_t>(joined);
    } else {
      --at;
      if (at != d) {
        from.dims[at] = from.dims[d];
        to.dims[at] = to.dims[d];
      }
    }
    if (at != d)
      from.dims[d] = to.dims[d] = {1, 0};
  }
}

// Copies `count` rows of `bytes` bytes each, whose beginnings lie the strides apart. Most rows that tiles exchange have
// only a few bytes: the channels of a pixel that one tile computes.
template <unsigned bytes>
void moveRows(const std::byte *from, int64_t fromStride, std::byte *to, int64_t toStride, uint64_t count) {
  for (; count > 0; --count, from += fromStride, to += toStride)
    std::memcpy(to, from, bytes);
}
void moveRows(const std::byte *from, int64_t fromStride, std::byte *to, int64_t toStride, size_t bytes,
              uint64_t count) {
  switch (bytes) {
  case 4:
    return moveRows<4>(from, fromStride, to, toStride, count);
  case 8:
    return moveRows<8>(from, fromStride, to, toStride, count);
  case 16:
    return moveRows<16>(from, fromStride, to, toStride, count);
  case 32:
    return moveRows<32>(from, fromStride, to, toStride, count);
  default:
    for (; count > 0; --count, from += fromStride, to += toStride)
      std::memmove(to, from, bytes);
  }
}

// Copies the rows of a view (a strided operand) to another view of the same sizes.
class PreparedMove final : public PreparedOp {
public:
  static PreparedMove of(View from, View to, bool clip) {
    joinDimensions(from, to);
    return PreparedMove(from, to, clip);
  }

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    if (isDense)
      return moveAll(begin, end), std::nullopt;
    RowWalk walk(to, begin);
    for (uint64_t row = begin; row < end; ++row, walk.next())
      moveOne(from.row(walk.index()), to.row(walk.index()), scratch);
    return {};
  }

private:
  PreparedMove(View from, View to, bool clip)
      : PreparedOp(to.numRows()), from(from), to(to), clip(clip),
        isDense(from.type == to.type && from.rowIsDense() && to.rowIsDense()) {}

  // Copies rows without gaps, all rows along the innermost of the outer dimensions at once.
  void moveAll(uint64_t begin, uint64_t end) const {
    const size_t bytes = size_t{to.rowLength()} * sizeBytes(to.type);
    while (begin < end) {
      const Index4 at = RowWalk(to, begin).index();
      const uint64_t count = std::min<uint64_t>(end - begin, to.size(3) - at[3]);
      moveRows(from.row(at), from.stride(3), to.row(at), to.stride(3), bytes, count);
      begin += count;
    }
  }

  void moveOne(const std::byte *source, std::byte *destination, Scratch &scratch) const {
    if (from.type == to.type)
      return moveRow(source, from.stride(4), destination, to.stride(4), sizeBytes(to.type), to.rowLength());
    if (isFloat(to.type)) {
      std::span reals(scratch.of<float>(rowA, to.rowLength()), to.rowLength());
      readReals(from, source, {}, reals, scratch);
      return writeReals(reals, {}, to, destination, scratch);
    }
    std::span integers(scratch.of<int32_t>(rowA, to.rowLength()), to.rowLength());
    readIntegers(from, source, integers);
    if (to.type != ElementType::i9)
      for (int32_t &x : integers)
        x = narrowed(x);
    writeIntegers(integers, to, destination);
  }

  int32_t narrowed(int32_t x) const {
    const Narrowing narrowing = clip ? Narrowing::saturate : Narrowing::wrap;
    return to.type == ElementType::i8 ? int32_t{narrow<int8_t>(x, narrowing)}
                                      : int32_t{narrow<uint8_t>(x, narrowing)};
  }

  View from, to;
  bool clip;
  bool isDense;
};

// A multicast: copies to one receiver after another.
class PreparedMulticast final : public PreparedOp {
public:
  explicit PreparedMulticast(std::vector<PreparedMove> moves)
      : PreparedOp(moves[0].rows()), moves(std::move(moves)) {}

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    for (const PreparedMove &move : moves)
      move.run(begin, end, scratch);
    return {};
  }

private:
  std::vector<PreparedMove> moves;
};

class PreparedGather final : public PreparedOp {
public:
  PreparedGather(View indices, View source, View destination)
      : PreparedOp(uint64_t{destination.size(2)} * destination.size(3)), indices(indices), source(source),
        destination(destination) {}

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &) const override {
    const int64_t count = source.size(2);
    for (uint64_t row = begin; row < end; ++row) {
      const auto at = static_cast<uint32_t>(row / destination.size(3)),
                 x = static_cast<uint32_t>(row % destination.size(3));
      int32_t index;
      std::memcpy(&index, indices.data + at * indices.stride(4), sizeof index);
      if (index < -count || index >= count)
        return DataFault{fmt::format("gather index {} is out of range for {} rows", index, count)};
      const auto from = static_cast<uint32_t>(index < 0 ? index + count : index);
      moveRow(source.row({0, 0, from, x}), source.stride(4), destination.row({0, 0, at, x}),
              destination.stride(4), sizeBytes(destination.type), destination.rowLength());
    }
    return {};
  }

private:
  View indices, source, destination;
};

class PreparedFill final : public PreparedOp {
public:
  PreparedFill(View output, uint32_t value) : PreparedOp(output.numRows()), output(output), value(value) {}

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &) const override {
    RowWalk walk(output, begin);
    for (uint64_t row = begin; row < end; ++row, walk.next())
      // A fill instruction is executed as a copy from the low bytes of its value; the source stride of 0
      // repeats them in every element.
      moveRow(reinterpret_cast<const std::byte *>(&value), 0, output.row(walk.index()), output.stride(4),
              sizeBytes(output.type), output.rowLength());
    return {};
  }

private:
  View output;
  uint32_t value;
};

// Copies the windows of an image into rows of a matrix (im2col). The dimensions of the input are 1, 1, rows,
// columns and channels; those of the output are output rows, output columns, kernel rows, kernel columns and
// channels.
class PreparedFlatten final : public PreparedOp {
public:
  PreparedFlatten(View input, View output, Window window, uint32_t pad)
      : PreparedOp(output.numRows()), input(input), output(output), window(window), pad(pad) {}

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &) const override {
    RowWalk walk(output, begin);
    for (uint64_t row = begin; row < end; ++row, walk.next()) {
      const auto [oh, ow, i, j] = walk.index();
      const int64_t h = int64_t{oh} * window.strideH - window.padTop + int64_t{i} * window.dilationH;
      const int64_t w = int64_t{ow} * window.strideW - window.padLeft + int64_t{j} * window.dilationW;
      const bool inside = h >= 0 && h < input.size(2) && w >= 0 && w < input.size(3);
      const std::byte *from = inside ? input.row({0, 0, static_cast<uint32_t>(h), static_cast<uint32_t>(w)})
                                     : reinterpret_cast<const std::byte *>(&pad);
      moveRow(from, inside ? input.stride(4) : 0, output.row(walk.index()), output.stride(4),
              sizeBytes(output.type), output.rowLength());
    }
    return {};
  }

private:
  View input, output;
  Window window;
  uint32_t pad;
};

template <class Transfer>
std::unique_ptr<PreparedOp> prepareMove(const Transfer &transfer, unsigned tile, const Places &places) {
  return std::make_unique<PreparedMove>(
      PreparedMove::of(places.view("source", transfer.source, tile),
                       places.view("destination", transfer.destination, tile), transfer.clip));
}

} // namespace

static std::unique_ptr<PreparedOp> prepare(const Load &load, unsigned tile, const Places &places) {
  return prepareMove(load, tile, places);
}
static std::unique_ptr<PreparedOp> prepare(const Store &store, unsigned tile, const Places &places) {
  return prepareMove(store, tile, places);
}

static std::unique_ptr<PreparedOp> prepare(const Multicast &multicast, unsigned tile, const Places &places) {
  const View source = places.view("source", multicast.source, tile);
  std::vector<PreparedMove> moves;
  for (unsigned receiver = 0; receiver < 64; ++receiver)
    if (multicast.tiles >> receiver & 1)
      moves.push_back(PreparedMove::of(source, places.view("destination", multicast.destination, receiver),
                                       multicast.clip));
  return std::make_unique<PreparedMulticast>(std::move(moves));
}

static std::unique_ptr<PreparedOp> prepare(const Gather &gather, unsigned tile, const Places &places) {
  return std::make_unique<PreparedGather>(places.view("indices", gather.indices, tile),
                                          places.view("source", gather.source, tile),
                                          places.view("destination", gather.destination, tile));
}

static std::unique_ptr<PreparedOp> prepare(const Copy &copy, unsigned tile, const Places &places) {
  return std::make_unique<PreparedMove>(PreparedMove::of(places.view("input", copy.input, tile),
                                                         places.view("output", copy.output, tile), false));
}

static std::unique_ptr<PreparedOp> prepare(const Flatten &flatten, unsigned tile, const Places &places) {
  return std::make_unique<PreparedFlatten>(places.view("input", flatten.input, tile),
                                           places.view("output", flatten.output, tile), flatten.window,
                                           flatten.padValue);
}

static std::unique_ptr<PreparedOp> prepare(const Fill &fill, unsigned tile, const Places &places) {
  return std::make_unique<PreparedFill>(places.view("output", fill.output, tile), fill.value);
}

std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::transfer> instruction, unsigned tile,
                                       const Places &places) {
  return std::visit([&](const auto *typed) { return prepare(*typed, tile, places); }, instruction);
}
std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::move> instruction, unsigned tile,
                                       const Places &places) {
  return std::visit([&](const auto *typed) { return prepare(*typed, tile, places); }, instruction);
}

} // namespace tilerig::emulator
