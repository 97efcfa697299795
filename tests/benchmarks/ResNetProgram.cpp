#include "tests/benchmarks/ResNetProgram.h"

#include <algorithm>

namespace tilerig::test {

namespace {

// Byte addresses of the buffers in the OCM of every tile, and of input, output and constants in DDR.
constexpr uint64_t kib = 1024;
constexpr std::array<uint64_t, 2> activationsAt = {0, 400 * kib};
constexpr uint64_t stagingAt = 800 * kib;
constexpr std::array<uint64_t, 2> weightsAt = {864 * kib, 936 * kib};
constexpr std::array<uint64_t, 2> paramsAt = {1008 * kib, 1016 * kib};
constexpr uint64_t inputAt = 0, outputAt = 16 * kib * kib, constantsAt = 32 * kib * kib;

// Indices of a tile's semaphores. Each has one producer. haloArrived + direction (0 to 7): the neighbour in
// that direction has written its halo here. haloFree + direction: the halo of that neighbour may be
// overwritten. weightsFree + index of a tile in its block (0 to 3): this tile has used its weights; only the
// first tile of a block has this semaphore.
constexpr unsigned haloArrived = 0;
constexpr unsigned haloFree = 8;
constexpr unsigned weightsFree = 16;
constexpr unsigned weightsArrived = 20;

struct Direction {
  int dy, dx;
};
constexpr std::array<Direction, 8> directions = {
    {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}}};
constexpr unsigned opposite(unsigned direction) { return 7 - direction; }

Stream stream(Space space, ElementType type, uint64_t base, std::array<uint32_t, 5> sizes,
              std::array<uint32_t, 5> strides) {
  Stream result{.space = space, .type = type, .base = base};
  for (size_t d = 0; d < 5; ++d)
    result.dims[d] = {sizes[d], sizes[d] > 1 ? strides[d] : 0};
  return result;
}
Stream bytes(Space space, uint64_t base, uint32_t count) {
  return stream(space, ElementType::i8, base, {1, 1, 1, 1, count}, {0, 0, 0, 0, 1});
}

Finish int8Finish() {
  Finish finish;
  finish.clampLow = -128;
  finish.clampHigh = 127;
  finish.output = {.scale = 0.05f, .zeroPoint = 3};
  return finish;
}

// An image of `size` x `size` positions with a border of one position on every side, as stored in a tile.
struct Local {
  uint64_t base;
  uint32_t size, channels;

  uint32_t rowBytes() const { return (size + 2) * channels; }
  // Stream (address pattern) over the box of `rows` x `columns` positions that starts at (y, x); the border
  // has coordinate -1.
  Stream box(Space space, int y, int x, uint32_t rows, uint32_t columns) const {
    const uint64_t at =
        base + static_cast<uint64_t>(y + 1) * rowBytes() + static_cast<uint64_t>(x + 1) * channels;
    return stream(space, ElementType::i8, at, {1, 1, rows, columns, channels},
                  {0, 0, rowBytes(), channels, 1});
  }
};

class Generator {
public:
  explicit Generator(const ResNetOptions &options)
      : options(options), grid(static_cast<int>(options.grid)), numTiles(options.grid * options.grid),
        code(numTiles), chunksOf(numTiles) {}

  Program make() {
    loadInput();
    uint32_t channels = 64, size = 7;
    Local input{activationsAt[0], size, channels};
    for (unsigned i = 0; i < options.spatialLayers; ++i)
      input = spatialLayer(input, i % 3 == 1 ? 3 : 1, i % 3 == 2 ? 256 : 64);
    uint32_t positions = gatherAll(input);
    channels = input.channels;
    for (unsigned i = 0; i < options.channelLayers; ++i) {
      const uint32_t outputs = i % 3 == 2 && options.gathered == 2 ? 16 * numTiles : 4 * numTiles;
      channelLayer(positions, channels, outputs);
      channels = outputs;
    }
    storeOutput(positions, channels);
    return finish();
  }

private:
  template <class T>
  void emit(unsigned tile, T instruction) {
    instruction.layer = layer;
    code[tile].push_back(instruction);
  }
  void signal(unsigned tile, Engine engine, unsigned to, unsigned semaphore) {
    emit(tile, Signal{.engine = engine,
                      .tile = static_cast<uint8_t>(to),
                      .semaphore = static_cast<uint8_t>(semaphore)});
  }
  void wait(unsigned tile, Engine engine, unsigned semaphore, uint32_t value) {
    emit(tile, Wait{.engine = engine, .semaphore = static_cast<uint8_t>(semaphore), .value = value});
  }

  int neighbour(unsigned tile, unsigned direction) const {
    const int y = static_cast<int>(tile) / grid + directions[direction].dy;
    const int x = static_cast<int>(tile) % grid + directions[direction].dx;
    return y < 0 || x < 0 || y >= grid || x >= grid ? -1 : y * grid + x;
  }

  uint64_t constant(uint64_t bytesWanted) {
    const uint64_t at = constantsAt + constantBytes;
    constantBytes += (bytesWanted + 63) / 64 * 64;
    return at;
  }

  // Loads each tile's part of the input image and its halo from DDR straight into the first activation
  // buffer. The image has 64 channels to keep the program short.
  void loadInput() {
    const uint32_t side = 7 * options.grid;
    inputBytes = side * side * 64;
    for (unsigned tile = 0; tile < numTiles; ++tile) {
      const int y = static_cast<int>(tile) / grid * 7, x = static_cast<int>(tile) % grid * 7;
      const int top = y > 0 ? -1 : 0, left = x > 0 ? -1 : 0;
      const uint32_t rows = 7 + (y > 0) + (y + 7 < static_cast<int>(side));
      const uint32_t columns = 7 + (x > 0) + (x + 7 < static_cast<int>(side));
      const Local local{activationsAt[0], 7, 64};
      emit(tile,
           Load{.source = stream(
                    Space::ddr, ElementType::i8,
                    inputAt + (static_cast<uint64_t>(y + top) * side + static_cast<uint64_t>(x + left)) * 64,
                    {1, 1, rows, columns, 64}, {0, 0, side * 64, 64, 1}),
                .destination = local.box(Space::ocm, top, left, rows, columns)});
      emit(tile, Sync{.engine = Engine::pod, .on = Engine::dmaIn});
      for (unsigned direction = 0; direction < 8;
           ++direction) // before the first layer, the buffers for halos are free
        if (neighbour(tile, direction) >= 0)
          signal(tile, Engine::pod, static_cast<unsigned>(neighbour(tile, direction)),
                 haloFree + opposite(direction));
    }
  }

  // Multicasts the weights of `outputs` outputs to all tiles of each block of four tiles. Returns the index
  // (0 or 1) of the weight buffer that receives them.
  void loadWeights(uint32_t weightBytes, uint32_t outputs) {
    const uint64_t weights = constant(weightBytes), params = constant(8 * outputs);
    const unsigned buffer = numChunks % 2;
    for (unsigned first = 0; first < numTiles; first += 4) {
      if (numChunks >= 2)
        for (unsigned i = 0; i < 4; ++i)
          wait(first, Engine::dmaIn, weightsFree + i, numChunks - 1);
      const uint64_t block = uint64_t{0xF} << first;
      emit(first, Multicast{.tiles = block,
                            .source = bytes(Space::ddr, weights, weightBytes),
                            .destination = bytes(Space::ocm, weightsAt[buffer], weightBytes)});
      emit(first, Multicast{.tiles = block,
                            .source = bytes(Space::ddr, params, 8 * outputs),
                            .destination = bytes(Space::ocm, paramsAt[buffer], 8 * outputs)});
      for (unsigned i = 0; i < 4; ++i)
        signal(first, Engine::dmaIn, first + i, weightsArrived);
    }
    ++numChunks;
  }

  Conv conv(uint32_t kernel, uint32_t inputs, uint32_t outputs) const {
    const unsigned buffer = (numChunks - 1) % 2;
    Conv conv;
    conv.weights =
        stream(Space::ocm, ElementType::i8, weightsAt[buffer], {1, outputs, kernel, kernel, inputs},
               {0, kernel * kernel * inputs, kernel * inputs, inputs, 1});
    conv.epilogue.bias = {.present = true, .base = paramsAt[buffer]};
    conv.epilogue.scale = {.present = true, .base = paramsAt[buffer] + 4 * outputs};
    conv.epilogue.inputZeroPoint = 3;
    conv.epilogue.finish = int8Finish();
    return conv;
  }
  // Emits a convolution that first waits for its weights and afterwards signals that it has used them. The
  // signal goes to the first tile of the block of four tiles, which loads the weights for the block.
  void emitConv(unsigned tile, const Conv &conv) {
    wait(tile, Engine::pod, weightsArrived, numChunks);
    emit(tile, conv);
    signal(tile, Engine::pod, tile / 4 * 4, weightsFree + tile % 4);
  }

  Local spatialLayer(const Local &input, uint32_t kernel, uint32_t outputs) {
    ++layer;
    ++haloRound;
    const Local output{input.base == activationsAt[0] ? activationsAt[1] : activationsAt[0], input.size,
                       outputs};
    uint32_t chunk = outputs;
    while (kernel * kernel * input.channels * chunk > 64 * kib || outputs / chunk < 4)
      chunk /= 2;
    for (uint32_t from = 0; from < outputs; from += chunk) {
      loadWeights(kernel * kernel * input.channels * chunk, chunk);
      for (unsigned tile = 0; tile < numTiles; ++tile) {
        if (from == 0 && haloRound > 1)
          for (unsigned direction = 0; direction < 8; ++direction)
            if (neighbour(tile, direction) >= 0)
              wait(tile, Engine::pod, haloArrived + direction, haloRound - 1);
        Conv convolution = conv(kernel, input.channels, chunk);
        // The window reads the halo on sides with a neighbour; on sides at the border of the image it uses
        // padding.
        const bool wide = kernel == 3;
        const int y = static_cast<int>(tile) / grid, x = static_cast<int>(tile) % grid;
        const int top = wide && y > 0, bottom = wide && y + 1 < grid, left = wide && x > 0,
                  right = wide && x + 1 < grid;
        convolution.window.padTop = static_cast<uint16_t>(wide && !top);
        convolution.window.padLeft = static_cast<uint16_t>(wide && !left);
        convolution.input =
            input.box(Space::ocm, -top, -left, input.size + static_cast<uint32_t>(top + bottom),
                      input.size + static_cast<uint32_t>(left + right));
        convolution.output = output.box(Space::ocm, 0, 0, output.size, output.size);
        convolution.output.base += from;
        convolution.output.dims[4].size = chunk;
        emitConv(tile, convolution);
      }
    }
    for (unsigned tile = 0; tile < numTiles; ++tile)
      exchangeHalo(tile, output);
    return output;
  }

  void exchangeHalo(unsigned tile, const Local &output) {
    emit(tile, Sync{.engine = Engine::dmaOut, .on = Engine::pod});
    const int last = static_cast<int>(output.size) - 1;
    for (unsigned direction = 0; direction < 8; ++direction) {
      const int other = neighbour(tile, direction);
      if (other < 0)
        continue;
      const auto [dy, dx] = directions[direction];
      const uint32_t rows = dy == 0 ? output.size : 1, columns = dx == 0 ? output.size : 1;
      wait(tile, Engine::dmaOut, haloFree + direction, haloRound);
      Store store{.source = output.box(Space::ocm, dy > 0 ? last : 0, dx > 0 ? last : 0, rows, columns),
                  .destination = output.box(Space::remote,
                                            dy > 0   ? -1
                                            : dy < 0 ? last + 1
                                                     : 0,
                                            dx > 0   ? -1
                                            : dx < 0 ? last + 1
                                                     : 0,
                                            rows, columns)};
      store.destination.tile = static_cast<uint8_t>(other);
      emit(tile, store);
      signal(tile, Engine::dmaOut, static_cast<unsigned>(other), haloArrived + opposite(direction));
    }
    // The next layer writes its output into the buffer that holds this layer's input. Neighbours may write
    // halos into this buffer only after this layer has been computed and has sent its borders.
    emit(tile, Sync{.engine = Engine::pod, .on = Engine::dmaOut});
    for (unsigned direction = 0; direction < 8; ++direction)
      if (neighbour(tile, direction) >= 0)
        signal(tile, Engine::pod, static_cast<unsigned>(neighbour(tile, direction)),
               haloFree + opposite(direction));
  }

  void meet() {
    for (unsigned tile = 0; tile < numTiles; ++tile)
      emit(tile, GlobalBarrier{});
  }

  // An all-gather: every tile receives all positions. The following layers treat the image as one matrix of
  // positions by channels.
  uint32_t gatherAll(const Local &input) {
    ++layer;
    // No instruction needs the last signals between neighbours, but every signal must have a wait in a valid
    // program.
    for (unsigned tile = 0; tile < numTiles; ++tile)
      for (unsigned direction = 0; direction < 8; ++direction)
        if (neighbour(tile, direction) >= 0) {
          wait(tile, Engine::pod, haloArrived + direction, haloRound);
          wait(tile, Engine::pod, haloFree + direction, haloRound + 1);
        }
    meet();
    current = input.base == activationsAt[0] ? 1 : 0;
    // Only the first few positions of each tile are gathered: the layers that are split by channel work on
    // smaller images.
    const uint32_t side = options.gathered, channels = input.channels;
    for (unsigned tile = 0; tile < numTiles; ++tile)
      multicast(tile, input.box(Space::ocm, 0, 0, side, side),
                stream(Space::ocm, ElementType::i8, activationsAt[current] + tile * side * side * channels,
                       {1, 1, side, side, channels}, {0, 0, side * channels, channels, 1}));
    meet();
    return side * side * numTiles;
  }

  void multicast(unsigned tile, const Stream &source, const Stream &destination) {
    const uint64_t all = numTiles >= 64 ? ~uint64_t{0} : (uint64_t{1} << numTiles) - 1;
    emit(tile, Multicast{.tiles = all, .source = source, .destination = destination});
  }

  void channelLayer(uint32_t positions, uint32_t channels, uint32_t outputs) {
    ++layer;
    const uint32_t mine = outputs / numTiles, parts = options.parts, perPart = positions / parts;
    for (unsigned tile = 0; tile < numTiles; ++tile) {
      const uint64_t weights = constant(mine * channels), params = constant(8 * mine);
      const unsigned buffer = layer % 2;
      emit(tile, Sync{.engine = Engine::dmaIn, .on = Engine::pod});
      emit(tile, Load{.source = bytes(Space::ddr, weights, mine * channels),
                      .destination = bytes(Space::ocm, weightsAt[buffer], mine * channels)});
      emit(tile, Load{.source = bytes(Space::ddr, params, 8 * mine),
                      .destination = bytes(Space::ocm, paramsAt[buffer], 8 * mine)});
      emit(tile, Sync{.engine = Engine::pod, .on = Engine::dmaIn});
      for (uint32_t part = 0; part < parts; ++part) {
        Matmul matmul;
        matmul.a = stream(Space::ocm, ElementType::i8, activationsAt[current] + part * perPart * channels,
                          {1, 1, 1, perPart, channels}, {0, 0, 0, channels, 1});
        matmul.b = stream(Space::ocm, ElementType::i8, weightsAt[buffer], {1, 1, 1, mine, channels},
                          {0, 0, 0, channels, 1});
        matmul.output = stream(Space::ocm, ElementType::i8, stagingAt + part * perPart * mine,
                               {1, 1, 1, perPart, mine}, {0, 0, 0, mine, 1});
        matmul.epilogue.bias = {.present = true, .base = paramsAt[buffer]};
        matmul.epilogue.scale = {.present = true, .base = paramsAt[buffer] + 4 * mine};
        matmul.epilogue.inputZeroPoint = 3;
        matmul.epilogue.finish = int8Finish();
        emit(tile, matmul);
        emit(tile, Sync{.engine = Engine::dmaOut, .on = Engine::pod});
        multicast(tile, matmul.output,
                  stream(Space::ocm, ElementType::i8,
                         activationsAt[1 - current] + part * perPart * outputs + tile * mine,
                         {1, 1, 1, perPart, mine}, {0, 0, 0, outputs, 1}));
      }
    }
    meet();
    current = 1 - current;
  }

  void storeOutput(uint32_t positions, uint32_t channels) {
    ++layer;
    const uint32_t each = positions * channels / numTiles;
    outputBytes = each * numTiles;
    for (unsigned tile = 0; tile < numTiles; ++tile)
      emit(tile, Store{.source = bytes(Space::ocm, activationsAt[current] + tile * each, each),
                       .destination = bytes(Space::ddr, outputAt + tile * each, each)});
  }

  static void addTensor(Program &program, const char *name, proto::TensorRole role, uint64_t address,
                        uint64_t size) {
    proto::Tensor &tensor = *program.metadata.add_tensors();
    tensor.set_name(name);
    tensor.set_dtype("int8");
    tensor.add_shape(static_cast<int64_t>(size));
    tensor.set_role(role);
    tensor.set_stored_type("i8");
    proto::Piece &piece = *tensor.add_pieces();
    piece.set_ddr(true);
    piece.set_address(address);
    piece.add_begin(0);
    piece.add_extent(static_cast<int64_t>(size));
    piece.add_stride(1);
  }

  Program finish() {
    Program program;
    program.machine = *loadMachine("tr64");
    program.tiles = numTiles;
    for (unsigned tile = 0; tile < numTiles; ++tile) {
      // Waits for the remaining signals (those that say that the last two chunks of weights were used),
      // because every signal must have a wait.
      if (tile % 4 == 0)
        for (unsigned i = 0; i < 4 && numChunks > 0; ++i)
          wait(tile, Engine::sequencer, weightsFree + i, numChunks);
      emit(tile, Halt{});
    }
    auto bytes = std::make_shared<std::vector<std::byte>>(constantBytes);
    // Only every fourth byte is set. The others stay 0, so that the constants are small numbers even if they
    // are read as 32-bit integers.
    for (size_t i = 0; i < bytes->size(); i += 4)
      (*bytes)[i] = static_cast<std::byte>(i / 4 * 7);
    program.constants.push_back({constantsAt, *bytes, bytes});
    addTensor(program, "input", proto::INPUT, inputAt, inputBytes);
    addTensor(program, "output", proto::OUTPUT, outputAt, outputBytes);
    for (uint32_t id = 0; id <= layer; ++id) {
      proto::Layer &description = *program.metadata.add_layers();
      description.set_id(id);
      description.set_name("layer" + std::to_string(id));
      description.set_where("accelerator");
    }
    program.stages.push_back({"main", Phase::inference, DeviceStage{std::move(code)}});
    return program;
  }

  ResNetOptions options;
  int grid;
  unsigned numTiles;
  std::vector<std::vector<Instruction>> code;
  std::vector<unsigned> chunksOf;
  uint32_t layer = 0, haloRound = 0, numChunks = 0;
  unsigned current = 0;
  uint64_t constantBytes = 0, inputBytes = 0, outputBytes = 0;
};

} // namespace

Program resNetProgram(const ResNetOptions &options) { return Generator(options).make(); }

} // namespace tilerig::test
