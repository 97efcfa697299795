// `tilerig disasm`: prints a program file as text that assembles to the same program.
#include "isa/Assembly/Printer.h"
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/CommandLine/IdleOptions.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Program/Reader.h"

#include <charconv>
#include <fmt/format.h>
#include <iostream>

namespace tilerig {
namespace {

struct DisasmOptions {
  std::string file, output, stage;
  std::optional<unsigned> tile;
  bool annotate = false, json = false;
};

// The index of a stage, given by name or, if no stage has that name, by number.
Result<size_t> findStage(const Program &program, const std::string &wanted, const std::string &file) {
  for (size_t index = 0; index < program.stages.size(); ++index)
    if (program.stages[index].name == wanted)
      return index;
  size_t index = 0;
  auto [end, code] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  if (code == std::errc() && end == wanted.data() + wanted.size() && index < program.stages.size())
    return index;
  std::string names;
  for (const Stage &stage : program.stages)
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", stage.name);
  return usageError(file, fmt::format("there is no stage '{}'", wanted),
                    fmt::format("choose one of {}, or give the number of a stage, counted from 0", names));
}

Json asJson(const Program &program, const Instruction &instruction, size_t index) {
  uint32_t layer = layerOf(instruction);
  bool named = layer < static_cast<uint32_t>(program.metadata.layers_size());
  return {{"index", index},
          {"engine", EnumNames<Engine>::values[static_cast<size_t>(engineOf(instruction))]},
          {"layer", layerNumber(layer)},
          {"layer_name", named ? Json(program.metadata.layers(static_cast<int>(layer)).name()) : Json()},
          {"bytes", std::visit([]<class T>(const T &) { return numWords<T>; }, instruction) * wordBytes},
          {"text", printInstruction(instruction)}};
}

Json asJson(const Program &program, const Stage &stage, const std::optional<unsigned> &tile) {
  static constexpr std::array<std::string_view, 3> phases = {"initial", "inference", "finishing"};
  Json json = {{"name", stage.name}, {"phase", phases[static_cast<size_t>(stage.phase)]}};
  if (const auto *work = std::get_if<proto::HostWork>(&stage.work)) {
    json["host"] = work->kernel();
    return json;
  }
  json["tiles"] = Json::array();
  const auto &tiles = std::get<DeviceStage>(stage.work).tiles;
  for (size_t index = 0; index < tiles.size(); ++index) {
    if (tile && *tile != index)
      continue;
    Json instructions = Json::array();
    for (size_t i = 0; i < tiles[index].size(); ++i)
      instructions.push_back(asJson(program, tiles[index][i], i));
    json["tiles"].push_back({{"tile", index}, {"instructions", std::move(instructions)}});
  }
  return json;
}

std::string listingAsJson(const Program &program, const PrintOptions &options) {
  Json json = {{"machine", program.machine.name}, {"tiles", program.tiles}, {"stages", Json::array()}};
  for (size_t index = 0; index < program.stages.size(); ++index)
    if (!options.stage || *options.stage == index)
      json["stages"].push_back(asJson(program, program.stages[index], options.tile));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Checks --tile: the tile must exist, and the stage must not be a host stage, which has no tiles.
Status checkTile(const Program &program, const DisasmOptions &options, const PrintOptions &print) {
  if (!options.tile)
    return success();
  if (*options.tile >= program.tiles)
    return usageError(options.file, fmt::format("there is no tile {}", *options.tile),
                      fmt::format("the program uses tiles 0..{}", program.tiles - 1));
  if (print.stage && std::holds_alternative<proto::HostWork>(program.stages[*print.stage].work))
    return usageError("--tile", fmt::format("stage '{}' runs on the host, which has no tiles", options.stage),
                      "omit --tile");
  return success();
}

Result<ExitCode> disassemble(const DisasmOptions &options) {
  TILERIG_TRY(Program program, readProgram(options.file));
  PrintOptions print{.annotate = options.annotate, .stage = {}, .tile = options.tile};
  if (!options.stage.empty()) {
    TILERIG_TRY(print.stage, findStage(program, options.stage, options.file));
  }
  TILERIG_CHECK_OK(checkTile(program, options, print));
  if (!options.output.empty())
    TILERIG_CHECK_OK(writeText(options.output, printProgram(program, print)));
  if (options.json)
    std::cout << listingAsJson(program, print);
  else if (options.output.empty())
    std::cout << printProgram(program, print);
  return ExitCode::done;
}

} // namespace
} // namespace tilerig

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("disasm"), "tilerig disasm model.trb -o model.trasm\n"
                                      "tilerig disasm model.trb --stage main --tile 3 --annotate");
  DisasmOptions options;
  line.options().addOption("FILE", options.file, "program (.trb)").required();
  line.options().addOption("-o,--output", options.output,
                           "file to write (.trasm) (default: standard output)");
  line.options().addOption("--stage", options.stage, "print only this stage, given by name or number");
  line.options().addOption("--tile", options.tile, "print only this tile, in each stage");
  line.options().addFlag("--annotate", options.annotate,
                         "put a comment with index, engine, layer and length before each instruction");
  return line.run(argc, argv, [&]() -> Result<ExitCode> {
    options.json = line.json();
    TILERIG_CHECK_OK(refuseIdle(
        line.options(), {{.option = "--annotate",
                          .isIdle = options.json && options.output.empty(),
                          .why = "this option adds comments to the text output, but the output is JSON, "
                                 "which contains the same facts",
                          .remedy = "remove --annotate, or write the text to a file with -o"}}));
    return disassemble(options);
  });
}
