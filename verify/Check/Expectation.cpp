#include "verify/Check/Expectation.h"

#include "reference/Model/Load.h"
#include "verify/Check/WidenHalves.h"

namespace tilerig::verify {

static Result<std::optional<ReferenceRun>> loadWide(const SourceModel &source, reference::Threads &threads) {
  TILERIG_TRY(reference::Model model, source.forReference());
  if (!widenHalves(model))
    return std::optional<ReferenceRun>();
  TILERIG_TRY(ReferenceRun wide, ReferenceRun::load(std::move(model), reference::Arithmetic::fast, threads));
  return std::optional(std::move(wide));
}

Result<Oracle> Oracle::load(const SourceModel &source, const CompiledModel &compiled,
                            reference::Threads &threads) {
  const std::string name = source.name() + " (emitted)";
  TILERIG_TRY(const std::string bytes, bytesOf(compiled.oracle, name));
  TILERIG_TRY(reference::Model model, reference::parseModel(std::as_bytes(std::span(bytes)), name, ""));
  TILERIG_TRY(ReferenceRun emitted,
              ReferenceRun::load(std::move(model), reference::Arithmetic::machine, threads));
  TILERIG_TRY(reference::Model written, source.forReference());
  TILERIG_TRY(ReferenceRun original,
              ReferenceRun::load(std::move(written), reference::Arithmetic::fast, threads));
  TILERIG_TRY(std::optional<ReferenceRun> wide, loadWide(source, threads));
  return Oracle(std::move(emitted), std::move(original), std::move(wide));
}

Result<Expectation> Oracle::expect(const HandedInputs &inputs) const {
  Expectation expectation;
  TILERIG_TRY(expectation.oracle, emitted.run(inputs.integers));
  // The oracle (the expected tensors) must also include constants that the host reads, because they are
  // tensors of the program.
  for (const auto &[id, constant] : emitted.graph().initialisers)
    if (const std::string &name = emitted.graph().values[static_cast<size_t>(id)].name;
        !expectation.oracle.find(name))
      TILERIG_CHECK_OK(expectation.oracle.add(name, constant));
  TILERIG_TRY(expectation.truth, original.run(inputs.reals));
  if (wide) {
    TILERIG_TRY(expectation.wideTruth, wide->run(withoutHalves(inputs.reals)));
  }
  return expectation;
}

} // namespace tilerig::verify
