#include "emulator/Beats/RowAccesses.h"

#include "isa/Numerics/Resize.h"

#include <algorithm>

namespace tilerig::emulator {

namespace {

using Index = std::array<uint32_t, 5>;

// The index of row number `row` in each of the dimensions 0 to outer - 1; rows are numbered in row-major
// order over these dimensions.
Index indexOf(uint64_t row, const std::array<Dimension, 5> &dims, unsigned outer) {
  Index at{};
  for (unsigned d = outer; d-- > 0; row /= dims[d].size)
    at[d] = static_cast<uint32_t>(row % dims[d].size);
  return at;
}

// Image indices that are read along one axis: `count` indices from `first` on, `step` apart.
struct Taps {
  uint32_t first = 0, count = 0, step = 1;
};
Taps windowTaps(uint32_t output, uint32_t kernel, uint32_t stride, uint32_t dilation, uint32_t pad,
                uint32_t size) {
  const int64_t origin = int64_t{output} * stride - pad;
  Taps taps{0, 0, dilation};
  for (uint32_t i = 0; i < kernel; ++i)
    if (const int64_t at = origin + int64_t{i} * dilation; at >= 0 && at < size && taps.count++ == 0)
      taps.first = static_cast<uint32_t>(at);
  return taps;
}
Taps resizeTaps(const ResizeAxis &axis, ResizeMode mode, uint32_t output, uint32_t size) {
  const int64_t index = resizePosition(output, axis.numerator, axis.offset, axis.denominator).index;
  const int64_t low = mode == ResizeMode::cubic ? index - 1 : index,
                high = mode == ResizeMode::cubic    ? index + 2
                       : mode == ResizeMode::linear ? index + 1
                                                    : index;
  const auto first = static_cast<uint32_t>(clampedIndex(low, size)),
             last = static_cast<uint32_t>(clampedIndex(high, size));
  return {first, last - first + 1, 1};
}

class Collector {
public:
  Collector(unsigned tile, uint64_t row, AccessList &out) : tile(tile), row(row), out(out) {}

  void of(const Matmul &it) {
    const Index at = indexOf(row, it.output.dims, 4);
    read("a", fixed(it.a, at, 4));
    read("b", fixed(it.b, at, 3));
    write(fixed(it.output, at, 4));
    epilogue(it.epilogue, it.output, at);
  }
  void of(const Conv &it) {
    const Index at = indexOf(row, it.output.dims, 4);
    window("input", it.input, at[1], it.window, {at[2], at[3]},
           {it.weights.dims[2].size, it.weights.dims[3].size});
    read("weights", it.weights);
    write(fixed(it.output, at, 4));
    epilogue(it.epilogue, it.output, at);
  }
  void of(const Binary &it) {
    const Index at = indexOf(row, it.output.dims, 4);
    read("a", fixed(it.a, at, 4));
    read("b", fixed(it.b, at, 4));
    write(fixed(it.output, at, 4));
  }
  void of(const Select &it) {
    const Index at = indexOf(row, it.output.dims, 4);
    read("condition", fixed(it.condition, at, 4));
    read("a", fixed(it.a, at, 4));
    read("b", fixed(it.b, at, 4));
    write(fixed(it.output, at, 4));
  }
  void of(const Activate &it) { elementwise(it.input, it.output); }
  void of(const Softmax &it) { elementwise(it.input, it.output); }
  void of(const Copy &it) { elementwise(it.input, it.output); }
  void of(const Fill &it) { write(fixed(it.output, indexOf(row, it.output.dims, 4), 4)); }
  void of(const Lookup &it) {
    const uint64_t entries = it.input.type == ElementType::i9 ? 512 : 256;
    vector("table", it.table, entries, sizeBytes(it.output.type));
    elementwise(it.input, it.output);
  }
  void of(const Pool &it) {
    const Index at = indexOf(row, it.output.dims, 4);
    window("input", it.input, at[1], it.window, {at[2], at[3]}, {it.kernelH, it.kernelW});
    write(fixed(it.output, at, 4));
  }
  void of(const Flatten &it) {
    const Index at = indexOf(row, it.output.dims, 4); // dims OH OW KH KW: a row is one tap of one window
    Window tap = it.window;
    const int64_t h = int64_t{at[0]} * tap.strideH - tap.padTop + int64_t{at[2]} * tap.dilationH,
                  w = int64_t{at[1]} * tap.strideW - tap.padLeft + int64_t{at[3]} * tap.dilationW;
    if (h >= 0 && h < it.input.dims[2].size && w >= 0 && w < it.input.dims[3].size)
      read("input", fixed(it.input, {0, 0, static_cast<uint32_t>(h), static_cast<uint32_t>(w), 0}, 4));
    write(fixed(it.output, at, 4));
  }
  void of(const Resize &it) {
    const Index at = indexOf(row, it.output.dims, 4);
    image("input", fixed(it.input, at, 2), resizeTaps(it.rows, it.mode, at[2], it.input.dims[2].size),
          resizeTaps(it.columns, it.mode, at[3], it.input.dims[3].size));
    write(fixed(it.output, at, 4));
  }
  void of(const Reduce &it) {
    const Index at = indexOf(row, it.output.dims, 4);
    Stream input = it.input;
    for (unsigned d = 0; d < 4; ++d)
      if (!(it.axes >> d & 1))
        input = fixedAt(input, d, at[d]);
    read("input", input);
    write(fixed(it.output, at, 4));
  }
  void of(const Normalize &it) {
    const unsigned outer = 5 - it.innerDims;
    const Index at = indexOf(row, it.output.dims, outer);
    read("input", fixed(it.input, at, outer));
    read("gain", fixed(it.gain, at, outer));
    read("shift", fixed(it.shift, at, outer));
    write(fixed(it.output, at, outer));
  }

private:
  static Stream fixed(Stream stream, const Index &at, unsigned outer) {
    for (unsigned d = 0; d < outer && stream.present(); ++d)
      stream = fixedAt(stream, d, at[d]);
    return stream;
  }
  void elementwise(const Stream &input, const Stream &output) {
    const Index at = indexOf(row, output.dims, 4);
    read("input", fixed(input, at, 4));
    write(fixed(output, at, 4));
  }
  void epilogue(const Epilogue &it, const Stream &output, const Index &at) {
    vector("epilogue.bias", it.bias, output.dims[4].size, 4);
    vector("epilogue.scale", it.scale, output.dims[4].size, 4);
    vector("epilogue.table", it.table, 256, 1);
    read("epilogue.accumulate_from", fixed(it.accumulateFrom, at, 4));
    read("epilogue.addend", fixed(it.addend, at, 4));
  }
  void window(std::string_view name, const Stream &stream, uint32_t batch, const Window &window,
              std::array<uint32_t, 2> at, std::array<uint32_t, 2> kernel) {
    const auto &dims = stream.dims;
    image(name, fixed(stream, {0, batch, 0, 0, 0}, 2),
          windowTaps(at[0], kernel[0], window.strideH, window.dilationH, window.padTop, dims[2].size),
          windowTaps(at[1], kernel[1], window.strideW, window.dilationW, window.padLeft, dims[3].size));
  }
  void image(std::string_view name, Stream stream, const Taps &rows, const Taps &columns) {
    if (rows.count == 0 || columns.count == 0)
      return;
    for (const auto &[dim, taps] : {std::pair(2u, rows), std::pair(3u, columns)}) {
      Dimension &it = stream.dims[dim];
      stream.base += uint64_t{taps.first} * it.stride;
      it = {taps.count, taps.count > 1 ? taps.step * it.stride : 0};
    }
    read(name, stream);
  }
  void vector(std::string_view name, const Vector &vector, uint64_t count, unsigned elementBytes) {
    if (vector.present)
      out.push_back({ocmOf(tile), AccessKind::read, name,
                     Region::ofRun(vector.base, (vector.broadcast ? 1 : count) * uint64_t{elementBytes})});
  }

  void read(std::string_view name, const Stream &stream) { add(AccessKind::read, name, stream); }
  void write(const Stream &stream) { add(AccessKind::write, "output", stream); }
  void add(AccessKind kind, std::string_view name, const Stream &stream) {
    if (!stream.present())
      return;
    std::array<Steps, 5> dims;
    for (size_t d = 0; d < dims.size(); ++d)
      dims[d] = {stream.dims[d].stride, stream.dims[d].size};
    forEachRegion(stream.base, sizeBytes(stream.type), dims, [&](const Region &region) {
      out.push_back({memoryOf(stream, tile), kind, name, region});
    });
  }

  unsigned tile;
  uint64_t row;
  AccessList &out;
};

} // namespace

Stream fixedAt(Stream stream, unsigned dim, uint32_t index) {
  stream.base += uint64_t{index} * stream.dims[dim].stride;
  stream.dims[dim] = {1, 0};
  return stream;
}

void appendRowAccesses(const Instruction &instruction, unsigned tile, uint64_t row, AccessList &out) {
  std::visit(
      [&]<class T>(const T &it) {
        if constexpr (requires(Collector collector) { collector.of(it); })
          Collector(tile, row, out).of(it);
      },
      instruction);
}

uint64_t numRows(const Instruction &instruction) {
  unsigned outer = 4;
  if (const auto *normalize = std::get_if<Normalize>(&instruction))
    outer = 5 - normalize->innerDims;
  uint64_t rows = 1;
  for (unsigned d = 0; d < outer; ++d)
    rows *= outputOf(instruction).dims[d].size;
  return rows;
}

const Stream &outputOf(const Instruction &instruction) {
  static const Stream none;
  return std::visit(
      []<class T>(const T &it) -> const Stream & {
        if constexpr (requires { it.output; })
          return it.output;
        else
          return none;
      },
      instruction);
}

} // namespace tilerig::emulator
