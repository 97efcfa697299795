// Parses the directives whose content is in another language: the machine (JSON), and the metadata and the
// analyser's proof that the program is free of races (protobuf text). Also parses the directive .host, which
// states the ONNX operator that a host stage runs.
#include "isa/Assembly/ProgramReader.h"

#include <algorithm>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

namespace tilerig {

// ---- machine ----

// Parses the content of .machine: the NAME of a built-in machine, or a description { JSON }.
bool ProgramReader::readMachine() {
  if (!once(machinePlace, "the machine"))
    return false;
  const char *place = cursor.position();
  if (cursor.peek() != '{') {
    auto names = builtInMachines();
    std::vector<std::string_view> choices(names.begin(), names.end());
    size_t choice;
    if (!cursor.readChoice(choices, "the machine", choice))
      return false;
    auto machine = loadMachine(names[choice]);
    if (machine)
      program.machine = *std::move(machine);
    return machine || cursor.failAt(place, machine.error().message());
  }
  std::string_view inside;
  if (!cursor.readBlock("a machine description", inside))
    return false;
  // The braces around the text (`inside`) are part of the JSON description.
  auto machine = parseMachine({inside.data() - 1, inside.size() + 2}, cursor.placeOf(place));
  if (machine)
    program.machine = *std::move(machine);
  return machine || cursor.failForeign(std::move(machine).error());
}

// ---- messages ----

namespace {

// Keeps the first error of the protobuf parser, with its position translated to a position in the assembly
// text.
class FirstComplaint : public google::protobuf::io::ErrorCollector {
public:
  explicit FirstComplaint(std::string_view inside) : inside(inside) {}

  // The protobuf parser counts lines and columns from 0, and a tab advances the column to the next multiple
  // of 8.
  void AddError(int line, int column, const std::string &message) override {
    if (!description.empty())
      return;
    description = message.empty() ? "the text is not a valid protobuf message" : message;
    place = inside.data();
    const char *end = inside.data() + inside.size();
    for (int i = 0; i < line && place != end; ++i)
      place = std::min(end, std::find(place, end, '\n') + 1);
    for (int at = 0; at < column && place != end && *place != '\n'; ++place)
      at = *place == '\t' ? at / 8 * 8 + 8 : at + 1;
  }

  std::string description;
  const char *place = nullptr;

private:
  std::string_view inside;
};

} // namespace

bool ProgramReader::readMessage(std::string_view subject, google::protobuf::Message &message) {
  std::string_view inside;
  if (!cursor.readBlock(subject, inside))
    return false;
  if (inside.size() > INT32_MAX)
    return cursor.failAt(inside.data(), "the block is longer than 2 GiB");
  FirstComplaint complaint(inside);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&complaint);
  if (parser.ParseFromString(std::string(inside), &message) && complaint.description.empty())
    return true;
  return cursor.failAt(complaint.place ? complaint.place : inside.data(), complaint.description,
                       "expected " + std::string(subject) + " as protobuf text");
}

bool ProgramReader::readMetadata() {
  if (!once(metadataPlace, "the metadata"))
    return false;
  proto::Metadata written;
  const char *place = cursor.position();
  if (!readMessage("metadata", written))
    return false;
  bool owned = written.stages_size() || written.constants_size() || written.tensors_size() ||
               written.has_proof() || written.has_run_plan() || !written.machine().empty() || written.tiles();
  if (owned)
    return cursor.failAt(
        place, "stages, constants, tensors, machine, tiles, proof and run plan cannot be given in .metadata",
        "declare tensors, constants and stages by their own directives, such as .tensor");
  program.metadata.MergeFrom(written);
  return true;
}

bool ProgramReader::readProof() {
  return once(proofPlace, "the proof") && readMessage("a proof", program.proof.emplace());
}

// ---- .host ----

// Parses a list of strings: ["a", "b"].
bool ProgramReader::readStrings(std::string_view subject,
                                google::protobuf::RepeatedPtrField<std::string> &strings) {
  if (!cursor.expect('[', "and " + std::string(subject)))
    return false;
  while (!cursor.acceptMaybe(']')) {
    if (!cursor.readString(subject, *strings.Add()))
      return false;
    cursor.acceptMaybe(',');
  }
  return true;
}

// Parses the content of .host, the operator that a host stage runs: "kernel" layer=N inputs=[...]
// outputs=[...] attributes={...}.
bool ProgramReader::readHost() {
  if (stages.empty())
    stages.push_back({.place = directivePlace, .tiles = {}, .host = {}});
  StageText &stage = stages.back();
  if (stage.host || !stage.tiles.empty())
    return cursor.failAt(directivePlace,
                         "the stage '" + stage.name + "' already has a host operator or tiles",
                         "begin another .stage for this host operator");
  proto::HostWork &work = stage.host.emplace();
  if (!cursor.readString("the kernel's name", *work.mutable_kernel()))
    return false;
  static constexpr auto names = std::to_array<std::string_view>({"layer", "inputs", "outputs", "attributes"});
  for (uint32_t seen = 0; atOption();) {
    size_t option;
    int64_t layer = work.layer();
    if (!readOption(names, seen, option))
      return false;
    bool done = option == 0   ? cursor.readInteger("layer", 0, UINT32_MAX, layer)
                : option == 1 ? readStrings("names of tensors", *work.mutable_inputs())
                : option == 2 ? readStrings("names of tensors", *work.mutable_outputs())
                              : readAttributes(work);
    if (!done)
      return false;
    work.set_layer(static_cast<uint32_t>(layer));
  }
  return true;
}

// Parses the attributes of a host operator: {"axis"={ints=[-1]} "mode"={text="linear"}}.
bool ProgramReader::readAttributes(proto::HostWork &work) {
  if (!cursor.expect('{', "and attributes"))
    return false;
  while (!cursor.acceptMaybe('}')) {
    const char *place = cursor.position();
    std::string name;
    if (!cursor.readString("an attribute's name", name) || !cursor.expect('=', "after the name"))
      return false;
    if (work.attributes().contains(name))
      return cursor.failAt(place, "the attribute " + quoted(name) + " is given twice");
    if (!readAttribute((*work.mutable_attributes())[name]))
      return false;
  }
  return true;
}

bool ProgramReader::readAttribute(proto::Attribute &attribute) {
  static constexpr auto names = std::to_array<std::string_view>({"ints", "floats", "text"});
  if (!cursor.expect('{', "before the value of the attribute"))
    return false;
  for (uint32_t seen = 0; !cursor.acceptMaybe('}');) {
    size_t option;
    if (!readOption(names, seen, option))
      return false;
    bool done = option == 0   ? readIntegers("value", INT64_MIN, *attribute.mutable_ints())
                : option == 1 ? readFloats(*attribute.mutable_floats())
                              : cursor.readString("the text", *attribute.mutable_text());
    if (!done)
      return false;
  }
  return true;
}

bool ProgramReader::readFloats(google::protobuf::RepeatedField<float> &values) {
  if (!cursor.expect('[', "and numbers"))
    return false;
  while (!cursor.acceptMaybe(']')) {
    float value;
    if (!cursor.readFloat("value", value))
      return false;
    values.Add(value);
    cursor.acceptMaybe(',');
  }
  return true;
}

} // namespace tilerig
