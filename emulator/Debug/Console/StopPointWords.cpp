#include "emulator/Debug/Console/StopPointWords.h"

#include "emulator/Memory/Box.h"
#include "emulator/Observe/Observers.h"
#include "isa/Analyser/Analyser.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig::emulator {

namespace {

using What = decltype(StopPoint::what);

Result<What> layerStop(Words &words, const Program &program) {
  TILERIG_TRY(const std::string name, words.take("name or number of a layer"));
  TILERIG_TRY(const uint32_t layer, layerNamed(name, program));
  return What(LayerStop{{layer}});
}

Result<What> nodeStop(Words &words, const Program &program) {
  TILERIG_TRY(const std::string name, words.take("name of an ONNX node"));
  LayerStop stop;
  for (const proto::Layer &layer : program.metadata.layers())
    if (std::ranges::count(layer.onnx_nodes(), name) > 0)
      stop.layers.push_back(layer.id());
  if (stop.layers.empty())
    return usageError(name, "no layer of the program comes from an ONNX node of this name",
                      "the command 'layers' lists the nodes");
  return What(std::move(stop));
}

Result<uint32_t> takeStage(Words &words, const Program &program) {
  TILERIG_TRY(const uint32_t stage, words.takeIndex("stage", program.stages.size()));
  if (!std::holds_alternative<DeviceStage>(program.stages[stage].work))
    return usageError(fmt::format("stage {}", stage),
                      "the host executes this stage, so it has no instructions");
  return stage;
}

Result<What> instructionStop(Words &words, const Program &program) {
  TILERIG_TRY(const uint32_t tile, words.takeIndex("tile", program.tiles));
  TILERIG_TRY(const uint64_t index, words.takeNumber("number of an instruction"));
  InstructionStop stop{.tile = tile,
                       .instruction = static_cast<uint32_t>(std::min<uint64_t>(index, UINT32_MAX))};
  if (words.takeIf("stage")) {
    TILERIG_TRY(stop.stage, takeStage(words, program));
  }
  const auto hasIt = [&](uint32_t stage) {
    const auto *device = std::get_if<DeviceStage>(&program.stages[stage].work);
    return device && (!stop.stage || *stop.stage == stage) && index < device->tiles[tile].size();
  };
  bool exists = false;
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
    exists |= hasIt(stage);
  if (!exists)
    return usageError(
        fmt::format("instruction {}", index),
        fmt::format("tile {} has no instruction of this number{}", tile, stop.stage ? " in this stage" : ""));
  return What(std::move(stop));
}

Result<What> kindStop(Words &words, const Program &program) {
  InstructionStop stop;
  TILERIG_TRY(stop.mnemonic, words.take("kind of instruction"));
  bool exists = false;
  for (const Stage &stage : program.stages)
    if (const auto *device = std::get_if<DeviceStage>(&stage.work))
      for (const std::vector<Instruction> &code : device->tiles)
        exists |= std::ranges::count(code, stop.mnemonic, mnemonicOf) > 0;
  if (!exists)
    return usageError(stop.mnemonic, "the program has no instruction of this kind");
  if (!words.empty() && isNumber(words.front())) {
    TILERIG_TRY(stop.tile, words.takeIndex("tile", program.tiles));
  }
  return What(std::move(stop));
}

Result<What> engineStop(Words &words, const Program &program) {
  TILERIG_TRY(const ThreadId thread, takeThread(words, program));
  return What(InstructionStop{.tile = tileOfThread(thread), .engine = engineOfThread(thread)});
}

Result<What> tileStop(Words &words, const Program &program) {
  TILERIG_TRY(const uint32_t tile, words.takeIndex("tile", program.tiles));
  return What(InstructionStop{.tile = tile});
}

Result<What> cycleStop(Words &words, const Program &) {
  TILERIG_TRY(const uint64_t cycle, words.takeNumber("cycle"));
  return What(CycleStop{cycle});
}

Result<What> semaphoreStop(Words &words, const Program &program) {
  SemaphoreStop stop;
  TILERIG_TRY(stop.tile, words.takeIndex("tile", program.tiles));
  TILERIG_TRY(stop.semaphore, words.takeIndex("semaphore", program.machine.tile.semaphores));
  TILERIG_TRY(stop.value, words.takeNumber("value"));
  return What(stop);
}

Result<What> conflictStop(Words &, const Program &program) {
  ConflictStop stop;
  for (const Problem &problem : analyse(program).problems)
    if (problem.kind == ProblemKind::race)
      for (const Place &place : problem.places)
        if (!place.host && std::ranges::none_of(stop.places, [&](const Place &other) {
              return other.stage == place.stage && other.tile == place.tile &&
                     other.instruction == place.instruction;
            }))
          stop.places.push_back(place);
  if (stop.places.empty())
    return usageError("conflict",
                      "the analyser finds no conflict in the program: all accesses to common bytes "
                      "are ordered, or it does not end");
  return What(std::move(stop));
}

struct Form {
  std::string_view name;
  Result<What> (*read)(Words &, const Program &);
};
constexpr Form forms[] = {
    {"layer", layerStop}, {"node", nodeStop},           {"instruction", instructionStop},
    {"kind", kindStop},   {"engine", engineStop},       {"tile", tileStop},
    {"cycle", cycleStop}, {"semaphore", semaphoreStop}, {"conflict", conflictStop}};

// Reads `if CONDITION`, and the end of the line.
Status readCondition(Words &words, const Program &program, StopPoint &point) {
  if (words.takeIf("if")) {
    TILERIG_TRY(point.condition, Condition::parse(words.rest(), program));
  }
  return words.end();
}

std::vector<Watch> watchesOf(const proto::Tensor &tensor) {
  std::vector<Watch> watches;
  for (const proto::Piece &piece : tensor.pieces()) {
    const Box box = boxOf(piece);
    watches.push_back({.memory = box.memory, .regions = regionsOf(box, storedBytes(tensor))});
    if (tensor.role() != proto::INPUT)
      watches.back().layer = tensor.layer();
  }
  return watches;
}

Result<std::vector<Watch>> watchedBytes(Words &words, const Program &program) {
  if (words.takeIf("tensor")) {
    TILERIG_TRY(const std::string name, words.take("name of a tensor"));
    TILERIG_TRY(const proto::Tensor *tensor, findTensor(program, name, "tensor"));
    if (tensor->pieces().empty())
      return usageError(name, "the program does not store this tensor");
    return watchesOf(*tensor);
  }
  TILERIG_TRY(const std::string place, words.take("place, or the word tensor"));
  TILERIG_TRY(const Location location, parseLocation(place, program));
  TILERIG_TRY(const uint64_t size, words.takeNumber("number of bytes"));
  if (size == 0 || size > sizeOf(location.memory, program.machine) - location.address)
    return usageError(fmt::format("{} bytes", size), "they must be inside the memory, and at least one");
  return std::vector<Watch>{{.memory = location.memory, .regions = {Region::ofRun(location.address, size)}}};
}

enum class WatchedAccess : uint8_t { read, write, both };

} // namespace

} // namespace tilerig::emulator
template <>
struct tilerig::EnumNames<tilerig::emulator::WatchedAccess> {
  static constexpr auto values = std::to_array<std::string_view>({"read", "write", "both"});
};

namespace tilerig::emulator {

Result<StopPoint> breakpointOf(Words words, const Program &program) {
  StopPoint point;
  point.text = "break " + Words(words).rest();
  std::vector<std::string_view> names;
  for (const Form &form : forms)
    names.push_back(form.name);
  TILERIG_TRY(const std::string name, words.take("kind of breakpoint"));
  const auto form = std::ranges::find(forms, name, &Form::name);
  if (form == std::end(forms))
    return usageError(name, "this is no kind of breakpoint",
                      fmt::format("use one of {}", fmt::join(names, ", ")));
  TILERIG_TRY(point.what, form->read(words, program));
  TILERIG_CHECK_OK(readCondition(words, program, point));
  return point;
}

Result<StopPoint> watchpointOf(Words words, const Program &program) {
  StopPoint point;
  point.text = "watch " + Words(words).rest();
  TILERIG_TRY(std::vector<Watch> watches, watchedBytes(words, program));
  if (!words.empty() && words.front() != "if") {
    TILERIG_TRY(const auto access, words.takeName<WatchedAccess>("kind of access"));
    for (Watch &watch : watches) {
      watch.reads = access != WatchedAccess::write;
      watch.writes = access != WatchedAccess::read;
    }
  }
  point.what = std::move(watches);
  TILERIG_CHECK_OK(readCondition(words, program, point));
  return point;
}

Result<uint32_t> layerNamed(const std::string &text, const Program &program) {
  const auto &layers = program.metadata.layers();
  const auto named = std::ranges::find(layers, text, &proto::Layer::name);
  if (named != layers.end())
    return named->id();
  if (isNumber(text)) {
    TILERIG_TRY(const uint64_t number, parseNumber(text, "number of a layer"));
    if (number >= 1 && number <= static_cast<uint64_t>(layers.size()))
      return static_cast<uint32_t>(number - 1);
  }
  for (const proto::Layer &layer : layers)
    if (std::ranges::count(layer.onnx_nodes(), text) > 0)
      return usageError(
          text,
          fmt::format("this is an ONNX node, which layer {} '{}' computes", layer.id() + 1, layer.name()),
          "name the layer, or write: break node " + text);
  return usageError(text, "the program has no layer of this name or number",
                    "the command 'layers' lists them");
}

Result<ThreadId> takeThread(Words &words, const Program &program) {
  TILERIG_TRY(const uint32_t tile, words.takeIndex("tile", program.tiles));
  TILERIG_TRY(const auto engine, words.takeName<Engine>("name of an engine"));
  return threadOf(tile, startKind(engine));
}

} // namespace tilerig::emulator
