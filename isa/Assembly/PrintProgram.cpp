// Prints a whole program as text: directives for machine, metadata, constants and tensors, then the
// instructions by stage and tile.
#include "isa/Assembly/Cursor.h"
#include "isa/Assembly/Data.h"
#include "isa/Assembly/PieceDefaults.h"
#include "isa/Assembly/Printer.h"
#include "isa/Assembly/Text.h"
#include "isa/Base/Support/Printable.h"
#include "isa/Program/StoredType.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <google/protobuf/text_format.h>
#include <map>

namespace tilerig {

namespace {

constexpr size_t codeIndent = 4;
constexpr std::array<std::string_view, 3> phaseNames = {"initial", "inference", "finishing"};

void appendIntegers(std::string &out, const auto &values) {
  out += fmt::format("[{}]", fmt::join(values, ", "));
}

void appendStrings(std::string &out, const auto &strings) {
  out += '[';
  for (const std::string &each : strings) {
    if (out.back() != '[')
      out += ", ";
    appendString(out, each);
  }
  out += ']';
}

// ---- metadata ----

void appendMachine(std::string &out, const Machine &machine) {
  auto names = builtInMachines();
  auto builtIn = std::ranges::find(names, machine.name) != names.end() ? loadMachine(machine.name)
                                                                       : Result<Machine>(Machine{});
  if (builtIn && *builtIn == machine && !machine.name.empty()) {
    out += ".machine " + machine.name + "\n";
    return;
  }
  std::string json = printMachine(machine);
  while (!json.empty() && json.back() == '\n')
    json.pop_back();
  out += ".machine " + json + "\n";
}

void appendMessage(std::string &out, std::string_view directive, const google::protobuf::Message &message) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetInitialIndentLevel(2);
  printer.SetUseUtf8StringEscaping(true);
  std::string text;
  printer.PrintToString(message, &text);
  out += fmt::format("\n.{} {{\n{}}}\n", directive, text);
}

// Prints as .metadata those parts of the metadata that have no directive of their own.
void appendMetadata(std::string &out, const proto::Metadata &metadata) {
  proto::Metadata rest = metadata;
  rest.clear_stages();
  rest.clear_constants();
  rest.clear_tensors();
  rest.clear_machine();
  rest.clear_tiles();
  rest.clear_proof();
  if (rest.ByteSizeLong() > 0)
    appendMessage(out, "metadata", rest);
}

// ---- constants ----

void appendConstant(std::string &out, const ConstantData &constant) {
  out += "\n.constant ";
  appendHex(out, constant.address);
  out += " hex ";
  appendHexBytes(out, constant.bytes);
  out += '\n';
}

// ---- tensors ----

void appendTypeName(std::string &out, const std::string &name) {
  if (!name.empty() && std::ranges::all_of(name, isNamePart) && isNameStart(name[0]))
    out += name;
  else
    appendString(out, name);
}

bool spansTensor(const proto::Tensor &tensor, const proto::Piece &piece) {
  if (piece.begin_size() != tensor.shape_size() || piece.extent_size() != tensor.shape_size())
    return false;
  for (int d = 0; d < tensor.shape_size(); ++d)
    if (piece.extent(d) != remainingExtent(tensor.shape(d), piece.begin(d)))
      return false;
  return true;
}

bool beginsAtOrigin(const proto::Tensor &tensor, const proto::Piece &piece) {
  return piece.begin_size() == tensor.shape_size() &&
         std::ranges::all_of(piece.begin(), [](int64_t begin) { return begin == 0; });
}

std::string pieceText(const proto::Tensor &tensor, const proto::Piece &piece) {
  std::string out = piece.ddr() ? "ddr" : "ocm";
  if (!piece.ddr() || piece.tile() != 0)
    out += fmt::format(" {}", piece.tile());
  out += fmt::format("[{:#x}]", piece.address());
  if (!beginsAtOrigin(tensor, piece))
    appendIntegers(out += " begin=", piece.begin());
  if (!spansTensor(tensor, piece))
    appendIntegers(out += " extent=", piece.extent());
  auto packed = denseStrides(piece.extent(), storedBytes(tensor));
  if (!packed || !std::ranges::equal(piece.stride(), *packed))
    appendIntegers(out += " stride=", piece.stride());
  if (piece.ready_at() != 0)
    out += fmt::format(" ready_at={}", piece.ready_at());
  return out;
}

// The directive of the tensor's role; tensors of any role other than INPUT and OUTPUT use .tensor.
std::string_view directiveOf(const proto::Tensor &tensor) {
  return tensor.role() == proto::INPUT ? "input" : tensor.role() == proto::OUTPUT ? "output" : "tensor";
}

void appendTensorOptions(std::string &out, const proto::Tensor &tensor) {
  if (tensor.stored_type() != storedTypeOf(tensor.dtype()))
    appendTypeName(out += " stored=", tensor.stored_type());
  if (std::bit_cast<uint32_t>(tensor.scale()) != 0)
    appendFloat(out += " scale=", tensor.scale());
  if (tensor.zero_point() != 0)
    out += fmt::format(" zero_point={}", tensor.zero_point());
  if (tensor.layer() != 0)
    out += fmt::format(" layer={}", tensor.layer());
  if (tensor.stage() != 0)
    out += fmt::format(" stage={}", tensor.stage());
  if (!tensor.sizes().empty())
    appendString(out += " sizes=", tensor.sizes());
  if (!proto::TensorRole_IsValid(tensor.role()))
    out += fmt::format(" role={}", static_cast<int>(tensor.role()));
}

void appendTensor(std::string &out, const proto::Tensor &tensor) {
  std::string head = fmt::format(".{} ", directiveOf(tensor));
  appendString(head, tensor.name());
  appendTypeName(head += ' ', tensor.dtype());
  appendIntegers(head += ' ', tensor.shape());
  appendTensorOptions(head, tensor);
  out += head;
  for (const proto::Piece &piece : tensor.pieces()) {
    std::string text = pieceText(tensor, piece);
    bool sameLine = tensor.pieces_size() == 1 && head.size() + 1 + text.size() <= textWidth;
    out += sameLine ? " " : "\n    ";
    out += text;
  }
  out += '\n';
}

// ---- stages ----

void appendAttribute(std::string &out, const proto::Attribute &attribute) {
  out += '{';
  auto begin = [&](std::string_view kind) {
    if (out.back() != '{')
      out += ' ';
    out += kind;
    out += '=';
  };
  if (attribute.ints_size() > 0) {
    begin("ints");
    appendIntegers(out, attribute.ints());
  }
  if (attribute.floats_size() > 0) {
    begin("floats");
    out += '[';
    for (float value : attribute.floats())
      appendFloat(out += out.back() == '[' ? "" : ", ", value);
    out += ']';
  }
  if (!attribute.text().empty()) {
    begin("text");
    appendString(out, attribute.text());
  }
  out += '}';
}

void appendHostWork(std::string &out, const proto::HostWork &work) {
  appendString(out += ".host ", work.kernel());
  if (work.layer() != 0)
    out += fmt::format(" layer={}", work.layer());
  if (work.inputs_size() > 0)
    appendStrings(out += "\n    inputs=", work.inputs());
  if (work.outputs_size() > 0)
    appendStrings(out += "\n    outputs=", work.outputs());
  if (work.attributes_size() > 0) {
    // The attributes are sorted by name, because a protobuf map has no fixed order.
    std::map<std::string_view, const proto::Attribute *> sorted;
    for (const auto &[name, value] : work.attributes())
      sorted.emplace(name, &value);
    out += "\n    attributes={";
    for (const auto &[name, value] : sorted) {
      appendString(out += "\n        ", name);
      appendAttribute(out += '=', *value);
    }
    out += "\n    }";
  }
  out += '\n';
}

// Appends a comment with the index, engine, layer and size of an instruction, such as "; 12 pod conv1, 352
// bytes".
void appendNote(std::string &out, const Program &program, size_t index, const Instruction &instruction) {
  uint32_t layer = layerOf(instruction);
  bool named = layer < static_cast<uint32_t>(program.metadata.layers_size());
  std::string name = named ? program.metadata.layers(static_cast<int>(layer)).name() : "";
  unsigned words = std::visit([]<class T>(const T &) { return numWords<T>; }, instruction);
  out.append(codeIndent, ' ');
  out += fmt::format("; {} {}{}{}, {} bytes\n", index,
                     EnumNames<Engine>::values[static_cast<size_t>(engineOf(instruction))], named ? " " : "",
                     printable(name), words * wordBytes);
}

void appendCode(std::string &out, const Program &program, std::span<const Instruction> code, bool annotate) {
  for (size_t index = 0; index < code.size(); ++index) {
    if (annotate)
      appendNote(out, program, index, code[index]);
    out.append(codeIndent, ' ');
    printInstruction(code[index], codeIndent, out);
    out += '\n';
  }
}

void appendStage(std::string &out, const Program &program, const Stage &stage, const PrintOptions &options) {
  appendString(out += "\n.stage ", stage.name);
  out += fmt::format(" {}\n", phaseNames[static_cast<size_t>(stage.phase)]);
  if (const auto *work = std::get_if<proto::HostWork>(&stage.work)) {
    appendHostWork(out, *work);
    return;
  }
  const auto &tiles = std::get<DeviceStage>(stage.work).tiles;
  for (size_t tile = 0; tile < tiles.size(); ++tile) {
    if (options.tile && *options.tile != tile)
      continue;
    out += fmt::format(".tile {}\n", tile);
    appendCode(out, program, tiles[tile], options.annotate);
  }
}

void appendHead(std::string &out, const Program &program) {
  appendMachine(out, program.machine);
  out += fmt::format(".tiles {}\n", program.tiles);
  appendMetadata(out, program.metadata);
  for (const ConstantData &constant : program.constants)
    appendConstant(out, constant);
  if (program.metadata.tensors_size() > 0)
    out += '\n';
  for (const proto::Tensor &tensor : program.metadata.tensors())
    appendTensor(out, tensor);
}

} // namespace

std::string printProgram(const Program &program, const PrintOptions &options) {
  std::string out;
  if (!options.stage && !options.tile)
    appendHead(out, program);
  for (size_t stage = 0; stage < program.stages.size(); ++stage)
    if (!options.stage || *options.stage == stage)
      appendStage(out, program, program.stages[stage], options);
  if (program.proof && !options.stage && !options.tile)
    appendMessage(out, "proof", *program.proof);
  return out;
}

} // namespace tilerig
