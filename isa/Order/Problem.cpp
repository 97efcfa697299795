#include "isa/Order/Problem.h"

#include "isa/Base/Support/Printable.h"

#include <fmt/format.h>

namespace tilerig {

static const Instruction &instructionAt(const Program &program, const Place &place) {
  return std::get<DeviceStage>(program.stages[place.stage].work).tiles[place.tile][place.instruction];
}

static std::string describeLayer(uint32_t layer, const Program &program) {
  const auto &layers = program.metadata.layers();
  const bool named =
      layer < static_cast<uint32_t>(layers.size()) && !layers[static_cast<int>(layer)].name().empty();
  const std::string text = fmt::format("layer {}", layerNumber(layer));
  return named ? fmt::format("{} '{}'", text, printable(layers[static_cast<int>(layer)].name())) : text;
}

Place placeOf(const Program &program, uint32_t stage, uint32_t tile, uint32_t instruction,
              std::string_view operand) {
  Place place{stage, false, tile, Engine::sequencer, instruction, 0, operand};
  const Instruction &placedInstruction = instructionAt(program, place);
  place.engine = engineOf(placedInstruction);
  place.layer = layerOf(placedInstruction);
  return place;
}

std::string describe(const Place &place, const Program &program) {
  if (place.stage >= program.stages.size())
    return "the program";
  const std::string stage = fmt::format("stage '{}'", printable(program.stages[place.stage].name));
  if (place.host)
    return stage + ", on the host";
  return fmt::format("{}, tile {}, {}, instruction {} ({}{}{}), {}", stage, place.tile,
                     EnumNames<Engine>::values[static_cast<size_t>(place.engine)], place.instruction,
                     mnemonicOf(instructionAt(program, place)), place.operand.empty() ? "" : ", ",
                     place.operand, describeLayer(place.layer, program));
}

std::string describeMemory(MemoryId memory) {
  return memory == ddrMemory ? "DDR" : fmt::format("OCM of tile {}", tileOf(memory));
}

static std::string describe(const Problem &problem, const Program &program, std::string_view beforePlaces) {
  std::string text = fmt::format("{}: {}", nameOf(problem.kind), problem.text);
  for (const Place &place : problem.places)
    text += std::string(beforePlaces) + describe(place, program);
  return text;
}

std::string describe(const Problem &problem, const Program &program) {
  return describe(problem, program, "\n  at ");
}
std::string describeInOneLine(const Problem &problem, const Program &program) {
  return describe(problem, program, ", at ");
}

} // namespace tilerig
