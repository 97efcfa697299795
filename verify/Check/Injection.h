// Injects a bug into the program or hardware of a compiled model, and states whether the bug was noticed
// before any results were compared.
#pragma once

#include "isa/Bugs/Draw.h"
#include "verify/Check/Check.h"
#include "verify/Records/Record.h"

#include <span>
#include <vector>

namespace tilerig::verify {

struct Mutant {
  Program program; // the program with the bug; the clean program if the bug is in the hardware
  // JSON description of the broken hardware; empty if the bug is in the program instead.
  std::string faultFile;
  InjectedBug bug;
  std::vector<InjectedBug> others = {}; // if several bugs were injected
};

// Injects a bug into a compiled model. `choice` states the bug and may state its layer and its parameters;
// the seed selects those that are not stated. The model must still have its device operations, from which
// programs are generated. `options` are those with which the model was compiled.
Result<Mutant> injectBug(const CompiledModel &model, const CompileOptions &options, const BugChoice &choice,
                         uint64_t seed);
// Refuses bugs that cannot be injected at once: at most one may be in the hardware, and at most one in a pass of the compiler.
Status checkTogether(std::span<const BugChoice> choices);
// Injects several bugs at once, at least one; for the n-th of them, counted from 0, the seed is seed + n.
Result<Mutant> injectBugs(const CompiledModel &model, const CompileOptions &options,
                          std::span<const BugChoice> choices, uint64_t seed);

// What noticed an injected bug before any results were compared (such as the analyser), and its message.
struct Caught {
  std::string by; // "analyser" or "trap"; empty: nothing
  std::string message;
};
Caught caughtBefore(const CheckRun &run);

// Record of a mutant (a program with an injected bug) that ran:
//   "text"        choice that injects exactly this bug again
//   "id", "class", "stage", "site", "layer", "layer_id", "parameters", "seed"
//   "pass"        the pass into which the bug was injected, or null
//   "fault_file"  description of broken hardware, or null
//   "caught"      {"by", "what"}, or null: what noticed it before any results were compared
//   "equivalent"  whether every tensor equals the clean program's, bit for bit
//   "others"      the other bugs, if several were injected: records with the fields up to "seed"
Json injectionRecord(const Mutant &mutant, const Check &check, const CheckRun &run);
// The record of a bug that was injected into a pass, if the compilation or the run then failed: "caught" and
// "equivalent" are null.
Json injectionRecord(const compiler::InjectedPassBug &injected);

} // namespace tilerig::verify
