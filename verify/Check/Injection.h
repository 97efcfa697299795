// A model checked with a bug in it: the program as it would be with the bug, against what the clean model has
// to give; and what noticed the bug before a number was compared.
#pragma once

#include "isa/Bugs/Draw.h"
#include "verify/Check/Check.h"
#include "verify/Records/Record.h"

namespace tilerig::verify {

struct Mutant {
  Program program;       // the clean one where nothing in it is wrong
  std::string faultFile; // of broken hardware; else empty
  PlantedBug bug;
};

// Plants a bug in the model that was compiled, with its works kept. The options are those that it was
// compiled with, and the seed picks what the choice leaves open.
Result<Mutant> plantBug(const CompiledModel &model, const CompileOptions &options, const BugChoice &choice,
                        uint64_t seed);

// Who noticed it, and what he said.
struct Caught {
  std::string by; // "analyser", "trap"; empty: nobody
  std::string what;
};
Caught caughtBefore(const CheckRun &run);

// Of a mutant that ran:
//   "text"        plants it again: nothing is left open
//   "id", "class", "stage", "site", "layer", "layer_id", "parameters", "seed"
//   "fault_file"  of broken hardware, or null
//   "caught"      {"by", "what"}, or null: what noticed it before a number was compared
//   "equivalent"  whether every tensor is what the clean program gives, bit for bit
Json injectionRecord(const Mutant &mutant, const Check &check, const CheckRun &run);

} // namespace tilerig::verify
