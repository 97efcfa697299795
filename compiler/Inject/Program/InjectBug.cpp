#include "compiler/Inject/Program/InjectBug.h"

#include "compiler/Inject/Program/LayerTasks.h"
#include "compiler/Inject/Program/PlanBugs.h"
#include "isa/Bugs/Binary.h"

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

class Injector {
public:
  Injector(const DeviceNetwork &network, const Machine &machine, ProgramOptions options,
           const BugChoice &choice, uint64_t seed)
      : network(network), machine(machine), options(std::move(options)), choice(choice), seed(seed) {
    for (const NetworkLayer &layer : network.layers)
      names.push_back(layer.name);
    this->options.proves = false;
  }

  Result<MutantProgram> inject() {
    switch (choice.bug->stage) {
    case BugStage::operations:
      return injectOps();
    case BugStage::plan:
      return injectPlan();
    case BugStage::tasks:
      return injectTasks();
    case BugStage::binary:
      return injectBinary();
    case BugStage::none:
      return injectNothing();
    case BugStage::graph:
    case BugStage::layer:
      return internalError(std::string(choice.bug->id),
                           "this is a bug of a pass, which is injected while passes run");
    case BugStage::hardware:
      break;
    }
    return internalError(std::string(choice.bug->id),
                         "this is a bug of the hardware, so the compiler cannot inject it");
  }

private:
  Result<MutantProgram> injectOps() {
    const OpBug *bug = findOpBug(choice.bug->id);
    if (!bug)
      return isMissing();
    DeviceNetwork mutant = network;
    TILERIG_TRY(InjectedBug injected, inject([&](uint32_t layer, BugDraw &draw) {
                  return bug->inject(LayerOps{mutant, layer}, draw);
                }));
    return noted(std::move(injected), mutant);
  }

  Result<MutantProgram> injectPlan() {
    const PlanBug *bug = findById<PlanBug>({planBugs()}, choice.bug->id);
    if (!bug)
      return isMissing();
    InjectedBug injected;
    const PlanEdits edits = {.plan = [&](TilePlan &plan) -> Status {
      TILERIG_TRY(injected, inject([&](uint32_t layer, BugDraw &draw) {
                    return bug->inject(LayerPlan{plan.networkOf(network), machine, plan, layer}, draw);
                  }));
      return success();
    }};
    return withEdits(edits, injected);
  }

  Result<MutantProgram> injectTasks() {
    const TaskBug *bug = findTaskBug(choice.bug->id);
    if (!bug)
      return isMissing();
    InjectedBug injected;
    const PlanEdits edits = {.tasks = [&](const TilePlan &plan, ByteRange constants,
                                          std::vector<ProgramPart> &parts) -> Status {
      TILERIG_TRY(injected, inject([&](uint32_t layer, BugDraw &draw) {
                    return bug->inject(
                        LayerTasks{plan.networkOf(network), plan, machine, constants, parts, layer}, draw);
                  }));
      return success();
    }};
    return withEdits(edits, injected);
  }

  Result<MutantProgram> injectNothing() {
    TILERIG_TRY(InjectedBug injected, inject([](uint32_t, BugDraw &) { return success(); }));
    TILERIG_TRY(GeneratedProgram generated, generateProgram(network, machine, options));
    return MutantProgram{std::move(generated.program), std::move(injected)};
  }

  Result<MutantProgram> injectBinary() {
    TILERIG_TRY(GeneratedProgram generated, generateProgram(network, machine, options));
    TILERIG_TRY(InjectedBug injected, injectIntoProgram(choice, seed, generated.program));
    return MutantProgram{std::move(generated.program), std::move(injected)};
  }

  Result<InjectedBug> inject(const InjectIntoLayer &inLayer) const {
    return injectSomewhere(choice, seed, names, [&](uint32_t layer, BugDraw &draw) -> Status {
      TILERIG_CHECK_OK(checkKind(*choice.bug, network, layer));
      return inLayer(layer, draw);
    });
  }

  Result<MutantProgram> withEdits(const PlanEdits &edits, InjectedBug &injected) {
    options.edits = &edits;
    TILERIG_TRY(GeneratedProgram generated, generateProgram(network, machine, options));
    noteBug(injected, generated.program);
    return MutantProgram{std::move(generated.program), std::move(injected)};
  }

  Result<MutantProgram> noted(InjectedBug injected, const DeviceNetwork &mutant) const {
    TILERIG_TRY(GeneratedProgram generated, generateProgram(mutant, machine, options));
    noteBug(injected, generated.program);
    return MutantProgram{std::move(generated.program), std::move(injected)};
  }

  Error isMissing() const {
    return internalError(std::string(choice.bug->id), "this bug has no implementation");
  }

  const DeviceNetwork &network;
  const Machine &machine;
  ProgramOptions options;
  const BugChoice &choice;
  uint64_t seed;
  std::vector<std::string> names;
};

} // namespace

Result<MutantProgram> generateWithBug(const DeviceNetwork &network, const Machine &machine,
                                      ProgramOptions options, const BugChoice &choice, uint64_t seed) {
  return Injector(network, machine, std::move(options), choice, seed).inject();
}

} // namespace tilerig::compiler
