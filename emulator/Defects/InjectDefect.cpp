#include "emulator/Defects/InjectDefect.h"

#include "emulator/Defects/Defects.h"
#include "emulator/Defects/FindInstruction.h"
#include "isa/Base/Support/Json.h"
#include "isa/Bugs/Binary.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig::emulator {

namespace {

using FaultJson = nlohmann::ordered_json;

Error lacks(std::string reason) { return unsupported("", std::move(reason)); }

// A signal or transfer with its tile and its number, counted as in fault files (see Defects.h).
struct Counted {
  uint32_t tile = 0, number = 0;
  const Instruction *instruction = nullptr;
};

class DefectInjector {
public:
  DefectInjector(const Program &program, uint32_t layer, BugDraw &draw)
      : program(program), layer(layer), draw(draw) {}

  Result<FaultJson> inject() {
    TILERIG_CHECK_OK(checkKind());
    const std::string_view id = draw.bug().id;
    if (id == "stuck-bit" || id == "dead-lane")
      return injectLane(id == "stuck-bit");
    if (id == "accumulator-narrow") {
      TILERIG_TRY(const int64_t tile, drawTile(isIntegerProduct));
      TILERIG_TRY(const int64_t bits, draw.number("bits", 8, 24));
      return FaultJson{{"kind", "narrow_accumulators"}, {"tile", tile}, {"bits", bits}};
    }
    if (id == "dead-tile") {
      TILERIG_TRY(const int64_t tile,
                  drawTile([](const Instruction &instruction) { return !isControl(instruction); }));
      return FaultJson{{"kind", "dead_tile"}, {"tile", tile}};
    }
    if (id == "flipped-bit")
      return injectFlip();
    if (id == "lost-signal")
      return injectLostSignal();
    if (id == "delayed-dma")
      return injectDelay();
    if (id == "wrong-destination")
      return injectMisrouted();
    return internalError(std::string(id), "the emulator cannot inject this bug");
  }

private:
  static bool isIntegerProduct(const Instruction &instruction) {
    const auto type = multipliedType(instruction);
    return type && !isFloat(*type);
  }

  Status checkKind() const {
    const std::string &kind = program.metadata.layers(static_cast<int>(layer)).kind();
    if (!draw.bug().layers.empty() && std::ranges::find(draw.bug().layers, kind) == draw.bug().layers.end())
      return lacks(fmt::format("this bug cannot be injected into a layer of the kind '{}'", kind));
    return success();
  }

  // The instructions of the layer that satisfy the condition `which`. Each comes with its number among all
  // instructions of its tile that satisfy the condition.
  template <class Which>
  std::vector<Counted> counted(Which which) const {
    std::vector<Counted> all;
    for (uint32_t tile = 0; tile < program.tiles; ++tile) {
      uint32_t number = 0;
      for (const Stage &stage : program.stages)
        if (const auto *device = std::get_if<DeviceStage>(&stage.work))
          for (const Instruction &instruction : device->tiles[tile])
            if (which(instruction)) {
              if (layerOf(instruction) == layer)
                all.push_back({tile, number, &instruction});
              ++number;
            }
    }
    return all;
  }
  std::vector<Counted> transfers(const std::function<bool(const Instruction &)> &which) const {
    std::vector<Counted> some = counted(isTransfer);
    std::erase_if(some, [&](const Counted &candidate) { return !which(*candidate.instruction); });
    return some;
  }
  Result<Counted> drawOne(const char *parameter, const std::vector<Counted> &all, const char *otherwise) {
    if (all.empty())
      return lacks(otherwise);
    TILERIG_TRY(const size_t index, draw.index(parameter, all.size()));
    return all[index];
  }

  template <class Which>
  Result<int64_t> drawTile(Which which) {
    std::vector<int64_t> tiles;
    for (const Counted &candidate : counted(which))
      if (tiles.empty() || tiles.back() != candidate.tile)
        tiles.push_back(candidate.tile);
    if (tiles.empty())
      return lacks("no tile has an instruction of this layer in which the bug could be injected");
    return draw.among("tile", tiles);
  }

  Result<FaultJson> injectLane(bool isStuck) {
    TILERIG_TRY(const int64_t tile, drawTile(isProduct));
    TILERIG_TRY(const int64_t position, draw.number("position", 0, Lane::gridSize - 1));
    TILERIG_TRY(const int64_t output, draw.number("output", 0, Lane::gridSize - 1));
    FaultJson fault = {{"kind", isStuck ? "stuck_bit" : "dead_lane"},
                       {"tile", tile},
                       {"position", position},
                       {"output", output}};
    if (!isStuck)
      return fault;
    TILERIG_TRY(fault["bit"], draw.number("bit", 0, 31));
    TILERIG_TRY(fault["value"], draw.number("value", 0, 1));
    return fault;
  }

  bool isConstant(uint64_t address) const {
    return std::ranges::any_of(program.constants, [&](const ConstantData &constant) {
      return constant.address <= address && address < constant.address + constant.bytes.size();
    });
  }

  // Address of byte `index` of the data that a stream reads.
  static uint64_t addressOf(const Stream &stream, uint64_t index) {
    const uint64_t inside = index % sizeBytes(stream.type);
    uint64_t element = index / sizeBytes(stream.type), address = stream.base + inside;
    for (size_t d = stream.dims.size(); d-- > 0; element /= stream.dims[d].size)
      address += element % stream.dims[d].size * stream.dims[d].stride;
    return address;
  }
  static const Stream &sourceOf(const Instruction &transfer) {
    const Stream *source = nullptr;
    std::visit(
        [&](const auto &instruction) {
          if constexpr (requires { instruction.destination; })
            source = &instruction.source;
        },
        transfer);
    return *source;
  }

  Result<FaultJson> injectFlip() {
    const auto bringsConstants = [&](const Instruction &instruction) {
      return sourceOf(instruction).space == Space::ddr && isConstant(sourceOf(instruction).base);
    };
    TILERIG_TRY(const Counted load,
                drawOne("transfer", transfers(bringsConstants), "the layer loads no constants"));
    const Stream &source = sourceOf(*load.instruction);
    uint64_t bytes = sizeBytes(source.type);
    for (const Dimension &dimension : source.dims)
      bytes *= dimension.size;
    TILERIG_TRY(const int64_t byte, draw.number("byte", 0, static_cast<int64_t>(bytes) - 1));
    TILERIG_TRY(const int64_t bit, draw.number("bit", 0, 7));
    return FaultJson{{"kind", "flipped_bit"},
                     {"memory", "ddr"},
                     {"address", addressOf(source, static_cast<uint64_t>(byte))},
                     {"bit", bit},
                     {"cycle", 0}};
  }

  Result<FaultJson> injectLostSignal() {
    TILERIG_TRY(const Counted signal,
                drawOne("index", counted(isSignal), "the layer has no signal instruction"));
    return FaultJson{{"kind", "lost_signal"}, {"tile", signal.tile}, {"signal", signal.number}};
  }

  Result<FaultJson> injectDelay() {
    TILERIG_TRY(const Counted transfer,
                drawOne("transfer", counted(isTransfer), "the layer has no transfer instruction"));
    TILERIG_TRY(const int64_t cycles, draw.number("cycles", 100, 1'000'000));
    return FaultJson{{"kind", "delayed_transfer"},
                     {"tile", transfer.tile},
                     {"transfer", transfer.number},
                     {"cycles", cycles}};
  }

  // The set of tiles to which a transfer sends data across the network.
  static uint64_t receiversOf(const Instruction &transfer) {
    if (const auto *store = std::get_if<Store>(&transfer))
      return store->destination.space == Space::remote ? uint64_t{1} << store->destination.tile : 0;
    const auto *multicast = std::get_if<Multicast>(&transfer);
    return multicast ? multicast->tiles : 0;
  }

  Result<FaultJson> injectMisrouted() {
    const auto goesOut = [](const Instruction &instruction) { return receiversOf(instruction) != 0; };
    TILERIG_TRY(const Counted transfer,
                drawOne("transfer", transfers(goesOut), "the layer sends no data to other tiles"));
    const uint64_t receivers = receiversOf(*transfer.instruction);
    std::vector<int64_t> others;
    for (uint32_t tile = 0; tile < program.tiles; ++tile)
      if (!(receivers >> tile & 1) && tile != transfer.tile)
        others.push_back(tile);
    if (others.empty())
      return lacks("the transfer already goes to all other tiles, so there is no wrong destination");
    TILERIG_TRY(const int64_t actual, draw.among("actual", others));
    return FaultJson{{"kind", "wrong_destination"},
                     {"tile", transfer.tile},
                     {"transfer", transfer.number},
                     {"receiver", __builtin_ctzll(receivers)},
                     {"actual", actual}};
  }

  const Program &program;
  uint32_t layer;
  BugDraw &draw;
};

} // namespace

Result<InjectedDefect> injectDefect(const BugChoice &choice, uint64_t seed, const Program &program) {
  FaultJson file;
  TILERIG_TRY(
      InjectedBug injected,
      injectSomewhere(choice, seed, layerNames(program), [&](uint32_t layer, BugDraw &draw) -> Status {
        TILERIG_TRY(FaultJson fault, DefectInjector(program, layer, draw).inject());
        file = {{"faults", FaultJson::array({std::move(fault)})}};
        return success();
      }));
  return InjectedDefect{file.dump(), std::move(injected)};
}

} // namespace tilerig::emulator
