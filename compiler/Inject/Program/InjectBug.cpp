#include "compiler/Inject/Program/InjectBug.h"

#include "compiler/Inject/Program/LayerTasks.h"
#include "compiler/Inject/Program/PlanBugs.h"
#include "isa/Bugs/Binary.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig::compiler {

namespace {

template <class T>
const T *findById(std::initializer_list<std::span<const T>> tables, std::string_view id) {
  for (const std::span<const T> table : tables)
    for (const T &row : table)
      if (row.id == id)
        return &row;
  return nullptr;
}

const OpBug *findOpBug(std::string_view id) {
  return findById<OpBug>({paddingBugs(), biasBugs(), weightBugs(), layoutBugs(), functionBugs(), scaleBugs()},
                         id);
}
const TaskBug *findTaskBug(std::string_view id) {
  return findById<TaskBug>({finishBugs(), windowBugs(), addressBugs(), sumBugs(), transferBugs()}, id);
}

// Checks that the catalogue of bugs lists the layer's kind and element type for this bug.
Status checkKind(const Bug &bug, const DeviceNetwork &network, uint32_t layer) {
  const NetworkLayer &networkLayer = network.layers[layer];
  if (networkLayer.onHost)
    return hasNot("the host computes this layer");
  if (!bug.layers.empty() && std::ranges::find(bug.layers, networkLayer.kind) == bug.layers.end())
    return hasNot(fmt::format("the bug does not exist in layers of kind '{}'", networkLayer.kind));
  for (size_t i = network.steps.size(); bug.types != BugTypes::all && i-- > 0;) {
    const DeviceOp *deviceOp = std::get_if<DeviceOp>(&network.steps[i]);
    if (!deviceOp || deviceOp->layer != layer)
      continue;
    const bool hasEightBits = isEightBits(network.tensors[deviceOp->result].type);
    return hasEightBits == (bug.types == BugTypes::eightBits)
               ? success()
               : Status(hasNot(hasEightBits ? "the bug does not exist in layers with an 8-bit result"
                                            : "the bug exists only in layers with an 8-bit result"));
  }
  return success();
}

// One of the bugs of a program: what was chosen, and what was injected.
class Injector {
public:
  Injector(const BugChoice &choice, uint64_t seed) : choice(choice), seed(seed) {}

  BugStage stage() const { return choice.bug->stage; }

  // Whether a bug of this kind can be injected here, and is implemented.
  Status check() const {
    const std::string id(choice.bug->id);
    switch (stage()) {
    case BugStage::operations:
      return findOpBug(id) ? success() : isMissing();
    case BugStage::plan:
      return findById<PlanBug>({planBugs()}, id) ? success() : isMissing();
    case BugStage::tasks:
      return findTaskBug(id) ? success() : isMissing();
    case BugStage::binary:
    case BugStage::none:
      return success();
    case BugStage::graph:
    case BugStage::layer:
      return internalError(id, "this is a bug of a pass, which is injected while passes run");
    case BugStage::hardware:
      break;
    }
    return internalError(id, "this is a bug of the hardware, so the compiler cannot inject it");
  }

  Status intoOps(const DeviceNetwork &network, DeviceNetwork &mutant) {
    return inject(network, [&](uint32_t layer, BugDraw &draw) {
      return findOpBug(choice.bug->id)->inject(LayerOps{mutant, layer}, draw);
    });
  }

  Status intoPlan(const DeviceNetwork &network, const Machine &machine, TilePlan &plan) {
    return inject(network, [&](uint32_t layer, BugDraw &draw) {
      return findById<PlanBug>({planBugs()}, choice.bug->id)
          ->inject(LayerPlan{plan.networkOf(network), machine, plan, layer}, draw);
    });
  }

  Status intoTasks(const DeviceNetwork &network, const Machine &machine, const TilePlan &plan,
                   ByteRange constants, std::vector<ProgramPart> &parts) {
    return inject(network, [&](uint32_t layer, BugDraw &draw) {
      return findTaskBug(choice.bug->id)
          ->inject(LayerTasks{plan.networkOf(network), plan, machine, constants, parts, layer}, draw);
    });
  }

  Status intoNothing(const DeviceNetwork &network) {
    return inject(network, [](uint32_t, BugDraw &) { return success(); });
  }

  Status intoBinary(Program &program) {
    TILERIG_TRY(injected, injectIntoProgram(choice, seed, program));
    return success();
  }

  const InjectedBug &bug() const { return injected; }

private:
  Error isMissing() const {
    return internalError(std::string(choice.bug->id), "this bug has no implementation");
  }

  Status inject(const DeviceNetwork &network, const InjectIntoLayer &inLayer) {
    std::vector<std::string> names;
    for (const NetworkLayer &layer : network.layers)
      names.push_back(layer.name);
    TILERIG_TRY(injected, injectSomewhere(choice, seed, names, [&](uint32_t layer, BugDraw &draw) -> Status {
                  TILERIG_CHECK_OK(checkKind(*choice.bug, network, layer));
                  return inLayer(layer, draw);
                }));
    return success();
  }

  const BugChoice &choice;
  uint64_t seed;
  InjectedBug injected;
};

// Lets each bug of a stage have its effect; the first that has no place ends this.
template <class Effect>
Status forEachOf(BugStage stage, std::vector<Injector> &injectors, const Effect &effect) {
  for (Injector &injector : injectors)
    if (injector.stage() == stage)
      TILERIG_CHECK_OK(effect(injector));
  return success();
}

} // namespace

Result<MutantProgram> generateWithBugs(const DeviceNetwork &network, const Machine &machine,
                                       ProgramOptions options, std::span<const BugChoice> choices,
                                       std::span<const uint64_t> seeds) {
  std::vector<Injector> injectors;
  for (size_t i = 0; i < choices.size(); ++i) {
    injectors.emplace_back(choices[i], seeds[i]);
    TILERIG_CHECK_OK(injectors.back().check());
  }
  DeviceNetwork mutant = network;
  TILERIG_CHECK_OK(forEachOf(BugStage::none, injectors,
                             [&](Injector &injector) { return injector.intoNothing(network); }));
  TILERIG_CHECK_OK(forEachOf(BugStage::operations, injectors,
                             [&](Injector &injector) { return injector.intoOps(network, mutant); }));
  const auto hasStage = [&](BugStage stage) {
    return std::ranges::find(injectors, stage, &Injector::stage) != injectors.end();
  };
  PlanEdits edits;
  if (hasStage(BugStage::plan))
    edits.plan = [&](TilePlan &plan) {
      return forEachOf(BugStage::plan, injectors,
                       [&](Injector &injector) { return injector.intoPlan(mutant, machine, plan); });
    };
  if (hasStage(BugStage::tasks))
    edits.tasks = [&](const TilePlan &plan, ByteRange constants, std::vector<ProgramPart> &parts) {
      return forEachOf(BugStage::tasks, injectors, [&](Injector &injector) {
        return injector.intoTasks(mutant, machine, plan, constants, parts);
      });
    };
  options.proves = false;
  if (edits.plan || edits.tasks)
    options.edits = &edits;
  TILERIG_TRY(GeneratedProgram generated, generateProgram(mutant, machine, options));
  MutantProgram result{std::move(generated.program), {}};
  TILERIG_CHECK_OK(forEachOf(BugStage::binary, injectors,
                             [&](Injector &injector) { return injector.intoBinary(result.program); }));
  for (const Injector &injector : injectors) {
    result.bugs.push_back(injector.bug());
    if (injector.stage() != BugStage::binary && injector.stage() != BugStage::none)
      noteBug(injector.bug(), result.program);
  }
  return result;
}

} // namespace tilerig::compiler
