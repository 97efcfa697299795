#include "emulator/Beats/RowAccesses.h"

#include "isa/Instructions/CheckRules.h"
#include "isa/Instructions/Streams.h"
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

// The input indices that a window reads along one axis: `count` indices from `first` on, `step` apart.
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

  void of(const Matmul &matmul) {
    const Index at = indexOf(row, matmul.output.dims, 4);
    read("a", fixed(matmul.a, at, 4));
    read("b", fixed(matmul.b, at, 3));
    write(fixed(matmul.output, at, 4));
    epilogue(matmul.epilogue, matmul.output, at);
  }
  void of(const Conv &conv) {
    const Index at = indexOf(row, conv.output.dims, 4);
    window("input", conv.input, at[1], conv.window, {at[2], at[3]},
           {conv.weights.dims[2].size, conv.weights.dims[3].size});
    read("weights", conv.weights);
    write(fixed(conv.output, at, 4));
    epilogue(conv.epilogue, conv.output, at);
  }
  // Accesses of elementwise instructions and moves. Dimensions of different operands correspond to each other
  // if the operand table (isa/Instructions) gives them the same name. A row has one index in each outer
  // dimension of the output, and covers all indices of every other dimension.
  template <class T>
  requires((T::family == Family::elementwise || T::family == Family::move) &&
           hasOnlyStreams<T>) void of(const T &instruction) {
    const auto operands = rules::rulesOf<T>().operands;
    const auto result = std::ranges::find_if(operands, &rules::Operand<T>::isWritten);
    const Index at = indexOf(row, instruction.output.dims, 4);
    for (const rules::Operand<T> &operand : operands)
      add(operand.isWritten() ? AccessKind::write : AccessKind::read, operand.name,
          fixedByName(operand.stream(instruction), operand.sizes, result->sizes, at));
  }
  void of(const Softmax &softmax) { elementwise(softmax.input, softmax.output); }
  void of(const Lookup &lookup) {
    const uint64_t entries = lookup.input.type == ElementType::i9 ? 512 : 256;
    vector("table", lookup.table, entries, sizeBytes(lookup.output.type));
    elementwise(lookup.input, lookup.output);
  }
  void of(const Pool &pool) {
    const Index at = indexOf(row, pool.output.dims, 4);
    window("input", pool.input, at[1], pool.window, {at[2], at[3]}, {pool.kernelH, pool.kernelW});
    write(fixed(pool.output, at, 4));
  }
  void of(const Flatten &flatten) {
    // The dimensions of the output are output row, output column, kernel row, kernel column and channel. So a
    // row of the output holds the channels of one tap of one window.
    const Index at = indexOf(row, flatten.output.dims, 4);
    Window tap = flatten.window;
    const int64_t h = int64_t{at[0]} * tap.strideH - tap.padTop + int64_t{at[2]} * tap.dilationH,
                  w = int64_t{at[1]} * tap.strideW - tap.padLeft + int64_t{at[3]} * tap.dilationW;
    if (h >= 0 && h < flatten.input.dims[2].size && w >= 0 && w < flatten.input.dims[3].size)
      read("input", fixed(flatten.input, {0, 0, static_cast<uint32_t>(h), static_cast<uint32_t>(w), 0}, 4));
    write(fixed(flatten.output, at, 4));
  }
  void of(const Resize &resize) {
    const Index at = indexOf(row, resize.output.dims, 4);
    image("input", fixed(resize.input, at, 2),
          resizeTaps(resize.rows, resize.mode, at[2], resize.input.dims[2].size),
          resizeTaps(resize.columns, resize.mode, at[3], resize.input.dims[3].size));
    write(fixed(resize.output, at, 4));
  }
  void of(const Reduce &reduce) {
    const Index at = indexOf(row, reduce.output.dims, 4);
    Stream input = reduce.input;
    for (unsigned d = 0; d < 4; ++d)
      if (!(reduce.axes >> d & 1))
        input = fixedAt(input, d, at[d]);
    read("input", input);
    write(fixed(reduce.output, at, 4));
  }
  void of(const Normalize &normalize) {
    const unsigned outer = 5 - normalize.innerDims;
    const Index at = indexOf(row, normalize.output.dims, outer);
    read("input", fixed(normalize.input, at, outer));
    read("gain", fixed(normalize.gain, at, outer));
    read("shift", fixed(normalize.shift, at, outer));
    write(fixed(normalize.output, at, outer));
  }

private:
  static Stream fixed(Stream stream, const Index &at, unsigned outer) {
    for (unsigned d = 0; d < outer && stream.present(); ++d)
      stream = fixedAt(stream, d, at[d]);
    return stream;
  }
  // Restricts the stream to one index in each dimension that has the same name as an outer dimension of the
  // output.
  static Stream fixedByName(Stream stream, const rules::Extents &sizes, const rules::Extents &names,
                            const Index &at) {
    for (unsigned d = 0; d < 5; ++d)
      for (unsigned outer = 0; outer < 4; ++outer)
        if (sizes[d] == names[outer] && sizes[d] != rules::Extent::any)
          stream = fixedAt(stream, d, at[outer]);
    return stream;
  }
  void elementwise(const Stream &input, const Stream &output) {
    const Index at = indexOf(row, output.dims, 4);
    read("input", fixed(input, at, 4));
    write(fixed(output, at, 4));
  }
  void epilogue(const Epilogue &epilogue, const Stream &output, const Index &at) {
    vector("epilogue.bias", epilogue.bias, output.dims[4].size, 4);
    vector("epilogue.scale", epilogue.scale, output.dims[4].size, 4);
    vector("epilogue.table", epilogue.table, 256, 1);
    read("epilogue.accumulate_from", fixed(epilogue.accumulateFrom, at, 4));
    read("epilogue.addend", fixed(epilogue.addend, at, 4));
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
      Dimension &dimension = stream.dims[dim];
      stream.base += uint64_t{taps.first} * dimension.stride;
      dimension = {taps.count, taps.count > 1 ? taps.step * dimension.stride : 0};
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
      [&]<class T>(const T &typed) {
        if constexpr (ComputeInstruction<T>)
          Collector(tile, row, out).of(typed);
      },
      instruction);
}

uint64_t numRows(const Instruction &instruction) {
  const unsigned outer = std::visit(
      [](const auto &typed) {
        if constexpr (requires { typed.innerDims; })
          return 5u - typed.innerDims;
        else
          return 4u;
      },
      instruction);
  uint64_t rows = 1;
  for (unsigned d = 0; d < outer; ++d)
    rows *= outputOf(instruction).dims[d].size;
  return rows;
}

const Stream &outputOf(const Instruction &instruction) {
  static const Stream none;
  return std::visit(
      []<class T>(const T &typed) -> const Stream & {
        if constexpr (requires { typed.output; })
          return typed.output;
        else
          return none;
      },
      instruction);
}

} // namespace tilerig::emulator
