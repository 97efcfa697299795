#include "isa/Instructions/Access.h"

#include "isa/Instructions/IndexRuns.h"
#include "isa/Instructions/Streams.h"

#include <bit>

namespace tilerig {

namespace {

constexpr auto read = AccessKind::read, write = AccessKind::write;

// Collects the accesses of one instruction.
class Collector {
public:
  Collector(unsigned tile, AccessList &out) : tile(tile), out(out) {}

  void stream(AccessKind kind, std::string_view name, const Stream &stream) {
    if (!stream.present())
      return;
    std::array<Steps, 5> dims;
    for (size_t d = 0; d < dims.size(); ++d)
      dims[d] = {stream.dims[d].stride, stream.dims[d].size};
    add(kind, name, memoryOf(stream, tile), stream.base, sizeBytes(stream.type), dims);
  }

  void vector(std::string_view name, const Vector &vector, uint64_t count, unsigned elementBytes) {
    if (vector.present)
      out.push_back({ocmOf(tile), read, name,
                     Region::ofRun(vector.base, (vector.broadcast ? 1 : count) * uint64_t{elementBytes})});
  }

  // Adds the reads of an image (dimensions: 1, batch, rows, columns, channels). Of its rows and columns, the
  // instruction reads only those in the sets `rows` and `columns`.
  void image(std::string_view name, const Stream &stream, const IndexSet &rows, const IndexSet &columns) {
    const Dimension batch = stream.dims[1], row = stream.dims[2], column = stream.dims[3],
                    channel = stream.dims[4];
    for (const IndexRuns &r : rows)
      for (const IndexRuns &c : columns) {
        const std::array<Steps, 6> dims = {
            Steps{batch.stride, batch.size}, Steps{r.stride * row.stride, r.count},
            Steps{row.stride, r.length},     Steps{c.stride * column.stride, c.count},
            Steps{column.stride, c.length},  Steps{channel.stride, channel.size}};
        add(read, name, memoryOf(stream, tile), stream.base + r.first * row.stride + c.first * column.stride,
            sizeBytes(stream.type), dims);
      }
  }

  void epilogue(const Epilogue &epilogue, const Stream &output) {
    const uint64_t outputs = output.dims[4].size;
    vector("epilogue.bias", epilogue.bias, outputs, 4);
    vector("epilogue.scale", epilogue.scale, outputs, 4);
    vector("epilogue.table", epilogue.table, 256, 1); // the lookup table has 256 entries of one byte
    stream(read, "epilogue.accumulate_from", epilogue.accumulateFrom);
    stream(read, "epilogue.addend", epilogue.addend);
  }

private:
  void add(AccessKind kind, std::string_view name, MemoryId memory, uint64_t begin, unsigned elementBytes,
           std::span<const Steps> dims) {
    forEachRegion(begin, elementBytes, dims, [&](const Region &region) {
      out.push_back({memory, kind, name, region});
    });
  }

  unsigned tile;
  AccessList &out;
};

// Index sets in which no two indices have the same address. If the stride of a dimension is 0, all indices
// have the address of index 0, so only that index is kept.
IndexSet oneIndex() { return {IndexRuns{}}; }

IndexSet distinctIndices(const TapAxis &axis, const Dimension &dimension) {
  if (dimension.stride == 0)
    return touchesAny(axis) ? oneIndex() : IndexSet{};
  return windowIndices(axis);
}
IndexSet windowRows(const Window &window, uint64_t outputs, uint64_t taps, const Dimension &rows) {
  return distinctIndices({outputs, taps, window.strideH, window.dilationH, window.padTop, rows.size}, rows);
}
IndexSet windowColumns(const Window &window, uint64_t outputs, uint64_t taps, const Dimension &columns) {
  return distinctIndices({outputs, taps, window.strideW, window.dilationW, window.padLeft, columns.size},
                         columns);
}
IndexSet resized(const Resize &resize, const ResizeAxis &axis, unsigned dim) {
  const Dimension &dimension = resize.input.dims[dim];
  return dimension.stride == 0
             ? oneIndex()
             : resizeIndices(axis, resize.mode, resize.output.dims[dim].size, dimension.size);
}

// Instructions that read or write all elements of their streams, and no other bytes.
template <class T>
requires hasOnlyStreams<T>
void append(const T &instruction, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  forEachStream(instruction, [&](std::string_view name, const Stream &stream) {
    collect.stream(isResult(name) ? write : read, name, stream);
  });
}

void append(const Multicast &multicast, unsigned tile, AccessList &out) {
  Collector(tile, out).stream(read, "source", multicast.source);
  const size_t first = out.size();
  for (uint64_t rest = multicast.tiles; rest != 0; rest &= rest - 1) {
    const auto target = static_cast<unsigned>(std::countr_zero(rest));
    if (out.size() == first) {
      Collector(target, out).stream(write, "destination", multicast.destination);
    } else { // the destination is one region, at the same address in every tile
      out.push_back(out[first]);
      out.back().memory = ocmOf(target);
    }
  }
}

void append(const Matmul &matmul, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "a", matmul.a);
  collect.stream(read, "b", matmul.b);
  collect.stream(write, "output", matmul.output);
  collect.epilogue(matmul.epilogue, matmul.output);
}

void append(const Conv &conv, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  const auto &in = conv.input.dims, &kernel = conv.weights.dims, &outputs = conv.output.dims;
  collect.image("input", conv.input, windowRows(conv.window, outputs[2].size, kernel[2].size, in[2]),
                windowColumns(conv.window, outputs[3].size, kernel[3].size, in[3]));
  collect.stream(read, "weights", conv.weights);
  collect.stream(write, "output", conv.output);
  collect.epilogue(conv.epilogue, conv.output);
}

void append(const Lookup &lookup, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.vector("table", lookup.table, lookup.input.type == ElementType::i9 ? 512 : 256,
                 sizeBytes(lookup.output.type));
  collect.stream(read, "input", lookup.input);
  collect.stream(write, "output", lookup.output);
}

void append(const Pool &pool, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  const auto &in = pool.input.dims, &outputs = pool.output.dims;
  collect.image("input", pool.input, windowRows(pool.window, outputs[2].size, pool.kernelH, in[2]),
                windowColumns(pool.window, outputs[3].size, pool.kernelW, in[3]));
  collect.stream(write, "output", pool.output);
}

// The Flatten instruction (im2col) has no field for the kernel size, which is therefore taken from the
// output. The dimensions of the output are output rows, output columns, kernel rows, kernel columns and
// channels.
void append(const Flatten &flatten, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  const auto &in = flatten.input.dims, &outputs = flatten.output.dims;
  collect.image("input", flatten.input, windowRows(flatten.window, outputs[0].size, outputs[2].size, in[2]),
                windowColumns(flatten.window, outputs[1].size, outputs[3].size, in[3]));
  collect.stream(write, "output", flatten.output);
}

void append(const Resize &resize, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.image("input", resize.input, resized(resize, resize.rows, 2), resized(resize, resize.columns, 3));
  collect.stream(write, "output", resize.output);
}

} // namespace

void appendAccesses(const Instruction &instruction, unsigned tile, AccessList &out) {
  std::visit([&](const auto &typed) { append(typed, tile, out); }, instruction);
}

} // namespace tilerig
