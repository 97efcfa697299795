#include "compiler/Codegen/AssembleProgram.h"

#include "compiler/Codegen/DescribeProgram.h"
#include "compiler/Schedule/Schedule.h"
#include "compiler/Tiling/Strategies.h"
#include "isa/Analyser/Analyser.h"

#include <fmt/core.h>

namespace tilerig {

namespace {

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

Result<GeneratedProgram> generateProgram(const DeviceNetwork &network, const Machine &machine,
                                         const ProgramOptions &options, TileLevel *kept) {
  TRY(std::vector<Hints> hints, hintsFor(options.strategy, network));
  const PlanOptions planned{
      .tiles = options.tiles, .hints = std::move(hints), .prefetchTurns = options.prefetchTurns};
  TRY(TilePlan plan, planTiles(network, machine, planned, 0));
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
  const uint64_t address = constants.address();
  if (auto bytes = std::make_shared<std::vector<std::byte>>(constants.take()); !bytes->empty())
    program.constants.push_back({address, *bytes, bytes});
  const ByteRange readOnly{address,
                           address + (program.constants.empty() ? 0 : program.constants[0].bytes.size())};
  if (kept)
    kept->buffers = describeBuffers(network, plan, readOnly);
  for (ProgramPart &part : parts) {
    const auto number = static_cast<uint32_t>(program.stages.size());
    if (part.host) {
      program.stages.push_back({fmt::format("{} on the host", part.host->kernel), Phase::inference,
                                hostWork(network, *part.host)});
      if (kept)
        kept->stages.emplace_back();
      continue;
    }
    SyncPlan sync;
    TRY(ScheduledStage scheduled,
        scheduleStage(
            part.tasks, machine, options.tiles,
            {.order = {options.order}, .constants = {&readOnly, 1}, .keptPlan = kept ? &sync : nullptr}));
    if (kept)
      kept->stages.push_back({std::move(part.tasks), std::move(sync)});
    program.stages.push_back({fmt::format("part {}", number), Phase::inference, std::move(scheduled.stage)});
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
  describeProgram(network, plan, stageOf, program);
  // Whatever is wrong with it, nobody but the compiler wrote it.
  if (const Status proved = prove(program); !proved)
    return internalError("the program that was made", proved.error().message());
  return GeneratedProgram{std::move(program), strategyOf(network, plan, options.strategy)};
}

} // namespace tilerig
