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
    return internalError(std::string(choice.bug->id),
                         "the compilation did not keep the device operations, into which bugs are injected");
  TILERIG_TRY(compiler::MutantProgram mutant,
              compiler::generateWithBug(*model.deviceOps, options.machine, options.program, choice, seed));
  // Checks that the program with the bug is legal, because the machine refuses to load an illegal program.
  if (const Status legal = verifyProgram(mutant.program); !legal)
    return internalError(printBugChoice(mutant.bug.choice), legal.error().message());
  return Mutant{std::move(mutant.program), {}, std::move(mutant.bug)};
}

// Returns the unchanged program in the form in which programs with an injected bug are returned. It serves to
// make the classifier's samples without a bug. `seed` selects the layer of the sample.
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
  // bugs of passes are injected when the model is compiled, so they are in its program already
  case BugStage::layer:
    if (model.passBug)
      return Mutant{model.program, {}, model.passBug->bug};
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

static Json recordOf(const InjectedBug &injected) {
  const Bug &bug = *injected.choice.bug;
  Json parameters = Json::object();
  for (const BugParameter &parameter : bug.parameters)
    if (const auto entry = injected.choice.values.find(parameter.name); entry != injected.choice.values.end())
      parameters[std::string(parameter.name)] =
          parameter.isWord() ? Json(printBugValue(parameter, entry->second)) : Json(entry->second);
  Json record = {{"text", printBugChoice(injected.choice)},
                 {"id", bug.id},
                 {"class", nameOf(bug.bugClass)},
                 {"stage", nameOf(bug.stage)},
                 {"site", bug.site},
                 {"layer", injected.layerName},
                 {"layer_id", layerNumber(injected.layer)},
                 {"parameters", std::move(parameters)},
                 {"seed", injected.seed}};
  for (const char *const field : {"pass", "fault_file", "caught", "equivalent"})
    record[field] = nullptr;
  return record;
}

Json injectionRecord(const Mutant &mutant, const Check &check, const CheckRun &run) {
  Json record = recordOf(mutant.bug);
  if (const auto &passBug = check.model().passBug)
    record["pass"] = passBug->pass;
  if (!mutant.faultFile.empty())
    record["fault_file"] = *parseStrictJson(mutant.faultFile, "");
  if (const Caught caught = caughtBefore(run); !caught.by.empty())
    record["caught"] = {{"by", caught.by}, {"what", caught.message}};
  if (!mutant.bug.choice.bug->isInPass())
    record["equivalent"] = check.agrees(run);
  return record;
}

Json injectionRecord(const compiler::InjectedPassBug &injected) {
  Json record = recordOf(injected.bug);
  record["pass"] = injected.pass;
  return record;
}

} // namespace tilerig::verify
