#include "compiler/Tile/Emit/GenerateTasks.h"

#include "compiler/Tile/Ops/Instructions.h"
#include "compiler/Tile/Ops/Walk.h"

#include <cstring>
#include <map>

namespace tilerig::compiler {

namespace {

using TileSet = uint64_t;

// A part of a tensor, and the tiles that need it.
struct Sharers {
  Box box;
  TileSet tiles = 0;
};
std::vector<Sharers> sharersOf(const std::vector<Box> &boxes) {
  std::vector<Sharers> all;
  for (size_t tile = 0; tile < boxes.size(); ++tile) {
    if (boxes[tile].empty())
      continue;
    const auto match = std::ranges::find(all, boxes[tile], &Sharers::box);
    if (match != all.end())
      match->tiles |= TileSet{1} << tile;
    else
      all.push_back({boxes[tile], TileSet{1} << tile});
  }
  return all;
}

class Generator {
public:
  Generator(const DeviceNetwork &network, const TilePlan &plan, ConstantPool &constants)
      : network(plan.networkOf(network)), plan(plan), constants(constants) {}

  std::vector<ProgramPart> generate() {
    collectLoads();
    for (const PlannedLoad &plannedLoad : pinned)
      load(plannedLoad);
    endPart(Phase::initial);
    for (; image < plan.images; ++image)
      generateSteps();
    endPart();
    return std::move(parts);
  }

private:
  void generateSteps() {
    for (size_t i = 0; i < network.steps.size(); ++i) {
      if (const auto *host = std::get_if<HostStep>(&network.steps[i])) {
        loadAt(plan.deviceOps[i].firstTimeStep);
        endPart();
        parts.push_back({{}, *host, Phase::inference});
        continue;
      }
      const FusionBlock *block = plan.blockOf(i);
      const FusionBlock deviceOps = block ? *block : FusionBlock{i, i};
      generate(deviceOps);
      i = deviceOps.last;
    }
  }

  void endPart(Phase phase = Phase::inference) {
    if (!tasks.empty())
      parts.push_back({std::exchange(tasks, {}), std::nullopt, phase});
  }

  template <class T>
  void add(unsigned tile, T instruction) {
    instruction.layer = layer;
    tasks.push_back({.tile = tile,
                     .instruction = instruction,
                     .timeStep = timeStep,
                     .image = image,
                     .isPatient = isPatient});
  }

  // A load from DDR. It is issued as soon as the buffer that it fills is free.
  struct PlannedLoad {
    const DeviceOp *deviceOp;
    const Staging *staging;
    // index of the operand to load; empty: the load is for the vectors bias, scale and table
    std::optional<size_t> operand;
    bool comesInPieces = false;
  };

  void collectLoads() {
    for (size_t i = 0; i < network.steps.size(); ++i) {
      const DeviceOp *deviceOp = std::get_if<DeviceOp>(&network.steps[i]);
      if (!deviceOp)
        continue;
      const auto collect = [&](const Staging &staging, std::optional<size_t> operand) {
        if (staging.isHeld)
          return;
        const PlannedLoad load{deviceOp, &staging, operand, plan.deviceOps[i].product.has_value()};
        if (plan.deviceOps[i].isPinned &&
            (!operand || network.tensors[deviceOp->operands[*operand].tensor].constant()))
          pinned.push_back(load);
        else
          loads.emplace(plan.memory.buffers[staging.buffer].from, load);
      };
      for (size_t operand = 0; operand < deviceOp->operands.size(); ++operand)
        if (!plan.places[deviceOp->operands[operand].tensor].inBands)
          for (const Staging &staging : plan.deviceOps[i].stages[operand])
            collect(staging, operand);
      for (const Staging &staging : plan.deviceOps[i].vectorStages)
        collect(staging, std::nullopt);
    }
  }

  void loadAt(uint32_t now) {
    timeStep = now;
    const auto [first, last] = loads.equal_range(now);
    for (auto entry = first; entry != last; ++entry)
      load(entry->second);
  }
  void load(const PlannedLoad &plannedLoad) {
    layer = plannedLoad.deviceOp->layer;
    if (plannedLoad.operand)
      loadStaging(*plannedLoad.staging, plannedLoad.deviceOp->operands[*plannedLoad.operand].tensor,
                  plannedLoad.comesInPieces);
    else
      loadVectors(*plannedLoad.staging, *plannedLoad.deviceOp);
  }

  View inDdr(TensorIndex index) {
    const DeviceTensor &tensor = network.tensors[index];
    return {.box = Box::whole(tensor.shape),
            .type = tensor.type,
            .address = tensor.constant() ? constantAddress(index)
                                         : plan.places[index].ddrAddress + image * tensor.sizeInBytes(),
            .space = Space::ddr};
  }
  uint64_t constantAddress(TensorIndex index) {
    const auto [entry, isNew] = constantAddresses.try_emplace(index, 0);
    if (isNew)
      entry->second = constants.place(network.tensors[index].bytes);
    return entry->second;
  }

  // Generates a load for one tile, or a multicast for several tiles that need the same part. The tiles issue
  // multicasts in round-robin order.
  void transfer(TileSet tiles, const View &from, const View &to, const Box &part) {
    const auto count = static_cast<unsigned>(__builtin_popcountll(tiles));
    TileSet rest = tiles;
    for (unsigned skip = nextIssuer++ % count; skip > 0; --skip)
      rest &= rest - 1;
    const auto issuer = static_cast<unsigned>(__builtin_ctzll(rest));
    walkBetween(from, to, part).forEach([&](const std::vector<Stream> &streams) {
      if (count == 1)
        add(issuer, Load{.source = streams[0], .destination = streams[1]});
      else
        add(issuer, Multicast{.tiles = tiles, .source = streams[0], .destination = streams[1]});
    });
  }

  void loadStaging(const Staging &stage, TensorIndex tensor, bool inPieces) {
    const View from = inDdr(tensor);
    for (const Sharers &sharers : sharersOf(stage.boxes)) {
      const View to{.box = sharers.box, .type = from.type, .address = plan.addressOf(stage.buffer)};
      for (const Box &piece :
           inPieces ? piecesOf(sharers.box, sizeBytes(from.type)) : std::vector{sharers.box})
        transfer(sharers.tiles, from, to, piece);
    }
  }

  // Cuts a part of a tensor along its first axis with more than one index, into pieces of at most about
  // `bytesOfPiece` bytes.
  static std::vector<Box> piecesOf(const Box &part, uint64_t elementBytes) {
    const auto axis = static_cast<size_t>(
        std::ranges::find_if(part, [](const Range &range) { return range.size() > 1; }) - part.begin());
    if (axis == part.rank())
      return {part};
    const uint64_t count = (part.elements() * elementBytes + bytesOfPiece - 1) / bytesOfPiece;
    std::vector<Box> pieces;
    for (const Range &range : cutRange(part[axis], static_cast<int64_t>(count), 1)) {
      pieces.push_back(part);
      pieces.back()[axis] = range;
    }
    return pieces;
  }

  void loadVectors(const Staging &stage, const DeviceOp &deviceOp) {
    for (const Sharers &sharers : sharersOf(stage.boxes)) {
      const VectorLayout layout = vectorLayout(deviceOp, static_cast<uint64_t>(sharers.box[0].size()));
      std::vector<std::byte> row(layout.size);
      const auto put = [&](const OpVector &vector, uint64_t offset) {
        if (!vector.present())
          return;
        const uint64_t first = vector.perOutput
                                   ? static_cast<uint64_t>(sharers.box[0].begin) * vector.elementBytes
                                   : 0,
                       size = vector.perOutput
                                  ? static_cast<uint64_t>(sharers.box[0].size()) * vector.elementBytes
                                  : vector.bytes.size();
        std::memcpy(row.data() + offset, vector.bytes.data() + first, size);
      };
      put(deviceOp.bias, layout.bias);
      put(deviceOp.scale, layout.scale);
      put(deviceOp.table, layout.table);
      Box bytes(1);
      bytes[0] = {0, static_cast<int64_t>(row.size())};
      const View from{
          .box = bytes, .type = ElementType::u8, .address = constants.place(row), .space = Space::ddr};
      transfer(sharers.tiles, from,
               {.box = bytes, .type = ElementType::u8, .address = plan.addressOf(stage.buffer)}, bytes);
    }
  }

  // --- Tasks of the steps of device operations ---

  // Generates a fusion block (layers that are computed band by band) step by step: first step 0 of all its
  // device operations, then step 1, and so on.
  void generate(const FusionBlock &deviceOps) {
    for (uint32_t step = 0; step < plan.deviceOps[deviceOps.last].numSteps; ++step)
      for (size_t i = deviceOps.first; i <= deviceOps.last; ++i)
        generate(std::get<DeviceOp>(network.steps[i]), plan.deviceOps[i], step);
  }

  void generate(const DeviceOp &deviceOp, const OpPlan &its, uint32_t step) {
    loadAt(its.timeStepOf(step));
    layer = deviceOp.layer;
    for (unsigned tile = 0; tile < plan.tiles; ++tile)
      if (its.computes(tile, step))
        compute(deviceOp, its, step, tile);
    for (unsigned tile = 0; tile < plan.tiles; ++tile)
      if (its.computes(tile, step) && its.endsSum(tile, step))
        send(deviceOp, its, step, tile);
      else if (its.computes(tile, step) && !its.chainDepths.empty())
        sendOn(deviceOp, its, step, tile);
  }

  static const Staging &stageAt(const std::vector<Staging> &stages, uint32_t step) {
    return *std::ranges::find_if(stages, [&](const Staging &staging) { return step <= staging.lastStep; });
  }

  View resultView(const DeviceOp &deviceOp, const OpPlan &its, uint32_t step, unsigned tile) const {
    const TensorPlace &place = plan.places[deviceOp.result];
    return {.box = place.inOcm ? place.kept[tile] : its.steps[tile][step],
            .type = resultTypeOf(deviceOp, its, network),
            .address = plan.addressOf(place.inOcm ? place.buffer : its.resultBuffers[step])};
  }

  void compute(const DeviceOp &deviceOp, const OpPlan &its, uint32_t step, unsigned tile) {
    if (partsMade(deviceOp, its.steps[tile][step], network, plan.views).empty())
      return;
    StepPlaces places{.result = its.steps[tile][step],
                      .engineMapping = its.engineMapping,
                      .depth = its.depthAt(tile, step)};
    if (its.endsSum(tile, step))
      places.to = resultView(deviceOp, its, step, tile);
    if (!its.sumBuffers.empty())
      places.sums = {.box = places.result,
                     .type = sumTypeOf(deviceOp, network.tensors),
                     .address = plan.addressOf(its.sumBuffers[step])};
    if (!its.chainDepths.empty()) {
      places.sums = sumsAt(deviceOp, its, step, tile, its.sentSums);
      places.takenSums = sumsAt(deviceOp, its, step, tile, its.receivedSums);
    }
    for (size_t i = 0; i < deviceOp.operands.size(); ++i) {
      const TensorIndex tensor = deviceOp.operands[i].tensor;
      places.isInPlace.push_back(isInPlace(deviceOp, i, plan.views));
      if (plan.places[tensor].inOcm)
        places.from.push_back({.box = plan.places[tensor].kept[tile],
                               .type = network.tensors[tensor].type,
                               .address = plan.addressOf(plan.places[tensor].buffer)});
      else if (its.stages[i].empty())
        places.from.push_back(inDdr(tensor));
      else
        places.from.push_back({.box = its.stages[i][its.stageOf[i][step]].boxes[tile],
                               .type = network.tensors[tensor].type,
                               .address = plan.addressOf(its.stages[i][its.stageOf[i][step]].buffer)});
    }
    if (!its.vectorStages.empty()) {
      const Staging &stage = stageAt(its.vectorStages, step);
      const uint64_t at = plan.addressOf(stage.buffer);
      const VectorLayout layout = vectorLayout(deviceOp, static_cast<uint64_t>(stage.boxes[tile][0].size()));
      places.bias = at + layout.bias;
      places.scale = at + layout.scale;
      places.table = at + layout.table;
    }
    if (!its.scratchBuffers.empty())
      places.scratch = plan.addressOf(its.scratchBuffers[step]);
    for (const Instruction &instruction : instructionsOf(deviceOp, network.tensors, places))
      std::visit([&](const auto &typed) { add(tile, typed); }, instruction);
  }

  View sumsAt(const DeviceOp &deviceOp, const OpPlan &its, uint32_t step, unsigned tile,
              const std::array<size_t, 2> &buffers) const {
    return {.box = its.steps[tile][step],
            .type = sumTypeOf(deviceOp, network.tensors),
            .address = plan.addressOf(buffers[its.bufferOfSums(tile, step)])};
  }
  // Sends the partial sums of a tile to the next tile. The tiles form a chain, in which each tile computes a
  // range of the products (along K) and adds them to the sums that it received.
  void sendOn(const DeviceOp &deviceOp, const OpPlan &its, uint32_t step, unsigned tile) {
    View to = sumsAt(deviceOp, its, step, tile, its.receivedSums);
    to.space = Space::remote;
    to.tile = static_cast<uint8_t>(tile + 1);
    push(tile, sumsAt(deviceOp, its, step, tile, its.sentSums), to, its.steps[tile][step]);
  }

  void send(const DeviceOp &deviceOp, const OpPlan &its, uint32_t step, unsigned tile) {
    const TensorPlace &place = plan.places[deviceOp.result];
    const View from = resultView(deviceOp, its, step, tile);
    const Box &computedBox = its.steps[tile][step];
    // Stores of products whose factors are both loaded from DDR (`product`) have low priority: nothing waits
    // for such a store, while the next product cannot begin before its own loads have ended.
    isPatient = its.product.has_value();
    if (place.inDdr)
      push(tile, from, inDdr(deviceOp.result), computedBox);
    isPatient = false;
    if (!place.inOcm)
      return;
    for (const Box &part : partsMade(deviceOp, computedBox, network, plan.views))
      sendToTiles(place, from, part, tile);
  }

  // Sends a part of a tensor to all other tiles that need it. If several tiles need the same part, and their
  // buffers hold the same box of the tensor, one multicast serves them all.
  void sendToTiles(const TensorPlace &place, const View &from, const Box &computedBox, unsigned tile) {
    struct Receivers {
      Box part, kept;
      TileSet tiles;
    };
    std::vector<Receivers> all;
    for (unsigned other = 0; other < plan.tiles; ++other) {
      for (const Box &wanted : place.wanted[other]) {
        const Box part = intersection(computedBox, wanted);
        if (other == tile || part.empty())
          continue;
        const auto match = std::ranges::find_if(all, [&](const Receivers &receivers) {
          return receivers.part == part && receivers.kept == place.kept[other];
        });
        if (match != all.end())
          match->tiles |= TileSet{1} << other;
        else
          all.push_back({part, place.kept[other], TileSet{1} << other});
      }
    }
    for (const Receivers &receivers : all) {
      View to{.box = receivers.kept, .type = from.type, .address = plan.addressOf(place.buffer)};
      if (__builtin_popcountll(receivers.tiles) > 1) {
        multicast(tile, receivers.tiles, from, to, receivers.part);
        continue;
      }
      to.space = Space::remote;
      to.tile = static_cast<uint8_t>(__builtin_ctzll(receivers.tiles));
      push(tile, from, to, receivers.part);
    }
  }

  static Walk walkBetween(const View &from, const View &to, const Box &part) {
    Walk walk({from.at(part), to.at(part)});
    for (size_t axis = 0; axis < part.rank(); ++axis)
      walk.addAxis(static_cast<uint64_t>(part[axis].size()), {from.strideOf(axis), to.strideOf(axis)});
    return walk;
  }
  void push(unsigned tile, const View &from, const View &to, const Box &part) {
    const bool narrows = from.type == ElementType::i9 && to.type != ElementType::i9;
    walkBetween(from, to, part).forEach([&](const std::vector<Stream> &streams) {
      add(tile, Store{.clip = narrows, .source = streams[0], .destination = streams[1]});
    });
  }
  void multicast(unsigned tile, TileSet tiles, const View &from, const View &to, const Box &part) {
    walkBetween(from, to, part).forEach([&](const std::vector<Stream> &streams) {
      add(tile, Multicast{.tiles = tiles, .source = streams[0], .destination = streams[1]});
    });
  }

  const DeviceNetwork &network;
  const TilePlan &plan;
  ConstantPool &constants;
  std::vector<ProgramPart> parts;
  TaskList tasks;
  uint32_t layer = 0, timeStep = 0, image = 0;
  bool isPatient = false; // whether tasks added now have low priority (Task::isPatient)
  unsigned nextIssuer = 0;
  std::vector<PlannedLoad> pinned; // loads of constants that run before the first inference
  // Loads that run during each inference, sorted by time step, then by device operation.
  std::multimap<uint32_t, PlannedLoad> loads;
  std::unordered_map<TensorIndex, uint64_t> constantAddresses;
};

} // namespace

std::vector<ProgramPart> generateTasks(const DeviceNetwork &network, const TilePlan &plan,
                                       ConstantPool &constants) {
  return Generator(network, plan, constants).generate();
}

} // namespace tilerig::compiler
