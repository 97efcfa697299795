#include "compiler/Tile/Emit/AssembleProgram.h"

#include "compiler/Planning/Schedule/EmitStage.h"
#include "compiler/Planning/Schedule/Schedule.h"
#include "compiler/Tile/Emit/DescribeProgram.h"
#include "compiler/Tile/Emit/PlayPlan.h"
#include "compiler/Tile/Emit/SeparateLayers.h"
#include "compiler/Tile/Emit/StaggerLoads.h"
#include "compiler/Tile/Emit/TileMetadata.h"
#include "compiler/Tile/Emit/TimeStepEnds.h"
#include "compiler/Tile/Plan/DdrCapacity.h"
#include "compiler/Tile/Plan/Strategies.h"
#include "isa/Analyser/Analyser.h"
#include "isa/RunPlan/RunPlan.h"

#include <fmt/core.h>

namespace tilerig::compiler {

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

// For each step of the network (device operation or host operator), the index of the program stage in which
// the step's layer ends. If the layer has no tasks, the stage of the previous step is stored.
std::vector<uint32_t> stagesOf(const DeviceNetwork &network, const std::vector<ProgramPart> &parts) {
  std::vector<uint32_t> ofLayer(network.layers.size(), UINT32_MAX), ofStep;
  for (uint32_t stage = 0; stage < parts.size(); ++stage) {
    if (parts[stage].host)
      ofLayer[parts[stage].host->layer] = stage;
    for (const Task &task : parts[stage].tasks)
      ofLayer[layerOf(task.instruction)] = stage;
  }
  for (const NetworkStep &step : network.steps) {
    const uint32_t stage = ofLayer[std::visit([](const auto &typedStep) { return typedStep.layer; }, step)];
    ofStep.push_back(stage != UINT32_MAX ? stage : ofStep.empty() ? 0 : ofStep.back());
  }
  return ofStep;
}

// The machine as the planner sees it: its OCM (on-chip memory) is only the part that the program may use.
Result<Machine> plannedMachine(const Machine &machine, const ProgramOptions &options) {
  constexpr uint64_t row = 64;
  const uint64_t all = machine.tile.ocmBytes;
  if (options.ocmBase % row != 0 || options.ocmBase >= all)
    return invalidInput("ocm_base", fmt::format("the address {:#x} must be a multiple of {} below {:#x}",
                                                options.ocmBase, row, all));
  const uint64_t rest = all - options.ocmBase, bytes = options.ocmBytes.value_or(rest);
  if (bytes < row || bytes > rest)
    return invalidInput(
        "ocm_size",
        fmt::format("the size is {:#x}, but the machine '{}' has {:#x} bytes of OCM from {:#x} on", bytes,
                    machine.name, rest, options.ocmBase));
  Machine result = machine;
  result.tile.ocmBytes = static_cast<uint32_t>(bytes);
  // Errors about too little memory show the machine's name, so the option ocm_size is added to it.
  if (bytes < all)
    result.name += fmt::format(", ocm_size {:#x}", bytes);
  return result;
}

// What the planner is asked for.
struct PlanRequest {
  StrategyFile strategy; // the hints of the user, by the layers of the network
  PlanOptions options;
  Machine machine; // as the planner sees it
};

Result<PlanRequest> planRequest(const DeviceNetwork &network, const Machine &machine,
                                const ProgramOptions &options) {
  if (options.tiles > machine.network.tiles)
    return usageError("--tiles", fmt::format("the machine '{}' has only {} tiles, but {} are requested",
                                             machine.name, machine.network.tiles, options.tiles));
  TILERIG_TRY(StrategyFile strategy, matchStrategy(options.strategy, strategyTargets(network)));
  TILERIG_TRY(std::vector<Hints> hints, hintsFor(strategy, network));
  PlanOptions planOptions{.tiles = options.tiles,
                          .hints = std::move(hints),
                          .pinsWeights = options.pinsWeights,
                          .fusesBlocks = options.fusesBlocks,
                          .prefetchSteps = options.prefetchSteps,
                          .images = options.images,
                          .ocmBase = options.ocmBase};
  TILERIG_TRY(Machine allowed, plannedMachine(machine, options));
  TILERIG_CHECK_OK(checkLeastDdr(network, machine));
  return PlanRequest{std::move(strategy), std::move(planOptions), std::move(allowed)};
}

// The kind of a layer, and the type and the sizes of all tensors that its operations read or compute.
using LayerSizes = std::pair<std::string, std::vector<std::pair<ElementType, std::vector<int64_t>>>>;

std::vector<uint32_t> layersAlike(const DeviceNetwork &network, uint32_t layer) {
  std::vector<LayerSizes> sizes(network.layers.size());
  for (uint32_t i = 0; i < sizes.size(); ++i)
    sizes[i].first = network.layers[i].kind;
  const auto add = [&](uint32_t owner, TensorIndex index) {
    const DeviceTensor &tensor = network.tensors[index];
    sizes[owner].second.emplace_back(tensor.type, tensor.shape);
  };
  for (const NetworkStep &step : network.steps)
    if (const auto *deviceOp = std::get_if<DeviceOp>(&step)) {
      for (const Operand &operand : deviceOp->operands)
        add(deviceOp->layer, operand.tensor);
      add(deviceOp->layer, deviceOp->result);
    }
  std::vector<uint32_t> alike;
  for (uint32_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] == sizes[layer])
      alike.push_back(i);
  return alike;
}

} // namespace

std::optional<TooLargeLayer> findTooLargeLayer(const DeviceNetwork &network, const Machine &machine,
                                               const ProgramOptions &options) {
  const auto request = planRequest(network, machine, options);
  if (!request)
    return std::nullopt;
  std::optional<uint32_t> layer;
  const auto plans = planCandidates(network, request->machine, request->options, 0, &layer);
  if (!layer)
    return std::nullopt;
  return TooLargeLayer{layersAlike(network, *layer), plans.error()};
}

Result<GeneratedProgram> generateProgram(const DeviceNetwork &network, const Machine &machine,
                                         const ProgramOptions &options, TileLevel *kept) {
  TILERIG_TRY(const PlanRequest request, planRequest(network, machine, options));
  TILERIG_TRY(std::vector<TilePlan> plans, planCandidates(network, request.machine, request.options, 0));
  TILERIG_TRY(ChosenPlan chosen, fastestPlan(network, std::move(plans), machine, options));
  TilePlan &plan = chosen.plan;
  // Stages that were already finished to compare plans are discarded if their tasks are to be changed, or if
  // the caller wants data that finished stages do not have.
  if (options.edits || options.apart || kept)
    chosen.finished.reset();
  if (options.edits && options.edits->plan)
    TILERIG_CHECK_OK(options.edits->plan(plan));
  TILERIG_CHECK_OK(checkPlannedDdr(network, plan, plan.ddrEnd, machine));
  ConstantPool constants = ConstantPool::behind(plan.ddrEnd);
  std::vector<ProgramPart> parts = generateTasks(network, plan, constants);
  if (options.apart)
    parts = separateLayers(std::move(parts));
  for (const NetworkStep &step : network.steps)
    if (const auto *host = std::get_if<HostStep>(&step))
      for (const auto &input : host->inputs)
        if (input && network.tensors[*input].constant())
          plan.places[*input].ddrAddress = constants.place(network.tensors[*input].bytes);
  TILERIG_CHECK_OK(checkPlannedDdr(network, plan, constants.end(), machine));
  Program program;
  program.machine = machine;
  program.tiles = options.tiles;
  const std::vector<uint32_t> stageOf = stagesOf(network, parts);
  TimeStepEnds ends;
  std::vector<uint64_t> cycles(parts.size());
  SyncCounts counts;
  DependencyStatistics dependencies;
  const ByteRange readOnly{constants.address(), constants.end()};
  program.constants = constants.take();
  if (options.edits && options.edits->tasks)
    TILERIG_CHECK_OK(options.edits->tasks(plan, readOnly, parts));
  if (kept)
    kept->buffers = describeBuffers(network, plan, readOnly);
  LoadStagger stagger(machine, options.staggerCycles.value_or(0));
  for (ProgramPart &part : parts) {
    const auto number = static_cast<uint32_t>(program.stages.size());
    if (part.host) {
      program.stages.push_back({fmt::format("part {}: {} on the host", number, part.host->kernel),
                                Phase::inference, hostWork(network, *part.host)});
      if (kept)
        kept->stages.emplace_back();
      continue;
    }
    SyncPlan sync;
    const bool isStaggered = options.staggerCycles && part.phase == Phase::inference;
    ScheduleOptions how = scheduleOptions(options, chosen.rule, {&readOnly, 1});
    how.keptPlan = kept || isStaggered ? &sync : nullptr;
    std::optional<ScheduledStage> finished;
    // Delays of loads (StaggerLoads.h) are added to the synchronisation plan of a stage. A finished stage no
    // longer has this plan, so a stage with delays is scheduled again.
    if (chosen.finished && !isStaggered)
      finished = std::move(chosen.finished->stages[number]);
    if (!finished) {
      TILERIG_TRY(finished, scheduleStage(part.tasks, machine, options.tiles, how));
    }
    ScheduledStage &scheduled = *finished;
    if (isStaggered) {
      TILERIG_CHECK_OK(stagger.addTo(part.tasks, sync));
      scheduled.stage = emitStage(part.tasks, sync, options.tiles);
      scheduled.cycles = cyclesOf(scheduled.stage, machine, options.tiles);
    }
    cycles[number] = scheduled.cycles;
    ends.add(number, part.tasks, scheduled.order.sequence, scheduled.stage);
    counts += scheduled.counts;
    dependencies += scheduled.dependencies;
    if (kept)
      kept->stages.push_back({part.tasks, std::move(sync)});
    program.stages.push_back(
        {part.phase == Phase::initial ? "pinned weights" : fmt::format("part {}", number), part.phase,
         std::move(scheduled.stage)});
  }
  program.metadata.set_ddr_relocatable(options.isRelocatable);
  describeProgram(network, plan, stageOf, ends, program);
  // A program that cannot be proved free of races and deadlocks shows a bug of the compiler, not an error in
  // its input.
  if (const Status proved = !options.proves    ? success()
                            : options.plansRun ? proveAndPlanRun(program)
                                               : prove(program);
      !proved)
    return internalError("the generated program", proved.error().message());
  GeneratedProgram generated{.program = std::move(program),
                             .strategy = strategyOf(network, plan, request.strategy),
                             .sync = counts,
                             .dependencies = dependencies};
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].phase == Phase::inference)
      generated.expectedCycles +=
          parts[i].host ? hostCycles(network.layers[parts[i].host->layer], machine) : cycles[i];
  if (kept)
    kept->metadata =
        tileMetadata(network, plan, request.options, generated.strategy, kept->buffers, generated.program);
  if (options.apart) {
    generated.stageLayers = layersOf(parts);
    generated.forecasts = forecastLayers(network, plan, parts, cycles, machine);
  }
  return generated;
}

} // namespace tilerig::compiler
