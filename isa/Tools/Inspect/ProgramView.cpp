#include "isa/Base/CommandLine/TextTable.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/StrictJson.h"
#include "isa/Base/Tensor/Tensor.h"
#include "isa/Instructions/Schema.h"
#include "isa/Program/Header.h"
#include "isa/Program/Reader.h"
#include "isa/Tools/Inspect/ProtoJson.h"
#include "isa/Tools/Inspect/Views.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <map>

namespace tilerig {

static constexpr size_t rowsOfASummary = 12;

// Numbers of instructions, by engine and by mnemonic, for example of a stage or a layer.
struct Counts {
  std::array<uint64_t, numEngines> engines = {};
  std::map<std::string_view, uint64_t> mnemonics;
  uint64_t total = 0;

  void add(const Instruction &instruction) {
    ++engines[static_cast<size_t>(engineOf(instruction))];
    ++mnemonics[mnemonicOf(instruction)];
    ++total;
  }
};

static Counts countInstructions(const DeviceStage &stage) {
  Counts counts;
  for (const auto &tile : stage.tiles)
    for (const Instruction &instruction : tile)
      counts.add(instruction);
  return counts;
}

static std::vector<uint64_t> instructionsOfLayers(const Program &program) {
  std::vector<uint64_t> counts(static_cast<size_t>(program.metadata.layers_size()));
  for (const Stage &stage : program.stages)
    if (auto *device = std::get_if<DeviceStage>(&stage.work))
      for (const auto &tile : device->tiles)
        for (const Instruction &instruction : tile)
          if (uint32_t layer = layerOf(instruction); layer < counts.size())
            ++counts[layer];
  return counts;
}

// A delay instruction and its position. The loader can set another number of cycles for all delays of an id.
struct PlacedDelay {
  size_t stage = 0, tile = 0;
  Delay delay;
};

static std::vector<PlacedDelay> delaysOf(const Program &program) {
  std::vector<PlacedDelay> delays;
  for (size_t stage = 0; stage < program.stages.size(); ++stage)
    if (auto *device = std::get_if<DeviceStage>(&program.stages[stage].work))
      for (size_t tile = 0; tile < device->tiles.size(); ++tile)
        for (const Instruction &instruction : device->tiles[tile])
          if (auto *delay = std::get_if<Delay>(&instruction))
            delays.push_back({stage, tile, *delay});
  return delays;
}

static std::string_view nameOf(Phase phase) {
  constexpr std::array<std::string_view, 3> names = {"initial", "inference", "finishing"};
  return names[static_cast<size_t>(phase)];
}

static std::string hex(uint64_t hash) { return fmt::format("{:016x}", hash); }

static uint64_t constantBytes(const Program &program) {
  uint64_t bytes = 0;
  for (const ConstantData &constant : program.constants)
    bytes += constant.bytes.size();
  return bytes;
}

static uint64_t wideInstructions(const proto::Proof &proof) {
  uint64_t count = 0;
  for (const proto::Wide &wide : proof.wide())
    count += static_cast<uint64_t>(wide.instructions_size());
  return count;
}

static std::string proofText(const Program &program) {
  if (program.outdatedProof)
    return fmt::format("outdated: proved by version {} of the analyser, but this tilerig has version {}",
                       *program.outdatedProof, analyserVersion);
  if (!program.proof)
    return program.metadata.allow_unproved()
               ? "none, on request: the program is not proved free of races and runs in timed mode only"
               : "none: the program is not proved free of races and runs in timed mode only";
  std::string text =
      fmt::format("proved free of races by version {} of the analyser", program.proof->analyser_version());
  if (uint64_t wide = wideInstructions(*program.proof))
    text +=
        "; " + countText(wide, "instruction has", "instructions have") + " accumulators that may overflow";
  return text;
}

static std::string summaryText(const std::string &path, const Program &program, const Header &header) {
  Facts facts;
  facts.add("program",
            fmt::format("{}, format {}, {}", path, header.formatVersion, sizeText(header.fileSize)));
  facts.add("model", program.metadata.model());
  facts.add("producer", program.metadata.producer());
  facts.add("machine", program.machine.name);
  facts.add("tiles", fmt::format("{} of {}", program.tiles, program.machine.network.tiles));
  facts.add("proof", proofText(program));
  for (const std::string &bug : program.metadata.injected())
    facts.add("injected", bug);
  for (const proto::Document &document : program.metadata.documents())
    facts.add("document", fmt::format("{} ({}, {})", document.name(), document.media_type(),
                                      sizeText(document.text().size())));
  facts.add("hashes", fmt::format("content hash {}, machine hash {}, instruction set hash {}",
                                  hex(header.contentHash), hex(header.machineHash), hex(header.schemaHash)));
  return facts.text();
}

static std::string stagesText(const Program &program) {
  Table table({{"stage"},
               {"phase"},
               {"work"},
               {"sequencer", Align::right},
               {"POD", Align::right},
               {"PE", Align::right},
               {"DMA in", Align::right},
               {"DMA out", Align::right},
               {"instructions", Align::right}});
  for (const Stage &stage : program.stages) {
    std::vector<std::string> row = {stage.name, std::string(nameOf(stage.phase))};
    if (auto *host = std::get_if<proto::HostWork>(&stage.work)) {
      row.push_back(fmt::format("host: {} (layer {})", host->kernel(), layerNumber(host->layer())));
      row.resize(9);
    } else {
      Counts counts = countInstructions(std::get<DeviceStage>(stage.work));
      row.push_back(countText(program.tiles, "tile", "tiles"));
      for (uint64_t count : counts.engines)
        row.push_back(withSeparators(count));
      row.push_back(withSeparators(counts.total));
    }
    table.add(std::move(row));
  }
  return "\nStages\n" + table.text();
}

static std::string instructionsText(const Program &program) {
  Table table({{"stage"}, {"instruction"}, {"count", Align::right}});
  for (const Stage &stage : program.stages)
    if (auto *device = std::get_if<DeviceStage>(&stage.work))
      for (const auto &[mnemonic, count] : countInstructions(*device).mnemonics)
        table.add({stage.name, std::string(mnemonic), withSeparators(count)});
  return "\nInstructions\n" + table.text();
}

static std::string constantsText(const Program &program) {
  if (program.constants.empty())
    return "";
  Table table({{"from", Align::right}, {"to", Align::right}, {"size", Align::right}});
  for (const ConstantData &constant : program.constants)
    table.add({fmt::format("{:#x}", constant.address),
               fmt::format("{:#x}", constant.address + constant.bytes.size()),
               sizeText(constant.bytes.size())});
  return fmt::format("\nConstants in DDR: {}\n", sizeText(constantBytes(program))) +
         table.text(rowsOfASummary);
}

static std::string whereText(const proto::Tensor &tensor) {
  std::vector<uint32_t> tiles;
  bool ddr = false;
  for (const proto::Piece &piece : tensor.pieces())
    piece.ddr() ? void(ddr = true) : tiles.push_back(piece.tile());
  std::ranges::sort(tiles);
  auto repeated = std::ranges::unique(tiles);
  tiles.erase(repeated.begin(), repeated.end());
  std::string text = ddr ? "DDR" : "";
  if (!tiles.empty())
    text += (ddr ? ", " : "") +
            (tiles.size() == 1 ? fmt::format("tile {}", tiles[0]) : fmt::format("{} tiles", tiles.size()));
  return text;
}

static std::string quantisationText(const proto::Tensor &tensor) {
  return tensor.scale() == 0 ? "" : fmt::format("{} @ {}", tensor.scale(), tensor.zero_point());
}

static std::string tensorsText(const Program &program, const InspectOptions &options) {
  if (program.metadata.tensors().empty())
    return "";
  Table table({{"tensor"},
               {"role"},
               {"shape"},
               {"type"},
               {"stored"},
               {"scale @ zero point"},
               {"memory"},
               {"pieces", Align::right},
               {"layer", Align::right},
               {"stage"}});
  for (const proto::Tensor &tensor : program.metadata.tensors())
    table.add({tensor.name(),
               tensor.role() == proto::INTERMEDIATE ? ""
               : tensor.role() == proto::INPUT      ? "input"
                                                    : "output",
               showShape(Shape(tensor.shape().begin(), tensor.shape().end())), tensor.dtype(),
               tensor.stored_type(), quantisationText(tensor), whereText(tensor),
               withSeparators(static_cast<uint64_t>(tensor.pieces_size())),
               tensor.role() == proto::INPUT ? "" : std::to_string(layerNumber(tensor.layer())),
               program.stages[tensor.stage()].name});
  return fmt::format("\nTensors: {}\n", table.rows()) +
         table.text(options.tensors ? SIZE_MAX : rowsOfASummary, ": see --tensors");
}

static std::string layersText(const Program &program, const InspectOptions &options) {
  if (program.metadata.layers().empty())
    return "";
  Table table({{"layer", Align::right},
               {"name"},
               {"kind"},
               {"where"},
               {"primitive"},
               {"strategy"},
               {"MACs", Align::right},
               {"instructions", Align::right},
               {"ONNX operators"}});
  auto counts = instructionsOfLayers(program);
  for (const proto::Layer &layer : program.metadata.layers())
    table.add({std::to_string(layerNumber(layer.id())), layer.name(), layer.kind(), layer.where(),
               layer.primitive(), layer.strategy(), withSeparators(layer.macs()),
               withSeparators(counts[layer.id()]), fmt::format("{}", fmt::join(layer.onnx_ops(), ", "))});
  return fmt::format("\nLayers: {}\n", table.rows()) +
         table.text(options.layers ? SIZE_MAX : rowsOfASummary, ": see --layers");
}

static std::string delaysText(const Program &program, const InspectOptions &options) {
  const std::vector<PlacedDelay> delays = delaysOf(program);
  if (delays.empty())
    return options.delays ? "\nDelays: none\n" : "";
  Table table({{"delay", Align::right},
               {"cycles", Align::right},
               {"stage"},
               {"tile", Align::right},
               {"engine"},
               {"layer", Align::right}});
  for (const auto &[stage, tile, delay] : delays)
    table.add({std::to_string(delay.id), withSeparators(delay.cycles), program.stages[stage].name,
               std::to_string(tile),
               std::string(EnumNames<Engine>::values[static_cast<size_t>(delay.engine)]),
               std::to_string(layerNumber(delay.layer))});
  return fmt::format("\nDelays (can be changed with tilerig run --delay): {}\n", table.rows()) +
         table.text(options.delays ? SIZE_MAX : rowsOfASummary, ": see --delays");
}

static std::string showProgram(const std::string &path, const Program &program, const Header &header,
                               const InspectOptions &options) {
  bool all = !options.layers && !options.tensors && !options.instructions && !options.delays;
  std::string text;
  if (all)
    text += summaryText(path, program, header) + stagesText(program) + constantsText(program);
  if (options.instructions)
    text += instructionsText(program);
  if (all || options.tensors)
    text += tensorsText(program, options);
  if (all || options.layers)
    text += layersText(program, options);
  if (all || options.delays)
    text += delaysText(program, options);
  return text.starts_with('\n') ? text.substr(1) : text;
}

// Converts layer indices, which count from 0, to the layer numbers that `tilerig inspect` shows, which count
// from 1.
static Json countedFromOne(Json records, const char *member) {
  for (Json &record : records)
    record[member] = layerNumber(record.value(member, 0u));
  return records;
}

static Json stageJson(const Stage &stage) {
  Json json = {{"name", stage.name}, {"phase", nameOf(stage.phase)}};
  if (auto *host = std::get_if<proto::HostWork>(&stage.work)) {
    json["host"] = countedFromOne(Json::array({toJson(*host)}), "layer")[0];
    return json;
  }
  const DeviceStage &device = std::get<DeviceStage>(stage.work);
  Counts counts = countInstructions(device);
  json["instructions"] = counts.total;
  for (size_t engine = 0; engine < numEngines; ++engine)
    json["engines"][std::string(EnumNames<Engine>::values[engine])] = counts.engines[engine];
  for (const auto &[mnemonic, count] : counts.mnemonics)
    json["mnemonics"][std::string(mnemonic)] = count;
  json["tiles"] = Json::array();
  for (const auto &tile : device.tiles)
    json["tiles"].push_back({{"instructions", tile.size()}});
  return json;
}

static Json proofJson(const Program &program) {
  Json json = {{"state", program.proof ? "proved" : program.outdatedProof ? "outdated" : "none"}};
  if (program.outdatedProof)
    json["analyser_version"] = *program.outdatedProof;
  if (!program.proof)
    return json;
  json["analyser_version"] = program.proof->analyser_version();
  json["content_hash"] = hex(program.proof->content_hash());
  json["machine_hash"] = hex(program.proof->machine_hash());
  json["wide"] = toJsonList(program.proof->wide());
  return json;
}

static Json describeProgram(const std::string &path, const Program &program, const Header &header) {
  const proto::Metadata &metadata = program.metadata;
  Json json = {{"file", path},
               {"kind", "program"},
               {"format_version", header.formatVersion},
               {"size_bytes", header.fileSize},
               {"model", metadata.model()},
               {"producer", metadata.producer()},
               {"tiles", program.tiles},
               {"machine", *parseStrictJson(printMachine(program.machine), "")},
               {"proof", proofJson(program)},
               {"allow_unproved", metadata.allow_unproved()},
               {"ddr_relocatable", metadata.ddr_relocatable()},
               {"injected", metadata.injected()}};
  json["hashes"] = {{"content", hex(header.contentHash)},
                    {"constants", hex(header.constantsHash)},
                    {"machine", hex(header.machineHash)},
                    {"instruction_set", hex(header.schemaHash)}};
  json["stages"] = Json::array();
  for (const Stage &stage : program.stages)
    json["stages"].push_back(stageJson(stage));
  json["constants"] = Json::array();
  for (const ConstantData &constant : program.constants)
    json["constants"].push_back({{"address", constant.address}, {"size_bytes", constant.bytes.size()}});
  json["delays"] = Json::array();
  for (const auto &[stage, tile, delay] : delaysOf(program))
    json["delays"].push_back({{"id", delay.id},
                              {"cycles", delay.cycles},
                              {"stage", program.stages[stage].name},
                              {"tile", tile},
                              {"engine", EnumNames<Engine>::values[static_cast<size_t>(delay.engine)]},
                              {"layer", layerNumber(delay.layer)}});
  json["tensors"] = countedFromOne(toJsonList(metadata.tensors()), "layer");
  json["layers"] = countedFromOne(toJsonList(metadata.layers()), "id");
  auto counts = instructionsOfLayers(program);
  for (size_t layer = 0; layer < counts.size(); ++layer)
    json["layers"][layer]["instructions"] = counts[layer];
  json["debug"] = countedFromOne(toJsonList(metadata.debug()), "layer");
  json["documents"] = toJsonList(metadata.documents());
  return json;
}

Result<std::string> inspectProgram(const std::string &path, const InspectOptions &options) {
  TILERIG_TRY(const ProgramFile file, findProgram(path));
  TILERIG_TRY(Program program, parseProgramFile(file.bytes, file.owner, file.name));
  TILERIG_TRY(Header header, decodeHeader(file.bytes));
  return options.json ? dump(describeProgram(path, program, header))
                      : showProgram(path, program, header, options);
}

} // namespace tilerig
