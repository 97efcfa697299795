#include "compiler/Codegen/AssembleProgram.h"

#include "compiler/Codegen/DescribeProgram.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Instructions/Access.h"

#include <fmt/core.h>

namespace tilerig {

namespace {

// FIXME until the scheduler is there: a global barrier in front of whatever meets bytes that somebody has
// touched.
DeviceStage orderByBarriers(const TaskList &tasks, unsigned tiles) {
  DeviceStage stage;
  stage.tiles.resize(tiles);
  AccessList before, own;
  for (const Task &task : tasks) {
    own.clear();
    appendAccesses(task.instruction, task.tile, own);
    const bool conflicts = std::ranges::any_of(own, [&](const Access &a) {
      return std::ranges::any_of(before, [&](const Access &b) {
        return a.memory == b.memory && (a.kind == AccessKind::write || b.kind == AccessKind::write) &&
               a.region.begin < b.region.end && b.region.begin < a.region.end;
      });
    });
    if (conflicts) {
      for (auto &tile : stage.tiles)
        tile.push_back(GlobalBarrier{});
      before.clear();
    }
    before.insert(before.end(), own.begin(), own.end());
    stage.tiles[task.tile].push_back(task.instruction);
  }
  for (auto &tile : stage.tiles)
    tile.push_back(Halt{});
  return stage;
}

proto::HostWork hostWork(const DeviceNetwork &network, const HostStep &host) {
  proto::HostWork work;
  work.set_kernel(host.kernel);
  work.set_layer(host.layer);
  for (const auto &input : host.inputs)
    work.add_inputs(input ? nameOf(network, *input) : "");
  for (const TensorIndex output : host.outputs)
    work.add_outputs(nameOf(network, output));
  for (const auto &[name, attribute] : host.attributes)
    (*work.mutable_attributes())[name] = attribute;
  return work;
}

} // namespace

Result<Program> generateProgram(const DeviceNetwork &network, const Machine &machine,
                                const PlanOptions &options) {
  TRY(TilePlan plan, planTiles(network, machine, options, 0));
  constexpr uint64_t page = 4096;
  ConstantPool constants((plan.ddrEnd + page - 1) / page * page);
  std::vector<ProgramPart> parts = generateTasks(network, plan, constants);
  for (const NetworkStep &step : network.steps)
    if (const auto *host = std::get_if<HostStep>(&step))
      for (const auto &input : host->inputs)
        if (input && network.tensors[*input].constant())
          plan.places[*input].ddrAddress = constants.place(*network.tensors[*input].bytes);
  Program program;
  program.machine = machine;
  program.tiles = options.tiles;
  std::vector<uint32_t> stageOf(network.steps.size());
  for (ProgramPart &part : parts) {
    const auto number = static_cast<uint32_t>(program.stages.size());
    if (part.host)
      program.stages.push_back({fmt::format("{} on the host", part.host->kernel), Phase::inference,
                                hostWork(network, *part.host)});
    else
      program.stages.push_back(
          {fmt::format("part {}", number), Phase::inference, orderByBarriers(part.tasks, options.tiles)});
  }
  uint32_t stage = 0;
  bool wasHost = false;
  for (size_t i = 0; i < network.steps.size(); ++i) {
    const bool isHost = std::holds_alternative<HostStep>(network.steps[i]);
    if (i > 0 && (isHost || wasHost))
      ++stage;
    stageOf[i] = stage;
    wasHost = isHost;
  }
  const uint64_t address = constants.address();
  if (auto bytes = std::make_shared<std::vector<std::byte>>(constants.take()); !bytes->empty())
    program.constants.push_back({address, *bytes, bytes});
  describeProgram(network, plan, stageOf, program);
  CHECK_OK(prove(program));
  return program;
}

} // namespace tilerig
