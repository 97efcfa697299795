#include "emulator/Traps/Fault.h"

#include "isa/Base/Support/Json.h"

#include <fmt/format.h>

namespace tilerig::emulator {

namespace {

template <class Enum>
std::string_view nameOf(Enum value) {
  return EnumNames<Enum>::values[static_cast<size_t>(value)];
}

// The category and kind of a fault as text, as in "program_fault, uninitialised_read". Deadlocks are a
// category with a single kind, so only one name is given.
std::string describeKind(const Fault &fault) {
  const std::string_view category = nameOf(fault.category()), kind = nameOf(fault.kind);
  return category == kind ? std::string(kind) : fmt::format("{}, {}", category, kind);
}

// Describes the place, cycle and memory range of a fault, without its kind.
std::string describePlace(const Fault &fault, const Program &program) {
  std::string text = fault.place ? describe(*fault.place, program) : "the program";
  if (fault.cycle)
    text += fmt::format(", cycle {}", *fault.cycle);
  if (fault.memory)
    text += fmt::format(", {} {:#x}..{:#x}", describeMemory(*fault.memory), fault.bytes.begin,
                        fault.bytes.end - 1);
  return text;
}

nlohmann::ordered_json toJson(const Place &place, const Program &program) {
  nlohmann::ordered_json json = {{"stage", program.stages[place.stage].name}};
  if (place.host) {
    json["engine"] = "host";
    return json;
  }
  const Instruction &instruction =
      std::get<DeviceStage>(program.stages[place.stage].work).tiles[place.tile][place.instruction];
  json["tile"] = place.tile;
  json["engine"] = nameOf(place.engine);
  json["instruction"] = place.instruction;
  json["mnemonic"] = mnemonicOf(instruction);
  if (!place.operand.empty())
    json["operand"] = place.operand;
  json["layer"] = layerNumber(place.layer);
  if (static_cast<int>(place.layer) < program.metadata.layers_size())
    json["layer_name"] = program.metadata.layers(static_cast<int>(place.layer)).name();
  return json;
}

} // namespace

std::string describe(const Fault &fault, const Program &program) {
  std::string text =
      fmt::format("{} at {}: {}", describeKind(fault), describePlace(fault, program), fault.description);
  for (const Place &other : fault.others)
    text += ", and " + describe(other, program);
  return text;
}

nlohmann::ordered_json toJson(const Fault &fault, const Program &program) {
  nlohmann::ordered_json json = {
      {"category", nameOf(fault.category())}, {"kind", nameOf(fault.kind)}, {"what", fault.description}};
  if (fault.place)
    json["place"] = toJson(*fault.place, program);
  for (const Place &other : fault.others)
    json["others"].push_back(toJson(other, program));
  if (fault.cycle)
    json["cycle"] = *fault.cycle;
  if (fault.memory) {
    json["memory"] = *fault.memory == ddrMemory ? "ddr" : "ocm";
    if (*fault.memory != ddrMemory)
      json["memory_tile"] = tileOf(*fault.memory);
    json["address"] = fault.bytes.begin;
    json["bytes"] = fault.bytes.size();
  }
  return json;
}

Error errorOf(const Fault &fault, const Program &program) {
  std::string description = fmt::format("{}: {}", describeKind(fault), fault.description);
  for (const Place &other : fault.others)
    description += ", and " + describe(other, program);
  return invalidInput(describePlace(fault, program), std::move(description));
}

} // namespace tilerig::emulator
