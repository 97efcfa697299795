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

  // Adds the reads of an image with the dimensions 1, batch, rows, columns, channels, of which the
  // instruction reads only `rows` and `columns`.
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
IndexSet resized(const Resize &it, const ResizeAxis &axis, unsigned dim) {
  const Dimension &dimension = it.input.dims[dim];
  return dimension.stride == 0 ? oneIndex()
                               : resizeIndices(axis, it.mode, it.output.dims[dim].size, dimension.size);
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

void appendAccesses(const Load &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "source", it.source);
  collect.stream(write, "destination", it.destination);
}

void appendAccesses(const Store &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "source", it.source);
  collect.stream(write, "destination", it.destination);
}

void appendAccesses(const Multicast &it, unsigned tile, AccessList &out) {
  Collector(tile, out).stream(read, "source", it.source);
  const size_t first = out.size();
  for (uint64_t rest = it.tiles; rest != 0; rest &= rest - 1) {
    const auto target = static_cast<unsigned>(std::countr_zero(rest));
    if (out.size() == first) {
      Collector(target, out).stream(write, "destination", it.destination);
    } else { // a write stream is nested, so its bytes are one region
      out.push_back(out[first]);
      out.back().memory = ocmOf(target);
    }
  }
}

void appendAccesses(const Gather &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "indices", it.indices);
  collect.stream(read, "source", it.source);
  collect.stream(write, "destination", it.destination);
}

void appendAccesses(const Matmul &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "a", it.a);
  collect.stream(read, "b", it.b);
  collect.stream(write, "output", it.output);
  collect.epilogue(it.epilogue, it.output);
}

void appendAccesses(const Conv &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  const auto &in = it.input.dims, &kernel = it.weights.dims, &outputs = it.output.dims;
  collect.image("input", it.input, windowRows(it.window, outputs[2].size, kernel[2].size, in[2]),
                windowColumns(it.window, outputs[3].size, kernel[3].size, in[3]));
  collect.stream(read, "weights", it.weights);
  collect.stream(write, "output", it.output);
  collect.epilogue(it.epilogue, it.output);
}

void appendAccesses(const Binary &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "a", it.a);
  collect.stream(read, "b", it.b);
  collect.stream(write, "output", it.output);
}

void appendAccesses(const Select &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "condition", it.condition);
  collect.stream(read, "a", it.a);
  collect.stream(read, "b", it.b);
  collect.stream(write, "output", it.output);
}

void appendAccesses(const Activate &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "input", it.input);
  collect.stream(write, "output", it.output);
}

void appendAccesses(const Lookup &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.vector("table", it.table, it.input.type == ElementType::i9 ? 512 : 256, sizeBytes(it.output.type));
  collect.stream(read, "input", it.input);
  collect.stream(write, "output", it.output);
}

void appendAccesses(const Pool &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  const auto &in = it.input.dims, &outputs = it.output.dims;
  collect.image("input", it.input, windowRows(it.window, outputs[2].size, it.kernelH, in[2]),
                windowColumns(it.window, outputs[3].size, it.kernelW, in[3]));
  collect.stream(write, "output", it.output);
}

void appendAccesses(const Reduce &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "input", it.input);
  collect.stream(write, "output", it.output);
}

void appendAccesses(const Softmax &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "input", it.input);
  collect.stream(write, "output", it.output);
}

void appendAccesses(const Normalize &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "input", it.input);
  collect.stream(read, "gain", it.gain);
  collect.stream(read, "shift", it.shift);
  collect.stream(write, "output", it.output);
}

void appendAccesses(const Copy &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.stream(read, "input", it.input);
  collect.stream(write, "output", it.output);
}

// The kernel size is taken from the output, which has the sizes OH OW KH KW C.
void appendAccesses(const Flatten &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  const auto &in = it.input.dims, &outputs = it.output.dims;
  collect.image("input", it.input, windowRows(it.window, outputs[0].size, outputs[2].size, in[2]),
                windowColumns(it.window, outputs[1].size, outputs[3].size, in[3]));
  collect.stream(write, "output", it.output);
}

void appendAccesses(const Resize &it, unsigned tile, AccessList &out) {
  Collector collect(tile, out);
  collect.image("input", it.input, resized(it, it.rows, 2), resized(it, it.columns, 3));
  collect.stream(write, "output", it.output);
}

void appendAccesses(const Fill &it, unsigned tile, AccessList &out) {
  Collector(tile, out).stream(write, "output", it.output);
}

} // namespace tilerig
