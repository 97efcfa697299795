// Takes samples of a subject (a compiled network): tensors that are wrong because of an injected bug, and
// tensors that differ without a bug.
#pragma once

#include "classifier/Samples/Subject.h"
#include "isa/Bugs/Bug.h"
#include "verify/Evidence/Sample.h"

#include <map>
#include <set>

namespace tilerig::verify {

// For each reason why an attempt gave no sample, the number of attempts that failed for it.
using SampleCounts = std::map<std::string, uint64_t>;

class Sampler {
public:
  // Takes samples of the subject (a compiled network), which must outlive the sampler. Only the bugs in
  // `bugs` are injected into it.
  Sampler(const Subject &subject, std::vector<const Bug *> bugs, uint64_t unit, uint64_t seed);

  // Makes a number of attempts to take a sample. For each attempt a class of bugs is drawn among the classes
  // that can be injected into the compiled network, rare classes more often than others.
  Result<std::vector<Sample>> take(size_t attempts);
  const SampleCounts &counts() const { return reasons; }

private:
  struct Form;
  std::vector<BugClass> openClasses() const;
  Result<std::vector<Sample>> tryClass(BugClass bugClass);
  Result<std::vector<Sample>> tryBug(const Bug &bug);
  Result<std::optional<Sample>> inForm(const CheckRun &run, const CheckedTensor &tensor, const Form &form,
                                       Origin origin);
  Result<std::optional<Sample>> ofDump(const CheckRun &run, const InjectedBug &bug);
  Result<std::vector<Sample>> tryPassBug(const Bug &bug);
  Result<std::optional<Sample>> tryClean();
  const proto::Tensor *drawPlacement();
  std::optional<Tensor> computedOtherwise(const proto::Tensor &placement, const Tensor &stored);
  Form drawForm();
  Form twoDumps();
  Result<std::optional<CheckRun>> runUntilWrong(const Program &program, const std::string &faultFile);
  Result<std::optional<Sample>> sampleOf(const CheckRun &run, const CheckedTensor &tensor, const Form &form,
                                         Origin origin);
  Result<std::optional<Sample>> againstTruth(const CheckRun &run, const CheckedTensor &tensor,
                                             const Form &form, Origin origin);
  Result<std::optional<Sample>> ofPassBug(const Check &mutant, const CheckRun &run, const Form &form);
  Origin originOf(const Program &program, const TensorMatch &match, uint32_t layer) const;
  std::nullopt_t without(const char *reason);

  const Subject &subject;
  std::vector<const Bug *> bugs;
  const uint64_t unit;
  Draw draw;
  std::set<const Bug *> placeless;
  SampleCounts reasons;
};

} // namespace tilerig::verify
