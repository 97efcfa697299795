#include "verify/Check/Injection.h"

#include "compiler/Inject/Program/InjectBug.h"
#include "emulator/Defects/InjectDefect.h"
#include "isa/Base/Support/StrictJson.h"
#include "isa/Bugs/Binary.h"
#include "isa/Program/Verify.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig::verify {

namespace {

// The chosen bugs by how they are injected.
struct Chosen {
  std::vector<BugChoice> ofProgram;
  std::vector<size_t> placesOfProgram; // among all choices
  std::optional<size_t> hardware, pass;
};

Result<Chosen> sorted(std::span<const BugChoice> choices) {
  Chosen chosen;
  const auto takeOne = [&](std::optional<size_t> &place, size_t i, const char *where) -> Status {
    if (place)
      return usageError("--inject " + printBugChoice(choices[i]),
                        fmt::format("another bug is injected into {} already", where),
                        fmt::format("inject at most one bug into {}", where));
    place = i;
    return success();
  };
  for (size_t i = 0; i < choices.size(); ++i) {
    const Bug &bug = *choices[i].bug;
    if (bug.stage == BugStage::hardware) {
      TILERIG_CHECK_OK(takeOne(chosen.hardware, i, "the hardware"));
    } else if (bug.isInPass()) {
      TILERIG_CHECK_OK(takeOne(chosen.pass, i, "a pass of the compiler"));
    } else {
      chosen.ofProgram.push_back(choices[i]);
      chosen.placesOfProgram.push_back(i);
    }
  }
  return chosen;
}

// Generates the program again with bugs, and writes down which ones.
Result<Program> programWith(const CompiledModel &model, const CompileOptions &options, const Chosen &chosen,
                            uint64_t seed, std::vector<InjectedBug> &bugs) {
  if (!model.deviceOps)
    return internalError(std::string(chosen.ofProgram.front().bug->id),
                         "the compilation did not keep the device operations, into which bugs are injected");
  std::vector<uint64_t> seeds;
  for (const size_t place : chosen.placesOfProgram)
    seeds.push_back(seed + place);
  TILERIG_TRY(compiler::MutantProgram mutant,
              compiler::generateWithBugs(*model.deviceOps, options.machine, options.program, chosen.ofProgram,
                                         seeds));
  // Checks that the program with the bug is legal, because the machine refuses to load an illegal program.
  if (const Status legal = verifyProgram(mutant.program); !legal)
    return internalError(printBugChoice(mutant.bugs.front().choice), legal.error().message());
  for (size_t i = 0; i < mutant.bugs.size(); ++i)
    bugs[chosen.placesOfProgram[i]] = std::move(mutant.bugs[i]);
  return std::move(mutant.program);
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
  if (choice.bug->stage == BugStage::none)
    return injectNothing(model, choice, seed);
  return injectBugs(model, options, {&choice, 1}, seed);
}

Status checkTogether(std::span<const BugChoice> choices) {
  TILERIG_CHECK_OK(sorted(choices));
  return success();
}

Result<Mutant> injectBugs(const CompiledModel &model, const CompileOptions &options,
                          std::span<const BugChoice> choices, uint64_t seed) {
  TILERIG_TRY(const Chosen chosen, sorted(choices));
  std::vector<InjectedBug> bugs(choices.size());
  Mutant mutant{model.program, {}, {}, {}};
  if (chosen.pass) {
    // Bugs of passes are injected when the model is compiled, so they are in its program already.
    if (!model.passBug)
      return internalError(std::string(choices[*chosen.pass].bug->id),
                           "the model was compiled without the bug");
    bugs[*chosen.pass] = model.passBug->bug;
  }
  if (!chosen.ofProgram.empty()) {
    TILERIG_TRY(mutant.program, programWith(model, options, chosen, seed, bugs));
  }
  if (chosen.hardware) {
    TILERIG_TRY(emulator::InjectedDefect defect,
                emulator::injectDefect(choices[*chosen.hardware], seed + *chosen.hardware, mutant.program));
    mutant.faultFile = std::move(defect.faultFile);
    bugs[*chosen.hardware] = std::move(defect.bug);
  }
  mutant.bug = std::move(bugs.front());
  mutant.others.assign(std::make_move_iterator(bugs.begin() + 1), std::make_move_iterator(bugs.end()));
  return mutant;
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
  return record;
}

static Json onlyBugRecord(const InjectedBug &injected) {
  Json record = recordOf(injected);
  for (const char *const field : {"pass", "fault_file", "caught", "equivalent"})
    record[field] = nullptr;
  record["others"] = Json::array();
  return record;
}

Json injectionRecord(const Mutant &mutant, const Check &check, const CheckRun &run) {
  Json record = onlyBugRecord(mutant.bug);
  if (const auto &passBug = check.model().passBug)
    record["pass"] = passBug->pass;
  if (!mutant.faultFile.empty())
    record["fault_file"] = *parseStrictJson(mutant.faultFile, "");
  if (const Caught caught = caughtBefore(run); !caught.by.empty())
    record["caught"] = {{"by", caught.by}, {"what", caught.message}};
  const auto isInPass = [](const InjectedBug &bug) { return bug.choice.bug->isInPass(); };
  if (!isInPass(mutant.bug) && std::ranges::none_of(mutant.others, isInPass))
    record["equivalent"] = check.agrees(run);
  record["others"] = Json::array();
  for (const InjectedBug &other : mutant.others)
    record["others"].push_back(recordOf(other));
  return record;
}

Json injectionRecord(const compiler::InjectedPassBug &injected) {
  Json record = onlyBugRecord(injected.bug);
  record["pass"] = injected.pass;
  return record;
}

} // namespace tilerig::verify
