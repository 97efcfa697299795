#include "tests/benchmarks/SplitNetwork.h"

#include "isa/Numerics/Fp16.h"
#include "tests/support/Random.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/core.h>
#include <map>

namespace tilerig::test {

Range Range::with(Range other) const {
  if (empty())
    return other;
  if (other.empty())
    return *this;
  return {std::min(begin, other.begin), std::max(end, other.end)};
}
Box Box::with(const Box &other) const {
  if (empty())
    return other;
  if (other.empty())
    return *this;
  return {rows.with(other.rows), columns.with(other.columns), channels.with(other.channels)};
}
Box Box::meet(const Box &other) const {
  return {rows.meet(other.rows), columns.meet(other.columns), channels.meet(other.channels)};
}

Affine affineOf(const NetworkLayer *layer) {
  if (!layer)
    return {0.02f, 3};
  if (layer->kind == NetworkLayer::Kind::conv)
    return layer->relu ? Affine{0.04f, -100} : Affine{0.06f, -5};
  return {0.04f, -100}; // a pool keeps the scale and zero point of its input
}

namespace {

constexpr uint64_t inputAt = 0, outputAt = 64 << 20, constantsAt = 128 << 20;

uint32_t outputSize(uint32_t size, const NetworkLayer &layer) {
  return (size + 2 * layer.pad - layer.kernel) / layer.stride + 1;
}

// The output tensor of a layer: its shape, the box that every tile computes (`owned`), the box that every
// tile stores (`kept`), and the address of that box in the OCM.
struct Image {
  uint32_t height = 0, width = 0, channels = 0;
  std::vector<Box> owned, kept;
  uint64_t address = 0;
  Affine affine;
};

class Planner {
public:
  Planner(const Network &network, unsigned tiles, ElementType type)
      : network(network), tiles(tiles), elementBytes(sizeBytes(type)) {
    images.resize(network.layers.size() + 1);
    Image &input = of(-1);
    input = {network.height, network.width, network.channels, {}, {}, 0, affineOf(nullptr)};
    input.owned.resize(tiles);
    for (int i = 0; i < numLayers(); ++i)
      shape(i);
    for (int i = -1; i < numLayers(); ++i)
      keep(i);
  }

  // Assigns addresses in the OCM (on-chip memory) to the layers' outputs and weights, the same in every tile:
  // the lowest address that is free (first fit) in all layers in which the buffer is live. Fails if the OCM
  // is too small.
  Status place(uint64_t ocmBytes) {
    weightsAt.resize(network.layers.size());
    std::vector<Buffer> placed;
    const auto fit = [&](uint64_t size, int from, int to) -> Result<uint64_t> {
      uint64_t at = 0;
      for (bool moved = true; std::exchange(moved, false);)
        for (const Buffer &other : placed)
          if (other.from <= to && from <= other.to && at < other.end && other.begin < at + size) {
            at = other.end;
            moved = true;
          }
      if (at + size > ocmBytes)
        return unsupported(fmt::format("layer {}", from), fmt::format("needs {} bytes at {}", size, at));
      placed.push_back({at, (at + size + 63) / 64 * 64, from, to});
      return at;
    };
    for (int i = -1; i < numLayers(); ++i) {
      TILERIG_TRY(of(i).address, fit(largestKept(i), i, lastUse(i)));
      // The weights of layer i + 1 are loaded while layer i computes, so their live range starts at layer i.
      if (i + 1 < numLayers() && isConv(i + 1)) {
        TILERIG_TRY(weightsAt[i + 1], fit(largestWeights(i + 1), i, i + 1));
      }
    }
    return success();
  }

  int numLayers() const { return static_cast<int>(network.layers.size()); }
  const NetworkLayer &layer(int i) const { return network.layers[i]; }
  bool isConv(int i) const { return layer(i).kind == NetworkLayer::Kind::conv; }
  const Image &image(int i) const { return images[i + 1]; }
  uint64_t weightsAddress(int i) const { return weightsAt[i]; }
  uint64_t rowBytes(int i) const { // number of bytes that the weights of one output channel take
    return uint64_t{layer(i).kernel} * layer(i).kernel * image(layer(i).input).channels * elementBytes;
  }
  // Offset of the biases from the start of a layer's weights: weights, biases and scales of `outputs` outputs
  // lie one after the other.
  uint64_t biasOffset(int i, uint32_t outputs) const { return (outputs * rowBytes(i) + 3) / 4 * 4; }
  uint64_t weightBytes(int i, uint32_t outputs) const {
    return biasOffset(i, outputs) + uint64_t{8} * outputs;
  }
  // The box of its input that layer i reads to compute `box` of its output.
  Box needed(int i, const Box &box) const {
    if (box.empty())
      return {};
    const NetworkLayer &networkLayer = layer(i);
    const Image &from = image(networkLayer.input);
    const auto along = [&](Range range, uint32_t size) {
      const uint32_t begin = range.begin * networkLayer.stride,
                     end = (range.end - 1) * networkLayer.stride + networkLayer.kernel;
      return Range{begin > networkLayer.pad ? begin - networkLayer.pad : 0,
                   std::min(end - networkLayer.pad, size)};
    };
    return {along(box.rows, from.height), along(box.columns, from.width),
            isConv(i) ? Range{0, from.channels} : box.channels};
  }

private:
  struct Buffer {
    uint64_t begin, end;
    int from, to;
  };
  Image &of(int i) { return images[i + 1]; }

  void shape(int i) {
    const NetworkLayer &networkLayer = layer(i);
    const Image &from = of(networkLayer.input);
    Image &to = of(i);
    to = {outputSize(from.height, networkLayer),
          outputSize(from.width, networkLayer),
          isConv(i) ? networkLayer.outputs : from.channels,
          {},
          {},
          0,
          isConv(i) ? affineOf(&networkLayer) : from.affine};
    to.owned.resize(tiles);
    const Split &split = networkLayer.split;
    const auto part = [](uint32_t size, uint32_t parts, uint32_t at) {
      return Range{static_cast<uint32_t>(uint64_t{size} * at / parts),
                   static_cast<uint32_t>(uint64_t{size} * (at + 1) / parts)};
    };
    for (uint32_t tile = 0; tile < std::min(tiles, split.rows * split.columns * split.channels); ++tile)
      // Consecutive tiles differ in columns first, then in channels, and last in rows. A tile thus keeps the
      // same rows in all layers whose rows are split into the same number of parts.
      to.owned[tile] = {part(to.height, split.rows, tile / (split.columns * split.channels)),
                        part(to.width, split.columns, tile % split.columns),
                        part(to.channels, split.channels, tile / split.columns % split.channels)};
  }

  void keep(int i) {
    Image &image = of(i);
    image.kept = image.owned;
    for (int user = 0; user < numLayers(); ++user)
      for (unsigned tile = 0; tile < tiles; ++tile) {
        if (layer(user).input == i)
          image.kept[tile] = image.kept[tile].with(needed(user, of(user).owned[tile]));
        if (isConv(user) && layer(user).addend == i && i >= 0)
          image.kept[tile] = image.kept[tile].with(of(user).owned[tile]);
      }
  }

  int lastUse(int i) const {
    int last = i;
    for (int user = 0; user < numLayers(); ++user)
      if (layer(user).input == i || (layer(user).addend == i && i >= 0))
        last = user;
    return last;
  }
  uint64_t largestKept(int i) const {
    uint64_t most = 0;
    for (const Box &box : image(i).kept)
      most = std::max(most, uint64_t{box.rows.size()} * box.columns.size() * box.channels.size());
    return most * elementBytes;
  }
  uint64_t largestWeights(int i) const {
    uint32_t most = 0;
    for (const Box &box : image(i).owned)
      most = std::max(most, box.channels.size());
    return weightBytes(i, most);
  }

  const Network &network;
  unsigned tiles, elementBytes;
  std::vector<Image> images; // images[0] is the network's input
  std::vector<uint64_t> weightsAt;
};

class Emitter {
public:
  Emitter(const Network &network, const Planner &plan, const Machine &machine, unsigned tiles,
          ElementType type)
      : network(network), plan(plan), type(type), elementBytes(sizeBytes(type)), code(tiles) {
    program.machine = machine;
    program.tiles = tiles;
  }

  Program emit() {
    loadInput();
    if (plan.isConv(0))
      loadWeights(0);
    everybody(GlobalBarrier{});
    for (int i = 0; i < plan.numLayers(); ++i) {
      layer = static_cast<uint32_t>(i);
      describeLayer(i);
      std::vector<uint32_t> begin;
      for (const auto &tile : code)
        begin.push_back(static_cast<uint32_t>(tile.size()));
      everybody(Marker{.kind = MarkerKind::layerBegin});
      if (i + 1 < plan.numLayers() && plan.isConv(i + 1))
        loadWeights(i + 1);
      for (unsigned tile = 0; tile < code.size(); ++tile)
        if (!plan.image(i).owned[tile].empty())
          compute(i, tile);
      everybody(GlobalBarrier{});
      everybody(Marker{.kind = MarkerKind::layerEnd});
      describeRanges(begin);
    }
    storeOutput();
    everybody(Halt{});
    addConstants();
    program.stages.push_back({"inference", Phase::inference, DeviceStage{std::move(code)}});
    return std::move(program);
  }

private:
  template <class T>
  void emit(unsigned tile, T instruction) {
    instruction.layer = layer;
    code[tile].push_back(instruction);
  }
  template <class T>
  void everybody(T instruction) {
    for (unsigned tile = 0; tile < code.size(); ++tile)
      emit(tile, instruction);
  }

  // Stream (address pattern) over `box` of an image in the memory of a tile that stores the larger box
  // `kept`.
  Stream streamOf(const Image &image, const Box &kept, const Box &box, Space space,
                  unsigned remote = 0) const {
    const uint32_t pixel = kept.channels.size() * elementBytes, row = kept.columns.size() * pixel;
    Stream stream{.space = space, .type = type, .tile = static_cast<uint8_t>(remote)};
    stream.base = image.address + uint64_t{box.rows.begin - kept.rows.begin} * row +
                  uint64_t{box.columns.begin - kept.columns.begin} * pixel +
                  uint64_t{box.channels.begin - kept.channels.begin} * elementBytes;
    stream.dims = {{{1, 0},
                    {1, 0},
                    {box.rows.size(), box.rows.size() > 1 ? row : 0},
                    {box.columns.size(), box.columns.size() > 1 ? pixel : 0},
                    {box.channels.size(), box.channels.size() > 1 ? elementBytes : 0}}};
    return stream;
  }
  Stream ddrImage(const Image &image, uint64_t address, const Box &box) const {
    Image there = image;
    there.address = address;
    return streamOf(there, {{0, image.height}, {0, image.width}, {0, image.channels}}, box, Space::ddr);
  }
  static Stream bytes(Space space, uint64_t base, uint64_t count) {
    Stream stream{.space = space, .type = ElementType::u8, .base = base};
    stream.dims = {{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {static_cast<uint32_t>(count), count > 1 ? 1u : 0u}}};
    return stream;
  }

  void loadInput() {
    const Image &input = plan.image(-1);
    for (unsigned tile = 0; tile < code.size(); ++tile)
      if (!input.kept[tile].empty())
        emit(tile, Load{.source = ddrImage(input, inputAt, input.kept[tile]),
                        .destination = streamOf(input, input.kept[tile], input.kept[tile], Space::ocm)});
    describeTensor("input", proto::INPUT, -1, true);
  }
  void storeOutput() {
    const Image &output = plan.image(plan.numLayers() - 1);
    for (unsigned tile = 0; tile < code.size(); ++tile)
      if (!output.owned[tile].empty())
        emit(tile, Store{.source = streamOf(output, output.kept[tile], output.owned[tile], Space::ocm),
                         .destination = ddrImage(output, outputAt, output.owned[tile])});
    describeTensor("output", proto::OUTPUT, plan.numLayers() - 1, true);
  }

  // Loads the weights, biases and scales of a layer: all of them lie together once in DDR, and each tile
  // receives the part of its output channels.
  void loadWeights(int i) {
    // For each range of output channels, the bit set of the tiles that compute it and so need its weights.
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> receivers;
    for (unsigned tile = 0; tile < code.size(); ++tile)
      if (const Box &box = plan.image(i).owned[tile]; !box.empty())
        receivers[{box.channels.begin, box.channels.end}] |= uint64_t{1} << tile;
    for (const auto &[outputs, set] : receivers) {
      const uint64_t size = plan.weightBytes(i, outputs.second - outputs.first);
      const auto first = static_cast<unsigned>(__builtin_ctzll(set));
      const Stream source = bytes(Space::ddr, makeWeights(i, outputs.first, outputs.second), size);
      const Stream destination = bytes(Space::ocm, plan.weightsAddress(i), size);
      if (set == uint64_t{1} << first)
        emit(first, Load{.source = source, .destination = destination});
      else
        emit(first, Multicast{.tiles = set, .source = source, .destination = destination});
    }
  }

  uint64_t makeWeights(int i, uint32_t first, uint32_t last) {
    const uint64_t at = (constants.size() + 63) / 64 * 64;
    const auto numK = static_cast<float>(plan.rowBytes(i) / elementBytes);
    constants.resize(at + plan.weightBytes(i, last - first));
    std::byte *to = constants.data() + at;
    // The seed depends only on layer and output, so the weights are the same for every split of the outputs.
    for (uint32_t output = first; output < last; ++output) {
      Random random((uint64_t{static_cast<uint32_t>(i)} << 32) + output);
      for (uint64_t k = 0; k < plan.rowBytes(i) / elementBytes; ++k, to += elementBytes)
        if (type == ElementType::i8)
          *to = static_cast<std::byte>(random.between(-network.largestWeight, network.largestWeight));
        else
          storeHalf(to, static_cast<float>(random.between(-1000, 1000)) * 0.0024f / std::sqrt(numK));
    }
    to = constants.data() + at + plan.biasOffset(i, last - first);
    for (uint32_t output = first; output < last; ++output, to += 4) {
      const int32_t bias = static_cast<int32_t>(output * 37 % 2001) - 1000;
      const float real = static_cast<float>(bias) * 1e-4f;
      std::memcpy(to, type == ElementType::i8 ? static_cast<const void *>(&bias) : &real, 4);
    }
    for (uint32_t output = first; output < last; ++output, to += 4) {
      const float scale = 0.011f / std::sqrt(numK) * (1 + static_cast<float>(output % 7) * 0.05f);
      std::memcpy(to, &scale, 4);
    }
    return constantsAt + at;
  }
  static void storeHalf(std::byte *to, float x) {
    const Fp16 half = fp16FromFloat(x);
    std::memcpy(to, &half, sizeof half);
  }

  void compute(int i, unsigned tile) {
    const Engine engine = plan.isConv(i) ? Engine::pod : Engine::pe;
    if (plan.isConv(i))
      emit(tile, conv(i, tile));
    else
      emit(tile, pool(i, tile));
    send(i, tile, engine);
  }

  Finish finishOf(int i) const {
    Finish finish;
    const bool relu = plan.isConv(i) && plan.layer(i).relu;
    if (type == ElementType::i8) {
      finish.output = plan.image(i).affine;
      finish.clampLow = relu ? finish.output.zeroPoint : int16_t{-128};
      finish.clampHigh = 127;
    } else if (relu) {
      finish.function = UnaryFunction::relu;
    }
    return finish;
  }

  // Padding above and left of a box is the part of its window that lies outside the image.
  Window windowOf(int i, const Box &box) const {
    const NetworkLayer &networkLayer = plan.layer(i);
    const auto pad = [&](Range range) {
      const uint32_t begin = range.begin * networkLayer.stride;
      return static_cast<uint16_t>(begin < networkLayer.pad ? networkLayer.pad - begin : 0);
    };
    const auto stride = static_cast<uint16_t>(networkLayer.stride);
    return {stride, stride, 1, 1, pad(box.rows), pad(box.columns)};
  }

  Conv conv(int i, unsigned tile) const {
    const NetworkLayer &networkLayer = plan.layer(i);
    const Image &from = plan.image(networkLayer.input), &to = plan.image(i);
    const Box &box = to.owned[tile];
    const uint32_t outputs = box.channels.size(), row = static_cast<uint32_t>(plan.rowBytes(i));
    Conv conv;
    conv.window = windowOf(i, box);
    conv.input = streamOf(from, from.kept[tile], plan.needed(i, box), Space::ocm);
    conv.output = streamOf(to, to.kept[tile], box, Space::ocm);
    conv.weights = {.space = Space::ocm, .type = type, .base = plan.weightsAddress(i)};
    const uint32_t pixel = from.channels * elementBytes;
    conv.weights.dims = {{{1, 0},
                          {outputs, outputs > 1 ? row : 0},
                          {networkLayer.kernel, networkLayer.kernel > 1 ? networkLayer.kernel * pixel : 0},
                          {networkLayer.kernel, networkLayer.kernel > 1 ? pixel : 0},
                          {from.channels, from.channels > 1 ? elementBytes : 0}}};
    const uint64_t biasAt = plan.weightsAddress(i) + plan.biasOffset(i, outputs);
    Epilogue &epilogue = conv.epilogue;
    epilogue.bias = {.present = true, .base = biasAt};
    epilogue.finish = finishOf(i);
    if (type == ElementType::i8) {
      epilogue.scale = {.present = true, .base = biasAt + uint64_t{4} * outputs};
      epilogue.inputZeroPoint = from.affine.zeroPoint;
    }
    if (networkLayer.addend >= 0) {
      const Image &addend = plan.image(networkLayer.addend);
      epilogue.addend = streamOf(addend, addend.kept[tile], box, Space::ocm);
      if (type == ElementType::i8) {
        epilogue.middle = {0.03f, 2};
        epilogue.addendAffine = addend.affine;
      }
    }
    return conv;
  }

  Pool pool(int i, unsigned tile) const {
    const NetworkLayer &networkLayer = plan.layer(i);
    const Image &from = plan.image(networkLayer.input), &to = plan.image(i);
    const Box &box = to.owned[tile];
    Pool pool;
    const bool max = networkLayer.kind == NetworkLayer::Kind::maxPool;
    pool.function = max ? PoolFunction::max : PoolFunction::average;
    pool.kernelH = pool.kernelW = static_cast<uint16_t>(networkLayer.kernel);
    pool.window = windowOf(i, box);
    pool.input = streamOf(from, from.kept[tile], plan.needed(i, box), Space::ocm);
    pool.output = streamOf(to, to.kept[tile], box, Space::ocm);
    pool.finish = finishOf(i);
    if (type == ElementType::i8)
      pool.inputAffine = from.affine;
    return pool;
  }

  // Sends the results of a tile to the other tiles that store parts of them: by multicast to tiles that store
  // the same box, by a store if only one tile stores that box.
  void send(int i, unsigned tile, Engine engine) {
    const Image &image = plan.image(i);
    std::vector<std::pair<Box, uint64_t>> keepers; // a box, and the tiles that store exactly this box
    for (unsigned other = 0; other < code.size(); ++other) {
      if (other == tile || image.kept[other].meet(image.owned[tile]).empty())
        continue;
      const auto same =
          std::ranges::find(keepers, image.kept[other], [](const auto &keeper) { return keeper.first; });
      if (same == keepers.end())
        keepers.push_back({image.kept[other], uint64_t{1} << other});
      else
        same->second |= uint64_t{1} << other;
    }
    if (!keepers.empty())
      emit(tile, Sync{.engine = Engine::dmaOut, .on = engine});
    for (const auto &[kept, set] : keepers) {
      const Box part = kept.meet(image.owned[tile]);
      const auto first = static_cast<unsigned>(__builtin_ctzll(set));
      const Stream source = streamOf(image, image.kept[tile], part, Space::ocm);
      if (set == uint64_t{1} << first)
        emit(tile, Store{.source = source, .destination = streamOf(image, kept, part, Space::remote, first)});
      else
        emit(tile, Multicast{.tiles = set,
                             .source = source,
                             .destination = streamOf(image, kept, part, Space::ocm)});
    }
  }

  void describeLayer(int i) {
    const NetworkLayer &networkLayer = plan.layer(i);
    const Image &image = plan.image(i);
    proto::Layer &described = *program.metadata.add_layers();
    described.set_id(layer);
    described.set_name(networkLayer.name);
    described.set_kind(plan.isConv(i) ? "conv" : "pool");
    described.set_where("accelerator");
    if (plan.isConv(i))
      described.set_macs(uint64_t{image.height} * image.width * image.channels * plan.rowBytes(i) /
                         elementBytes);
    if (i + 1 < plan.numLayers())
      describeTensor(networkLayer.name, proto::INTERMEDIATE, i, false);
  }
  void describeRanges(const std::vector<uint32_t> &begin) {
    for (unsigned tile = 0; tile < code.size(); ++tile) {
      proto::DebugRange &range = *program.metadata.add_debug();
      range.set_layer(layer);
      range.set_primitive("convolution");
      range.set_tile(tile);
      range.set_begin(begin[tile]);
      range.set_end(static_cast<uint32_t>(code[tile].size()));
    }
  }
  void describeTensor(const std::string &name, proto::TensorRole role, int i, bool inDdr) {
    const Image &image = plan.image(i);
    proto::Tensor &tensor = *program.metadata.add_tensors();
    tensor.set_name(name);
    tensor.set_dtype(type == ElementType::i8 ? "int8" : "float16");
    tensor.set_stored_type(type == ElementType::i8 ? "i8" : "fp16");
    tensor.set_role(role);
    tensor.set_layer(static_cast<uint32_t>(std::max(i, 0)));
    for (uint32_t size : {image.height, image.width, image.channels})
      tensor.add_shape(size);
    const Box whole{{0, image.height}, {0, image.width}, {0, image.channels}};
    if (inDdr)
      return addPiece(tensor, true, 0, ddrImage(image, role == proto::INPUT ? inputAt : outputAt, whole),
                      whole);
    for (unsigned tile = 0; tile < code.size(); ++tile)
      if (const Box &box = image.owned[tile]; !box.empty())
        addPiece(tensor, false, tile, streamOf(image, image.kept[tile], box, Space::ocm), box);
  }
  static void addPiece(proto::Tensor &tensor, bool ddr, unsigned tile, const Stream &stream, const Box &box) {
    proto::Piece &piece = *tensor.add_pieces();
    piece.set_ddr(ddr);
    piece.set_tile(tile);
    piece.set_address(stream.base);
    for (Range range : {box.rows, box.columns, box.channels}) {
      piece.add_begin(range.begin);
      piece.add_extent(range.size());
    }
    for (unsigned d = 2; d < 5; ++d)
      piece.add_stride(stream.dims[d].stride);
  }

  void addConstants() {
    auto owner = std::make_shared<std::vector<std::byte>>(std::move(constants));
    program.constants.push_back({constantsAt, *owner, owner});
  }

  const Network &network;
  const Planner &plan;
  ElementType type;
  unsigned elementBytes;
  std::vector<std::vector<Instruction>> code;
  std::vector<std::byte> constants;
  Program program;
  uint32_t layer = 0;
};

class ResNetBuilder {
public:
  explicit ResNetBuilder(unsigned tiles) : tiles(tiles) {
    while (grid * grid * 4 <= tiles)
      grid *= 2;
  }

  Network build() {
    network = {224, 224, 3, {}};
    int x = conv("conv1", -1, 64, 7, 2, true);
    x = add({.kind = NetworkLayer::Kind::maxPool,
             .name = "pool1",
             .input = x,
             .outputs = 64,
             .kernel = 3,
             .stride = 2,
             .pad = 1});
    constexpr std::array<uint32_t, 4> blocks = {3, 4, 6, 3};
    for (uint32_t stage = 0; stage < 4; ++stage)
      for (uint32_t block = 0; block < blocks[stage]; ++block)
        x = bottleneck(fmt::format("conv{}_{}", stage + 2, block + 1), x, 64u << stage,
                       block == 0 && stage > 0 ? 2 : 1, block == 0);
    x = add(
        {.kind = NetworkLayer::Kind::averagePool, .name = "pool5", .input = x, .outputs = 2048, .kernel = 7});
    conv("fc", x, 1000, 1, 1, false);
    return std::move(network);
  }

private:
  int bottleneck(const std::string &name, int x, uint32_t width, uint32_t stride, bool projects) {
    const int a = conv(name + "a", x, width, 1, 1, true);
    const int b = conv(name + "b", a, width, 3, stride, true);
    const int shortcut = projects ? conv(name + "s", x, 4 * width, 1, stride, false) : x;
    return conv(name + "c", b, 4 * width, 1, 1, true, shortcut);
  }
  int conv(const std::string &name, int input, uint32_t outputs, uint32_t kernel, uint32_t stride, bool relu,
           int addend = -1) {
    return add({.kind = NetworkLayer::Kind::conv,
                .name = name,
                .input = input,
                .addend = addend,
                .outputs = outputs,
                .kernel = kernel,
                .stride = stride,
                .pad = kernel / 2,
                .relu = relu});
  }

  int add(NetworkLayer layer) {
    const uint32_t size = outputSize(layer.input < 0 ? 224 : sizes[layer.input], layer);
    sizes.push_back(size);
    // Large images are split by position; small ones, which have many weights, by output channels and a few
    // rows. Parts are multiples of 16 output channels, the panel size of the POD (matrix engine).
    if (size >= 28) {
      layer.split = {grid, grid, 1};
    } else {
      const uint32_t panels = std::max(1u, layer.outputs / 16);
      layer.split.channels = std::min({tiles, panels, size >= 14 ? 16u : 32u, panels});
      if (size == 1)
        layer.split.channels = std::min(tiles, panels);
      layer.split.rows = std::clamp(tiles / layer.split.channels, 1u, size);
    }
    network.layers.push_back(std::move(layer));
    return static_cast<int>(network.layers.size()) - 1;
  }

  unsigned tiles;
  uint32_t grid = 1;
  Network network;
  std::vector<uint32_t> sizes;
};

} // namespace

Network resNet50(unsigned tiles) { return ResNetBuilder(tiles).build(); }

Network smallNetwork() {
  using enum NetworkLayer::Kind;
  return {13,
          11,
          3,
          {{.name = "a", .outputs = 10, .kernel = 3, .stride = 2, .pad = 1, .split = {2, 2, 1}},
           {.name = "b", .input = 0, .outputs = 18, .kernel = 3, .pad = 1, .relu = false, .split = {1, 1, 4}},
           {.name = "c", .input = 0, .addend = 1, .outputs = 18, .split = {3, 1, 1}},
           {.kind = maxPool, .name = "d", .input = 2, .kernel = 3, .stride = 2, .pad = 1, .split = {1, 2, 2}},
           {.kind = averagePool, .name = "e", .input = 3, .kernel = 2, .split = {1, 1, 3}},
           {.name = "f", .input = 4, .outputs = 7, .relu = false, .split = {2, 1, 2}}},
          63};
}

Result<Program> splitProgram(const Network &network, const Machine &machine, unsigned tiles,
                             ElementType type) {
  Planner plan(network, tiles, type);
  TILERIG_CHECK_OK(plan.place(machine.tile.ocmBytes));
  return Emitter(network, plan, machine, tiles, type).emit();
}

} // namespace tilerig::test
