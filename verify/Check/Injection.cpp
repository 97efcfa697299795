#include "verify/Check/Injection.h"

#include "compiler/Inject/Program/InjectBug.h"
#include "emulator/Defects/InjectDefect.h"
#include "isa/Base/Support/StrictJson.h"
#include "isa/Bugs/Binary.h"
#include "isa/Program/Verify.h"

namespace tilerig::verify {

namespace {

Result<Mutant> injectIntoHardware(const CompiledModel &model, const BugChoice &choice, uint64_t seed) {
  TILERIG_TRY(emulator::InjectedDefect injected, emulator::injectDefect(choice, seed, model.program));
  return Mutant{model.program, std::move(injected.faultFile), std::move(injected.bug)};
}

Result<Mutant> injectIntoCompiler(const CompiledModel &model, const CompileOptions &options,
                                  const BugChoice &choice, uint64_t seed) {
  if (!model.deviceOps)
    return internalError(std::string(choice.bug->id), "the compiler has not kept the device operations");
  TILERIG_TRY(compiler::MutantProgram mutant,
              compiler::generateWithBug(*model.deviceOps, options.machine, options.program, choice, seed));
  // The program with the bug must be legal: the machine would refuse to load an illegal one.
  if (const Status legal = verifyProgram(mutant.program); !legal)
    return internalError(printBugChoice(mutant.bug.choice), legal.error().message());
  return Mutant{std::move(mutant.program), {}, std::move(mutant.bug)};
}

// A mutant that is the clean program, for samples of tensors without a bug. `seed` picks the layer from which
// the sample is taken.
Result<Mutant> injectNothing(const CompiledModel &model, const BugChoice &choice, uint64_t seed) {
  TILERIG_TRY(InjectedBug injected, injectSomewhere(choice, seed, layerNames(model.program),
                                                    [](uint32_t, BugDraw &) { return success(); }));
  return Mutant{model.program, {}, std::move(injected)};
}

} // namespace

Result<Mutant> injectBug(const CompiledModel &model, const CompileOptions &options, const BugChoice &choice,
                         uint64_t seed) {
  switch (choice.bug->stage) {
  case BugStage::none:
    return injectNothing(model, choice, seed);
  case BugStage::graph:
  case BugStage::layer: // injected when the model was compiled
    if (model.passBug)
      return Mutant{model.program, {}, *model.passBug};
    return internalError(std::string(choice.bug->id), "the model was compiled without the bug");
  case BugStage::hardware:
    return injectIntoHardware(model, choice, seed);
  default:
    return injectIntoCompiler(model, options, choice, seed);
  }
}

Caught caughtBefore(const CheckRun &run) {
  if (!run.notProved.empty())
    return {"analyser", run.notProved};
  if (!run.accumulated.faults.empty())
    return {"trap", run.accumulated.faults.front()};
  return {};
}

Json injectionRecord(const Mutant &mutant, const Check &check, const CheckRun &run) {
  const InjectedBug &injected = mutant.bug;
  const Bug &bug = *injected.choice.bug;
  Json parameters = Json::object();
  for (const BugParameter &parameter : bug.parameters)
    if (const auto entry = injected.choice.values.find(parameter.name); entry != injected.choice.values.end())
      parameters[std::string(parameter.name)] =
          parameter.isWord() ? Json(printBugValue(parameter, entry->second)) : Json(entry->second);
  const Caught caught = caughtBefore(run);
  Json record = {{"text", printBugChoice(injected.choice)},
                 {"id", bug.id},
                 {"class", nameOf(bug.bugClass)},
                 {"stage", nameOf(bug.stage)},
                 {"site", bug.site},
                 {"layer", injected.layerName},
                 {"layer_id", layerNumber(injected.layer)},
                 {"parameters", std::move(parameters)},
                 {"seed", injected.seed}};
  record["pass"] = check.model().passWithBug.empty() ? Json() : Json(check.model().passWithBug);
  record["fault_file"] = mutant.faultFile.empty() ? Json() : *parseStrictJson(mutant.faultFile, "");
  record["caught"] = caught.by.empty() ? Json() : Json{{"by", caught.by}, {"what", caught.message}};
  record["equivalent"] = bug.isInPass() ? Json() : Json(check.agrees(run));
  return record;
}

} // namespace tilerig::verify
