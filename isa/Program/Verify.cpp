#include "isa/Program/Verify.h"

#include "isa/Base/Support/InParallel.h"
#include "isa/Instructions/Check.h"
#include "isa/Program/HostSignature.h"
#include "isa/Program/VerifyParts.h"

#include <algorithm>
#include <fmt/core.h>
#include <unordered_map>
#include <unordered_set>

namespace tilerig {

Status verifyLayer(const Program &program, uint32_t layer) {
  if (layer < std::max(1u, static_cast<unsigned>(program.metadata.layers_size())))
    return success();
  return invalidInput("layer", fmt::format("there is no layer {}: the program has {} layers, counted from 0",
                                           layer, program.metadata.layers_size()));
}

Status verifyName(std::unordered_set<std::string_view> &taken, std::string_view name) {
  if (name.empty())
    return invalidInput("name", "is empty");
  if (!taken.insert(name).second)
    return invalidInput("name", fmt::format("'{}' is already used", name));
  return success();
}

static std::string stagePlace(const Stage &stage) { return fmt::format("stage '{}'", stage.name); }

static const DeviceStage *deviceStage(const Program &program, uint32_t stage) {
  return stage < program.stages.size() ? std::get_if<DeviceStage>(&program.stages[stage].work) : nullptr;
}

static Status verifyStage(const Program &program, const Stage &stage, Phase latest) {
  if (stage.phase > Phase::finishing)
    return invalidInput("phase", fmt::format("there is no phase {} in which a stage could run",
                                             static_cast<int>(stage.phase)));
  if (stage.phase < latest)
    return invalidInput("phase", "the stage follows a stage of a later phase",
                        "stages must be in the order initial, inference, finishing");
  if (auto *device = std::get_if<DeviceStage>(&stage.work); device && device->tiles.size() != program.tiles)
    return invalidInput("", fmt::format("the stage has instructions for {} tiles, but the program uses {}",
                                        device->tiles.size(), program.tiles));
  return success();
}

// Verifies the properties of a program on which all other checks rely: the number of tiles, and the names and
// phases of stages.
static Status verifyFrame(const Program &program) {
  if (program.tiles == 0 || program.tiles > program.machine.network.tiles)
    return invalidInput("tiles",
                        fmt::format("the program uses {} tiles, but the machine '{}' allows 1..{}",
                                    program.tiles, program.machine.name, program.machine.network.tiles));
  std::unordered_set<std::string_view> names;
  Phase latest = Phase::initial;
  for (size_t index = 0; index < program.stages.size(); ++index) {
    const Stage &stage = program.stages[index];
    TILERIG_CHECK_OK(inside([&] { return fmt::format("stages[{}]", index); }, verifyName(names, stage.name)));
    TILERIG_CHECK_OK(inside([&] { return stagePlace(stage); }, verifyStage(program, stage, latest)));
    latest = stage.phase;
  }
  return success();
}

static Status verifyInstruction(const Program &program, const Instruction &instruction, unsigned tile,
                                bool last) {
  if (std::holds_alternative<Halt>(instruction) != last)
    return invalidInput("", last ? "the last instruction is not halt" : "halt is not the last instruction",
                        "the program of each tile must end with its only halt");
  TILERIG_CHECK_OK(verifyLayer(program, layerOf(instruction)));
  return checkInstruction(instruction, program.machine, tile, program.tiles);
}

static Status verifyCode(const Program &program, const std::vector<Instruction> &code, unsigned tile) {
  if (code.empty())
    return invalidInput("", "has no instructions", "even an idle tile needs a halt");
  for (size_t index = 0; index < code.size(); ++index)
    TILERIG_CHECK_OK(inside([&] { return fmt::format("instruction {}", index); },
                            verifyInstruction(program, code[index], tile, index + 1 == code.size())));
  return success();
}

static Status verifyDeviceStage(const Program &program, const DeviceStage &stage) {
  return checkInParallel(program.tiles, [&](size_t tile) {
    return inside([&] { return fmt::format("tile {}", tile); },
                  verifyCode(program, stage.tiles[tile], static_cast<unsigned>(tile)));
  });
}

using TensorsByName = std::unordered_map<std::string_view, const proto::Tensor *>;

static Status verifyOperand(const TensorsByName &tensors, const std::string &name) {
  auto entry = tensors.find(name);
  if (entry == tensors.end())
    return invalidInput("", fmt::format("the program has no tensor '{}'", name));
  auto inDdr = [](const proto::Piece &piece) { return piece.ddr(); };
  if (!std::ranges::all_of(entry->second->pieces(), inDdr))
    return invalidInput("", fmt::format("the tensor '{}' lies in the memory of a tile", name),
                        "the host can access only DDR");
  return success();
}

static HostOperand operandOf(const proto::Tensor &tensor) {
  return {.type = *dtypeNamed(tensor.dtype()), .shape = {tensor.shape().begin(), tensor.shape().end()}};
}

static Status verifyFramework(const proto::HostWork &work) {
  if (work.outputs_size() == 0)
    return invalidInput("outputs", "there are no outputs, but a part of the model has at least one output");
  const auto model = work.attributes().find("model");
  return model == work.attributes().end() || model->second.text().empty()
             ? Status(invalidInput(
                   "attributes",
                   "the attribute 'model' is missing, which states the part of the model to run"))
             : success();
}

// Checks a host stage against its kernel's signature. All names of operands must refer to existing tensors,
// or be empty for an absent input.
static Status verifySignature(const TensorsByName &tensors, const proto::HostWork &work) {
  if (work.kernel() == frameworkKernel)
    return verifyFramework(work);
  const HostSignature *signature = findHostSignature(work.kernel());
  if (!signature) // an unknown kernel is refused when the program is run
    return success();
  std::vector<std::optional<HostOperand>> inputs;
  for (const std::string &name : work.inputs())
    inputs.push_back(name.empty() ? std::nullopt : std::optional(operandOf(*tensors.at(name))));
  std::vector<HostOperand> outputs;
  for (const std::string &name : work.outputs())
    outputs.push_back(operandOf(*tensors.at(name)));
  return checkHostOperands(*signature, inputs, outputs);
}

static Status verifyHostWork(const Program &program, const TensorsByName &tensors,
                             const proto::HostWork &work) {
  if (work.kernel().empty())
    return invalidInput("kernel", "is empty");
  TILERIG_CHECK_OK(verifyLayer(program, work.layer()));
  for (int index = 0; index < work.inputs_size(); ++index)
    if (!work.inputs(index).empty())
      TILERIG_CHECK_OK(inside([&] { return fmt::format("inputs[{}]", index); },
                              verifyOperand(tensors, work.inputs(index))));
  for (int index = 0; index < work.outputs_size(); ++index)
    TILERIG_CHECK_OK(inside([&] { return fmt::format("outputs[{}]", index); },
                            verifyOperand(tensors, work.outputs(index))));
  return verifySignature(tensors, work);
}

static Status verifyStages(const Program &program) {
  TensorsByName tensors;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    tensors.emplace(tensor.name(), &tensor);
  for (const Stage &stage : program.stages) {
    auto *device = std::get_if<DeviceStage>(&stage.work);
    TILERIG_CHECK_OK(inside([&] { return stagePlace(stage); },
                            device
                                ? verifyDeviceStage(program, *device)
                                : verifyHostWork(program, tensors, std::get<proto::HostWork>(stage.work))));
  }
  return success();
}

static Status verifyConstant(const ConstantData &constant, uint64_t endBefore, uint64_t ddrBytes) {
  if (constant.bytes.empty())
    return invalidInput("", "is empty");
  if (constant.address < endBefore)
    return invalidInput(
        "",
        fmt::format("the constant begins at address {}, but the constant before it ends at {}",
                    constant.address, endBefore),
        "constants must be in ascending order and must not overlap");
  if (constant.address > ddrBytes || constant.bytes.size() > ddrBytes - constant.address)
    return invalidInput("", fmt::format("{} bytes from address {} on reach past the end of DDR ({} bytes)",
                                        constant.bytes.size(), constant.address, ddrBytes));
  return success();
}

static Status verifyConstants(const Program &program) {
  uint64_t end = 0;
  for (size_t index = 0; index < program.constants.size(); ++index) {
    const ConstantData &constant = program.constants[index];
    TILERIG_CHECK_OK(inside([&] { return fmt::format("constants[{}]", index); },
                            verifyConstant(constant, end, program.machine.ddr.sizeBytes)));
    end = constant.address + constant.bytes.size();
  }
  return success();
}

static Status verifyLayerEntry(const proto::Layer &layer, int index) {
  if (layer.id() != static_cast<uint32_t>(index))
    return invalidInput("id", fmt::format("is {}", layer.id()), "layers must be numbered in order, from 0");
  if (layer.where() != "accelerator" && layer.where() != "host" && layer.where() != "framework")
    return invalidInput("where", fmt::format("is '{}'", layer.where()),
                        "expected 'accelerator', 'host' or 'framework'");
  return success();
}

static Status verifyDebugRange(const Program &program, const proto::DebugRange &range) {
  const DeviceStage *stage = deviceStage(program, range.stage());
  if (!stage)
    return invalidInput("stage",
                        fmt::format("{} is not the number of a device stage of this program", range.stage()));
  if (range.tile() >= program.tiles)
    return invalidInput("tile", fmt::format("tile {} is not used by this program", range.tile()));
  if (size_t count = stage->tiles[range.tile()].size(); range.begin() >= range.end() || range.end() > count)
    return invalidInput("",
                        fmt::format("the range {}..{} is empty or outside the {} instructions of the tile",
                                    range.begin(), range.end(), count),
                        "expected 0 <= begin < end <= number of instructions");
  return verifyLayer(program, range.layer());
}

// Verifies the parts that only describe a program and are not needed to run it: layers, debug ranges,
// attached texts.
static Status verifyExplanation(const Program &program) {
  for (int index = 0; index < program.metadata.layers_size(); ++index)
    TILERIG_CHECK_OK(inside([&] { return fmt::format("layers[{}]", index); },
                            verifyLayerEntry(program.metadata.layers(index), index)));
  for (int index = 0; index < program.metadata.debug_size(); ++index)
    TILERIG_CHECK_OK(inside([&] { return fmt::format("debug[{}]", index); },
                            verifyDebugRange(program, program.metadata.debug(index))));
  std::unordered_set<std::string_view> names;
  for (int index = 0; index < program.metadata.documents_size(); ++index)
    TILERIG_CHECK_OK(inside([&] { return fmt::format("documents[{}]", index); },
                            verifyName(names, program.metadata.documents(index).name())));
  return success();
}

Status verifyProgram(const Program &program) {
  TILERIG_CHECK_OK(verifyMachine(program.machine, "machine"));
  TILERIG_CHECK_OK(verifyFrame(program));
  TILERIG_CHECK_OK(verifyTensors(program));
  TILERIG_CHECK_OK(verifyStages(program));
  TILERIG_CHECK_OK(verifyConstants(program));
  return verifyExplanation(program);
}

static Status verifyWide(const Program &program, const proto::Wide &wide) {
  const DeviceStage *stage = deviceStage(program, wide.stage());
  if (!stage || wide.tile() >= program.tiles)
    return invalidInput(
        "", fmt::format("stage {}, tile {} has no instructions in this program", wide.stage(), wide.tile()));
  const auto &code = stage->tiles[wide.tile()];
  int64_t before = -1;
  for (uint32_t index : wide.instructions()) {
    if (index >= code.size() || index <= before)
      return invalidInput(
          "",
          fmt::format(
              "entry {} must be below {}, the tile's number of instructions, and above {}, the entry before",
              index, code.size(), before),
          "entries must be ascending and be instructions of the tile");
    if (!isProduct(code[index]))
      return invalidInput(
          "", fmt::format("instruction {} is neither matmul nor conv, so it has no accumulators", index));
    before = index;
  }
  return success();
}

static Status verifyProof(const Program &program, const proto::Proof &proof, uint64_t contentHash) {
  const std::string remedy = "compile the program again, or let the analyser make a new proof";
  if (proof.analyser_version() != analyserVersion)
    return invalidInput(
        "",
        fmt::format("the proof was made by version {} of the analyser, but this tilerig has version {}",
                    proof.analyser_version(), analyserVersion),
        remedy);
  if (proof.machine_hash() != hashMachine(program.machine))
    return invalidInput("", "the proof was made for another machine: the program was altered after the proof",
                        remedy);
  if (proof.content_hash() != contentHash)
    return invalidInput("", "the proof was made for other contents: the program was altered after the proof",
                        remedy);
  int64_t before = -1;
  for (int index = 0; index < proof.wide_size(); ++index) {
    const proto::Wide &wide = proof.wide(index);
    auto here = [&] { return fmt::format("wide[{}]", index); };
    TILERIG_CHECK_OK(inside(here, verifyWide(program, wide)));
    int64_t rank = static_cast<int64_t>(wide.stage()) * program.tiles + wide.tile();
    if (rank <= before)
      return inside(here(), invalidInput("", "the entry stands after an entry for a later stage or tile",
                                         "entries must be ordered by stage, then by tile"));
    before = rank;
  }
  return success();
}

Status verifyProof(const Program &program, uint64_t contentHash) {
  return inside([] { return "proof"; },
                program.proof ? verifyProof(program, *program.proof, contentHash) : success());
}

} // namespace tilerig
