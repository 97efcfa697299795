#include "tests/unit/Timing/Shapes.h"

#include "isa/Instructions/Streams.h"

#include <utility>

namespace tilerig {
namespace {

// The size of an image along an axis on which `positions` windows fit; with one position, the size of a
// window.
uint32_t imageSize(uint32_t positions, uint32_t taps, uint32_t stride, uint32_t dilation) {
  return (positions - 1) * stride + (taps - 1) * dilation + 1;
}

class Draw {
public:
  explicit Draw(std::mt19937_64 &random) : random(random) {}

  uint32_t upTo(uint32_t most) { return 1 + static_cast<uint32_t>(random() % most); }
  // A random size of a dimension: usually small, so that partial blocks matter; sometimes large.
  uint32_t size() { return upTo(random() % 4 ? 40 : 300); }
  bool coin() { return random() % 2; }
  template <class Enum>
  Enum any() {
    return static_cast<Enum>(random() % EnumNames<Enum>::values.size());
  }
  template <class T>
  T of(std::initializer_list<T> choices) {
    return choices.begin()[random() % choices.size()];
  }
  std::vector<uint32_t> sizes(size_t count) {
    std::vector<uint32_t> result(count);
    for (uint32_t &each : result)
      each = size();
    return result;
  }

private:
  std::mt19937_64 &random;
};

using Layout = Stream (*)(ElementType, const Sizes5 &, Space, uint64_t);
using Sizes = std::vector<uint32_t>;

// A tag that selects the overload of sampleOf() for an instruction type.
template <class T>
struct Of {};

Epilogue randomEpilogue(Draw &draw, ElementType operand, bool &accumulates, bool &adds) {
  Epilogue epilogue;
  epilogue.bias.present = draw.coin();
  epilogue.scale.present = operand == ElementType::i8 && draw.coin();
  epilogue.table.present = operand == ElementType::i8 && draw.coin();
  epilogue.finish.function = draw.any<UnaryFunction>();
  accumulates = draw.upTo(4) == 1;
  adds = draw.upTo(4) == 1;
  return epilogue;
}

Sample sampleOf(Of<Matmul>, Draw &draw, Layout layout, const Machine &) {
  Matmul matmul;
  matmul.mapping = draw.any<Mapping>();
  auto type = draw.of({ElementType::i8, ElementType::fp16, ElementType::fp32});
  auto wide = type == ElementType::i8 ? ElementType::i32 : ElementType::fp32;
  bool accumulates = false, adds = false, shared = draw.coin();
  matmul.epilogue = randomEpilogue(draw, type, accumulates, adds);
  Sizes sizes = draw.sizes(6); // sizes of a matrix product: three batch axes, then m, n and k
  sizes[0] = draw.upTo(3);
  sizes[1] = draw.upTo(3);
  sizes[5] *= draw.upTo(20);
  return {
      sizes, [=](const Sizes &s) {
        Matmul instruction = matmul;
        instruction.a = layout(type, {s[0], s[1], s[2], s[3], s[5]}, Space::ocm, 0);
        instruction.b = layout(type, {s[0], s[1], s[2], s[4], s[5]}, Space::ocm, 0);
        if (shared)
          instruction.b.dims[1].stride = 0;
        instruction.output = layout(type, {s[0], s[1], s[2], s[3], s[4]}, Space::ocm, 0);
        if (accumulates)
          instruction.epilogue.accumulateFrom = layout(wide, {s[0], s[1], s[2], s[3], s[4]}, Space::ocm, 0);
        if (adds)
          instruction.epilogue.addend = instruction.output;
        return Instruction(instruction);
      }};
}

Sample sampleOf(Of<Conv>, Draw &draw, Layout, const Machine &) {
  auto type = draw.of({ElementType::u8, ElementType::bf16, ElementType::fp32});
  ConvShape shape = {.stride = static_cast<uint16_t>(draw.upTo(2)),
                     .dilation = static_cast<uint16_t>(draw.upTo(2))};
  bool accumulates = false, adds = false;
  Epilogue epilogue = randomEpilogue(draw, type, accumulates, adds);
  // Sizes of a convolution: batch size, rows, columns, outputs per group, channels per group, groups, kernel
  // rows and columns.
  Sizes sizes = {draw.upTo(2),  draw.upTo(20), draw.upTo(20),
                 draw.upTo(40), draw.upTo(40), draw.coin() ? 1 : draw.upTo(40),
                 draw.upTo(4),  draw.upTo(4)};
  return {sizes, [=](const Sizes &s) {
            ConvShape grown = shape;
            grown.images = s[0];
            grown.rows = s[1];
            grown.columns = s[2];
            grown.outputs = s[3] * s[5];
            grown.channels = s[4] * s[5];
            grown.groups = s[5];
            grown.kernelH = s[6];
            grown.kernelW = s[7];
            Conv conv = convOf(type, grown);
            conv.epilogue = epilogue;
            if (adds)
              conv.epilogue.addend = conv.output;
            return Instruction(conv);
          }};
}

// Samples of instructions of the PE (vector engine) whose operands all have the sizes of the output.
template <class Make>
Sample elementwise(Draw &draw, Layout layout, Make make) {
  auto in = draw.of({ElementType::i8, ElementType::i9, ElementType::fp16, ElementType::fp32});
  auto out = draw.of({ElementType::u8, ElementType::bf16, ElementType::fp32});
  Sizes sizes = draw.sizes(5);
  return {sizes, [=](const Sizes &s) {
            Sizes5 five = {s[0], s[1], s[2], s[3], s[4]};
            return Instruction(make(layout(in, five, Space::ocm, 0), layout(out, five, Space::ocm, 0)));
          }};
}

// Elementwise instructions and moves whose operands are streams, with random functions. Operands after the
// first may repeat an element along the innermost dimension.
template <class T>
requires((T::family == Family::elementwise || T::family == Family::move) && hasOnlyStreams<T>) Sample
    sampleOf(Of<T>, Draw &draw, Layout layout, const Machine &) {
  T prototype;
  forEachField(prototype, [&](const FieldPath &, const auto &, auto &member, unsigned) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (NamedEnum<Member>)
      member = draw.any<Member>();
  });
  const bool repeats = draw.coin();
  return elementwise(draw, layout, [=](const Stream &in, const Stream &out) {
    T instruction = prototype;
    bool isFirst = true;
    forEachStream(instruction, [&](std::string_view name, Stream &stream) {
      stream = isResult(name) ? out : in;
      if (!isResult(name) && !std::exchange(isFirst, false) && repeats)
        stream.dims[4].stride = 0;
    });
    return instruction;
  });
}

template <class OneInput>
Sample oneInput(Draw &draw, Layout layout, OneInput prototype) {
  return elementwise(draw, layout, [=](const Stream &in, const Stream &out) {
    OneInput instruction = prototype;
    instruction.input = in;
    instruction.output = out;
    return instruction;
  });
}

Sample sampleOf(Of<Lookup>, Draw &draw, Layout layout, const Machine &) {
  return oneInput(draw, layout, Lookup{});
}

Sample sampleOf(Of<Softmax>, Draw &draw, Layout layout, const Machine &) {
  return oneInput(draw, layout, Softmax{.logarithm = draw.coin()});
}

Sample sampleOf(Of<Normalize>, Draw &draw, Layout layout, const Machine &) {
  Normalize prototype;
  prototype.mode = draw.any<NormalizeMode>();
  bool affine = draw.coin();
  return elementwise(draw, layout, [=](const Stream &in, const Stream &out) {
    Normalize normalize = prototype;
    normalize.input = in;
    normalize.output = out;
    if (affine) {
      normalize.gain = normalize.shift = in;
      normalize.gain.dims[0].stride = normalize.shift.dims[1].stride = 0;
    }
    return normalize;
  });
}

Sample sampleOf(Of<Reduce>, Draw &draw, Layout layout, const Machine &) {
  Reduce prototype;
  prototype.function = draw.any<ReduceFunction>();
  prototype.axes = static_cast<uint8_t>(draw.upTo(31));
  return {draw.sizes(5), [=](const Sizes &s) {
            Reduce reduce = prototype;
            Sizes5 in = {s[0], s[1], s[2], s[3], s[4]}, out = in;
            for (unsigned d = 0; d < 5; ++d)
              if (prototype.axes >> d & 1)
                out[d] = 1;
            reduce.input = layout(ElementType::fp16, in, Space::ocm, 0);
            reduce.output = layout(ElementType::fp32, out, Space::ocm, 0);
            return Instruction(reduce);
          }};
}

// A pool as a function of its sizes: batch size, rows and columns of positions, channels, kernel rows and
// columns.
Sample sampleOf(Of<Pool>, Draw &draw, Layout layout, const Machine &) {
  Pool prototype;
  prototype.function = draw.any<PoolFunction>();
  prototype.window.strideH = prototype.window.strideW = static_cast<uint16_t>(draw.upTo(2));
  return {{draw.upTo(3), draw.upTo(20), draw.upTo(20), draw.size(), draw.upTo(4), draw.upTo(4)},
          [=](const Sizes &s) {
            Pool pool = prototype;
            pool.kernelH = static_cast<uint16_t>(s[4]);
            pool.kernelW = static_cast<uint16_t>(s[5]);
            uint32_t stride = prototype.window.strideH;
            pool.input =
                layout(ElementType::i8,
                       {1, s[0], imageSize(s[1], s[4], stride, 1), imageSize(s[2], s[5], stride, 1), s[3]},
                       Space::ocm, 0);
            pool.output = layout(ElementType::i8, {1, s[0], s[1], s[2], s[3]}, Space::ocm, 0);
            return Instruction(pool);
          }};
}

Sample sampleOf(Of<Flatten>, Draw &draw, Layout layout, const Machine &) {
  return {{draw.upTo(20), draw.upTo(20), draw.upTo(4), draw.upTo(4), draw.size()}, [=](const Sizes &s) {
            Flatten flatten;
            flatten.input =
                layout(ElementType::u8,
                       {1, 1, imageSize(s[0], s[2], 1, 1), imageSize(s[1], s[3], 1, 1), s[4]}, Space::ocm, 0);
            flatten.output = layout(ElementType::u8, {s[0], s[1], s[2], s[3], s[4]}, Space::ocm, 0);
            return Instruction(flatten);
          }};
}

Sample sampleOf(Of<Resize>, Draw &draw, Layout layout, const Machine &) {
  Resize prototype;
  prototype.mode = draw.any<ResizeMode>();
  return {{draw.upTo(3), draw.upTo(20), draw.upTo(20), draw.size()}, [=](const Sizes &s) {
            Resize resize = prototype;
            resize.input = layout(ElementType::fp16, {1, s[0], 2 * s[1], s[2], s[3]}, Space::ocm, 0);
            resize.output = layout(ElementType::fp16, {1, s[0], s[1], s[2], s[3]}, Space::ocm, 0);
            return Instruction(resize);
          }};
}

// A transfer between the tile's own OCM and DDR or another tile.
template <class Transferring>
Sample randomTransfer(Draw &draw, Layout layout, bool inwards, const Machine &machine) {
  Space space = draw.coin() ? Space::ddr : Space::remote;
  auto other = static_cast<uint8_t>(draw.upTo(machine.network.tiles) - 1);
  uint64_t base = draw.upTo(1000);
  return {draw.sizes(5), [=](const Sizes &s) {
            Transferring transfer;
            Sizes5 five = {s[0], s[1], s[2], s[3], s[4]};
            Stream own = layout(ElementType::fp32, five, Space::ocm, 0);
            Stream far = layout(ElementType::fp16, five, space, base);
            if (space == Space::remote)
              far.tile = other;
            transfer.source = inwards ? far : own;
            transfer.destination = inwards ? own : far;
            return Instruction(transfer);
          }};
}

Sample sampleOf(Of<Load>, Draw &draw, Layout layout, const Machine &machine) {
  return randomTransfer<Load>(draw, layout, true, machine);
}

Sample sampleOf(Of<Store>, Draw &draw, Layout layout, const Machine &machine) {
  return randomTransfer<Store>(draw, layout, false, machine);
}

Sample sampleOf(Of<Multicast>, Draw &draw, Layout layout, const Machine &machine) {
  Space space = draw.coin() ? Space::ddr : Space::ocm;
  uint64_t tiles = 0;
  for (unsigned i = draw.upTo(10); i > 0; --i)
    tiles |= uint64_t{1} << (draw.upTo(machine.network.tiles) - 1);
  return {draw.sizes(5), [=](const Sizes &s) {
            Multicast multicast;
            multicast.tiles = tiles;
            multicast.source = layout(ElementType::i8, {s[0], s[1], s[2], s[3], s[4]}, space, 32);
            multicast.destination = layout(ElementType::i8, {s[0], s[1], s[2], s[3], s[4]}, Space::ocm, 0);
            return Instruction(multicast);
          }};
}

// In the table from which a gather reads, rows begin at a fixed distance from each other. Otherwise the
// alignment of the rows would change with their size.
Sample sampleOf(Of<Gather>, Draw &draw, Layout, const Machine &) {
  Space space = draw.coin() ? Space::ddr : Space::ocm;
  return {{draw.size(), draw.size(), draw.upTo(20), draw.size()}, [=](const Sizes &s) {
            Gather gather;
            gather.indices = dense(ElementType::i32, {1, 1, 1, 1, s[0]});
            gather.source = spaced(ElementType::fp16, {1, 1, s[1], s[2], s[3]}, space, 30);
            gather.destination = dense(ElementType::fp16, {1, 1, s[0], s[2], s[3]});
            return Instruction(gather);
          }};
}

Stream withStrides(ElementType type, const Sizes5 &sizes, Space space, uint64_t base,
                   const std::array<uint64_t, 5> &strides) {
  Stream stream;
  stream.space = space;
  stream.type = type;
  stream.base = base;
  for (unsigned d = 0; d < 5; ++d)
    stream.dims[d] = {sizes[d], sizes[d] == 1 ? 0 : static_cast<uint32_t>(strides[d])};
  return stream;
}

} // namespace

Stream dense(ElementType type, const Sizes5 &sizes, Space space, uint64_t base) {
  std::array<uint64_t, 5> strides{};
  uint64_t stride = sizeBytes(type);
  for (unsigned d = 5; d-- > 0; stride *= sizes[d])
    strides[d] = stride;
  return withStrides(type, sizes, space, base, strides);
}

Stream spaced(ElementType type, const Sizes5 &sizes, Space space, uint64_t base) {
  return withStrides(type, sizes, space, base, {1 << 30, 1 << 26, (1 << 20) + 32, 1 << 14, sizeBytes(type)});
}

Matmul matmulOf(ElementType type, Mapping mapping, uint32_t m, uint32_t n, uint32_t k) {
  Matmul matmul;
  matmul.mapping = mapping;
  matmul.a = dense(type, {1, 1, 1, m, k});
  matmul.b = dense(type, {1, 1, 1, n, k});
  matmul.output = dense(type, {1, 1, 1, m, n});
  return matmul;
}

Conv convOf(ElementType type, const ConvShape &shape) {
  Conv conv;
  conv.groups = shape.groups;
  conv.window.strideH = conv.window.strideW = shape.stride;
  conv.window.dilationH = conv.window.dilationW = shape.dilation;
  conv.input =
      dense(type, {1, shape.images, imageSize(shape.rows, shape.kernelH, shape.stride, shape.dilation),
                   imageSize(shape.columns, shape.kernelW, shape.stride, shape.dilation), shape.channels});
  conv.weights = dense(type, {1, shape.outputs, shape.kernelH, shape.kernelW, shape.channels / shape.groups});
  conv.output = dense(type, {1, shape.images, shape.rows, shape.columns, shape.outputs});
  return conv;
}

std::vector<Sample> randomSamples(std::mt19937_64 &random, const Machine &machine) {
  Draw draw(random);
  Layout layout = draw.coin() ? &dense : &spaced;
  std::vector<Sample> samples;
  forEachInstructionType([&]<class T>() {
    if constexpr (!ControlInstruction<T>)
      samples.push_back(sampleOf(Of<T>(), draw, layout, machine));
  });
  return samples;
}

} // namespace tilerig
