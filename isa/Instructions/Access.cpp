#include "isa/Instructions/Access.h"

#include "isa/Instructions/IndexRuns.h"

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
    vector("epilogue.table", epilogue.table, 256, 1); // 256 entries of one byte: i8 or u8
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

// Index sets without duplicate addresses: if the stride of a dimension is 0, all indices share the address of
// index 0.
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

} // namespace

void appendAccesses(const Halt &, unsigned, AccessList &) {}
void appendAccesses(const Sync &, unsigned, AccessList &) {}
void appendAccesses(const Signal &, unsigned, AccessList &) {}
void appendAccesses(const Wait &, unsigned, AccessList &) {}
void appendAccesses(const GroupBarrier &, unsigned, AccessList &) {}
void appendAccesses(const GlobalBarrier &, unsigned, AccessList &) {}
void appendAccesses(const Delay &, unsigned, AccessList &) {}
void appendAccesses(const Marker &, unsigned, AccessList &) {}

void appendAccesses(const Load &load, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "source", load.source);
  collect.stream(write, "destination", load.destination);
}

void appendAccesses(const Store &store, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "source", store.source);
  collect.stream(write, "destination", store.destination);
}

void appendAccesses(const Multicast &multicast, unsigned tile, AccessList &out) {
  Collector(tile, out).stream(read, "source", multicast.source);
  const size_t first = out.size();
  for (uint64_t rest = multicast.tiles; rest != 0; rest &= rest - 1) {
    const auto target = static_cast<unsigned>(std::countr_zero(rest));
    if (out.size() == first) {
      Collector(target, out).stream(write, "destination", multicast.destination);
    } else { // the write stream is one region, which is the same in every tile
      out.push_back(out[first]);
      out.back().memory = ocmOf(target);
    }
  }
}

void appendAccesses(const Gather &gather, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "indices", gather.indices);
  collect.stream(read, "source", gather.source);
  collect.stream(write, "destination", gather.destination);
}

void appendAccesses(const Matmul &matmul, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "a", matmul.a);
  collect.stream(read, "b", matmul.b);
  collect.stream(write, "output", matmul.output);
  collect.epilogue(matmul.epilogue, matmul.output);
}

void appendAccesses(const Conv &conv, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  const auto &in = conv.input.dims, &kernel = conv.weights.dims, &outputs = conv.output.dims;
  collect.image("input", conv.input, windowRows(conv.window, outputs[2].size, kernel[2].size, in[2]),
                windowColumns(conv.window, outputs[3].size, kernel[3].size, in[3]));
  collect.stream(read, "weights", conv.weights);
  collect.stream(write, "output", conv.output);
  collect.epilogue(conv.epilogue, conv.output);
}

void appendAccesses(const Binary &binary, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "a", binary.a);
  collect.stream(read, "b", binary.b);
  collect.stream(write, "output", binary.output);
}

void appendAccesses(const Select &select, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "condition", select.condition);
  collect.stream(read, "a", select.a);
  collect.stream(read, "b", select.b);
  collect.stream(write, "output", select.output);
}

void appendAccesses(const Activate &activate, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "input", activate.input);
  collect.stream(write, "output", activate.output);
}

void appendAccesses(const Lookup &lookup, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.vector("table", lookup.table, lookup.input.type == ElementType::i9 ? 512 : 256,
                 sizeBytes(lookup.output.type));
  collect.stream(read, "input", lookup.input);
  collect.stream(write, "output", lookup.output);
}

void appendAccesses(const Pool &pool, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  const auto &in = pool.input.dims, &outputs = pool.output.dims;
  collect.image("input", pool.input, windowRows(pool.window, outputs[2].size, pool.kernelH, in[2]),
                windowColumns(pool.window, outputs[3].size, pool.kernelW, in[3]));
  collect.stream(write, "output", pool.output);
}

void appendAccesses(const Reduce &reduce, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "input", reduce.input);
  collect.stream(write, "output", reduce.output);
}

void appendAccesses(const Softmax &softmax, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "input", softmax.input);
  collect.stream(write, "output", softmax.output);
}

void appendAccesses(const Normalize &normalize, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "input", normalize.input);
  collect.stream(read, "gain", normalize.gain);
  collect.stream(read, "shift", normalize.shift);
  collect.stream(write, "output", normalize.output);
}

void appendAccesses(const Copy &copy, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "input", copy.input);
  collect.stream(write, "output", copy.output);
}

// Flatten (im2col) has no operand of the size of the kernel. The size is taken from the output, whose
// dimensions are output rows, output columns, kernel rows, kernel columns and channels.
void appendAccesses(const Flatten &flatten, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  const auto &in = flatten.input.dims, &outputs = flatten.output.dims;
  collect.image("input", flatten.input, windowRows(flatten.window, outputs[0].size, outputs[2].size, in[2]),
                windowColumns(flatten.window, outputs[1].size, outputs[3].size, in[3]));
  collect.stream(write, "output", flatten.output);
}

void appendAccesses(const Resize &resize, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.image("input", resize.input, resized(resize, resize.rows, 2), resized(resize, resize.columns, 3));
  collect.stream(write, "output", resize.output);
}

void appendAccesses(const Fill &fill, unsigned tile, AccessList &out) {
  Collector(tile, out).stream(write, "output", fill.output);
}

} // namespace tilerig
