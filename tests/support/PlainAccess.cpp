#include "tests/support/PlainAccess.h"

#include "isa/Instructions/Streams.h"

#include <algorithm>

namespace tilerig::test {

namespace {

using Index = std::array<int64_t, 5>;

class Toucher {
public:
  Toucher(unsigned tile, PlainAccesses &out) : tile(tile), out(out) {}

  // Notes the accesses of control instructions, which access no memory, and of instructions that access every
  // element of their streams.
  template <class T>
  requires hasOnlyStreams<T>
  void operator()(const T &instruction) {
    const auto touchAll = [&]<class Statement>(const Statement &statement) {
      const auto &member = instruction.*(statement.member);
      if constexpr (std::is_same_v<decltype(member), const Stream &>) {
        const std::string name(statement.name);
        if (member.present())
          overAll(member, [&](Index at) {
            touch(name.c_str(), member, at, name == "output" || name == "destination");
          });
      }
    };
    std::apply([&](const auto &...statements) { (touchAll(statements), ...); }, T::fields());
  }
  void operator()(const Multicast &multicast) {
    overAll(multicast.source, [&](Index at) {
      touch("source", multicast.source, at, false);
      for (unsigned t = 0; t < 64; ++t)
        if (multicast.tiles >> t & 1)
          touchIn(1 + static_cast<int>(t), "destination", multicast.destination, at, true);
    });
  }
  void operator()(const Matmul &matmul) {
    overAll(matmul.output, [&](Index at) {
      auto [x, y, z, m, n] = at;
      for (int64_t k = 0; k < matmul.a.dims[4].size; ++k) {
        touch("a", matmul.a, {x, y, z, m, k}, false);
        touch("b", matmul.b, {x, y, z, n, k}, false);
      }
      touch("output", matmul.output, at, true);
      epilogue(matmul.epilogue, at);
    });
  }
  void operator()(const Conv &conv) {
    const Window &w = conv.window;
    const int64_t channels = conv.weights.dims[4].size, perGroup = conv.output.dims[4].size / conv.groups;
    overAll(conv.output, [&](Index at) {
      const int64_t n = at[1], oh = at[2], ow = at[3], o = at[4], g = o / perGroup;
      for (int64_t i = 0; i < conv.weights.dims[2].size; ++i)
        for (int64_t j = 0; j < conv.weights.dims[3].size; ++j)
          for (int64_t c = 0; c < channels; ++c) {
            const int64_t h = oh * w.strideH - w.padTop + i * w.dilationH;
            const int64_t x = ow * w.strideW - w.padLeft + j * w.dilationW;
            if (h >= 0 && h < conv.input.dims[2].size && x >= 0 && x < conv.input.dims[3].size)
              touch("input", conv.input, {0, n, h, x, g * channels + c}, false);
          }
      touch("output", conv.output, at, true);
      epilogue(conv.epilogue, at);
    });
    overAll(conv.weights, [&](Index at) { touch("weights", conv.weights, at, false); });
  }

  void operator()(const Lookup &lookup) {
    elementwise(lookup.input, lookup.output);
    const int entries = lookup.input.type == ElementType::i9 ? 512 : 256;
    for (int i = 0; i < entries; ++i)
      element("table", lookup.table, i, sizeBytes(lookup.output.type));
  }
  void operator()(const Pool &pool) {
    const Window &w = pool.window;
    overAll(pool.output, [&](Index at) {
      for (int64_t i = 0; i < pool.kernelH; ++i)
        for (int64_t j = 0; j < pool.kernelW; ++j) {
          const int64_t h = at[2] * w.strideH - w.padTop + i * w.dilationH;
          const int64_t x = at[3] * w.strideW - w.padLeft + j * w.dilationW;
          if (h >= 0 && h < pool.input.dims[2].size && x >= 0 && x < pool.input.dims[3].size)
            touch("input", pool.input, {0, at[1], h, x, at[4]}, false);
        }
      touch("output", pool.output, at, true);
    });
  }
  void operator()(const Flatten &flatten) {
    const Window &w = flatten.window;
    overAll(flatten.output, [&](Index at) {
      auto [oh, ow, i, j, c] = at;
      const int64_t h = oh * w.strideH - w.padTop + i * w.dilationH;
      const int64_t x = ow * w.strideW - w.padLeft + j * w.dilationW;
      if (h >= 0 && h < flatten.input.dims[2].size && x >= 0 && x < flatten.input.dims[3].size)
        touch("input", flatten.input, {0, 0, h, x, c}, false);
      touch("output", flatten.output, at, true);
    });
  }
  void operator()(const Resize &resize) {
    overAll(resize.output, [&](Index at) {
      for (int64_t h : resized(resize.mode, resize.rows, at[2], resize.input.dims[2].size))
        for (int64_t x : resized(resize.mode, resize.columns, at[3], resize.input.dims[3].size))
          touch("input", resize.input, {0, at[1], h, x, at[4]}, false);
      touch("output", resize.output, at, true);
    });
  }

private:
  template <class Visitor>
  static void overAll(const Stream &stream, Visitor visit) {
    Index at{};
    for (at[0] = 0; at[0] < stream.dims[0].size; ++at[0])
      for (at[1] = 0; at[1] < stream.dims[1].size; ++at[1])
        for (at[2] = 0; at[2] < stream.dims[2].size; ++at[2])
          for (at[3] = 0; at[3] < stream.dims[3].size; ++at[3])
            for (at[4] = 0; at[4] < stream.dims[4].size; ++at[4])
              visit(at);
  }

  static std::vector<int64_t> resized(ResizeMode mode, const ResizeAxis &axis, int64_t output, int64_t size) {
    // A resize computes the output element `output` at the input position p / d. In legal instructions, p is
    // below 2^63.
    const int64_t p = output * axis.numerator + axis.offset, d = axis.denominator;
    const int64_t i = (p - ((p % d) + d) % d) / d;
    std::vector<int64_t> taps = {i};
    if (mode == ResizeMode::linear)
      taps = {i, i + 1};
    if (mode == ResizeMode::cubic)
      taps = {i - 1, i, i + 1, i + 2};
    for (int64_t &tap : taps)
      tap = std::clamp<int64_t>(tap, 0, size - 1);
    return taps;
  }

  void elementwise(const Stream &input, const Stream &output) {
    overAll(output, [&](Index at) {
      touch("input", input, at, false);
      touch("output", output, at, true);
    });
  }

  void epilogue(const Epilogue &epilogue, Index at) {
    element("epilogue.bias", epilogue.bias, at[4], 4);
    element("epilogue.scale", epilogue.scale, at[4], 4);
    for (int i = 0; i < 256 && epilogue.table.present; ++i)
      element("epilogue.table", epilogue.table, i, 1);
    if (epilogue.accumulateFrom.present())
      touch("epilogue.accumulate_from", epilogue.accumulateFrom, at, false);
    if (epilogue.addend.present())
      touch("epilogue.addend", epilogue.addend, at, false);
  }

  void element(const char *name, const Vector &vector, int64_t index, unsigned bytes) {
    if (vector.present)
      add(1 + static_cast<int>(tile), name, false,
          vector.base + static_cast<uint64_t>(vector.broadcast ? 0 : index) * bytes, bytes);
  }
  void touch(const char *name, const Stream &stream, Index at, bool write) {
    const int memory = stream.space == Space::ddr      ? 0
                       : stream.space == Space::remote ? 1 + stream.tile
                                                       : 1 + static_cast<int>(tile);
    touchIn(memory, name, stream, at, write);
  }
  void touchIn(int memory, const char *name, const Stream &stream, Index at, bool write) {
    uint64_t address = stream.base;
    for (int d = 0; d < 5; ++d)
      address += static_cast<uint64_t>(at[d]) * stream.dims[d].stride;
    add(memory, name, write, address, sizeBytes(stream.type));
  }
  void add(int memory, const char *name, bool write, uint64_t address, unsigned bytes) {
    auto &list = out[{memory, write, name}];
    for (unsigned i = 0; i < bytes; ++i)
      list.push_back(address + i);
  }

  unsigned tile;
  PlainAccesses &out;
};

} // namespace

PlainAccesses plainAccesses(const Instruction &instruction, unsigned tile) {
  PlainAccesses accesses;
  std::visit(Toucher(tile, accesses), instruction);
  for (auto &[operand, bytes] : accesses) {
    std::ranges::sort(bytes);
    bytes.erase(std::ranges::unique(bytes).begin(), bytes.end());
  }
  return accesses;
}

} // namespace tilerig::test
